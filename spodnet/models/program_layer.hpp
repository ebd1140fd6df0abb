#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/layer/external_rule_layer.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/program/column_program.hpp"

namespace spodnet {

/// What a layer is given, for each of B matrices; S and contexts must stay until the backward.
struct ProgramLayerInput {
  const double *Theta = nullptr, *W = nullptr;           ///< B x p x p, W = Theta^{-1}
  std::span<const double* const> S = {};                 ///< p x p each
  std::span<const double> n = {};                        ///< numbers of samples
  std::span<const double* const> contexts = {};          ///< context0, context1, ...
  std::span<const Constraints* const> constraints = {};  ///< null: none; empty: for no matrix
  const std::uint8_t* usable = nullptr;                  ///< null: all are
};

/// Where the gradients go; null: not wanted.
struct ProgramLayerAdjoint {
  double* d_weights = nullptr;        ///< added to
  double* d_Theta = nullptr;          ///< of the input, total: W = Theta^{-1}; B x p x p
  std::span<double* const> d_S = {};  ///< of each S, added to: p x p, row i what column i read
  std::span<double* const> d_contexts = {};  ///< overwritten
};

/// One layer of Algorithm 1 whose f, threshold and g are a program, and its adjoint, for B matrices
/// that walk together. What stops a matrix, and what it then is, see ExternalRuleLayer.
class ProgramLayer {
 public:
  /// `keeps`: what a backward needs is kept, p times the numbers of a column.
  ProgramLayer(std::shared_ptr<const ColumnProgram> program, bool keeps);

  const ColumnProgram& program() const { return memory_.program(); }
  std::size_t bytes() const;

  /// Theta and W of the layer; of a matrix that is not usable nothing is written.
  void forward(const ProgramLayerInput& in, const LayerOptions& options, const double* weights,
               double* Theta, double* W);
  Status status(std::size_t k) const { return layer_.status(k); }
  std::size_t done(std::size_t k) const { return layer_.done(k); }

  /// From d_Theta (total) of the output, W as `forward` gave it. The same as often as wanted.
  void backward(const double* weights, const double* d_Theta, const double* W,
                const ProgramLayerAdjoint& out);

 private:
  class Solver;
  /// An input: its place in the program, its numbers of each column kept.
  struct Field {
    int at = -1;
    std::size_t size = 0;
    AlignedVector rows;
    double* row(std::size_t i, bool keeps) {
      return at < 0 ? nullptr : rows.data() + (keeps ? i * size : 0);
    }
  };

  std::size_t B() const { return program().B(); }
  std::size_t p() const { return program().p(); }
  std::size_t width() const { return p() > 1 ? program().width() : 0; }
  Field field(const char* compact, const char* full, bool kept) const;
  double* row(Field& field, std::size_t i) { return field.row(i, keeps_); }
  double* scaled(std::size_t i) { return scaled_.data() + (keeps_ ? i * B() * width() : 0); }
  /// Has the program read column i where it lies, and fills in what is S's.
  void place(std::size_t i, const double* weights, double* d_weights);
  void load_S(std::size_t i);
  void load_constants();
  void mask(std::size_t i, double* z, double* d_z);
  void step(std::size_t i, program::ColumnSolver& solver);
  void step_back(std::size_t i, program::ColumnSolver& solver);
  void renew_stopped(std::size_t i, program::ColumnSolver& solver);
  void add_S(std::size_t i, std::span<double* const> d_S);
  const double* adjoint(const Field& field);

  bool keeps_;
  ColumnMemory memory_;
  ExternalRuleLayer layer_;
  ProgramLayerInput in_;
  LayerOptions options_;
  Field theta_, w_, theta_22_, w_22_, diag_Theta_, z_, q_;  // of the state: kept
  Field s_, s_22_, diag_S_, n_, index_;
  std::vector<Field> contexts_;
  AlignedVector scaled_, q_row_, d_scaled_, whole_;
};

}  // namespace spodnet
