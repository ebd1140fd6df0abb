#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "spodnet/program/interpreter.hpp"
#include "spodnet/program/program.hpp"

namespace spodnet {

/// An input of a program: what a rule reads of its column.
struct ProgramInput {
  std::string name;
  std::size_t size = 0;      ///< numbers for all B matrices
  bool has_adjoint = false;  ///< the backward writes one
};

/// A program and its gradient at one size, planned: B matrices of p variables, column by column.
/// Never changes, so threads share it; ColumnMemory has the numbers.
class ColumnProgram {
 public:
  struct Options {
    bool backward = true;
    bool covariance = false;  ///< adjoints of what is S's (s_12, s_22, diag_S), too
    /// Products and sums are kept for the backward and the rest is computed again, unless the
    /// columns together keep more than this: then everything is.
    std::size_t most_kept_bytes = std::size_t{1} << 25;
  };
  ColumnProgram(const Program& program, std::size_t B, std::size_t p, const Options& options);

  std::size_t B() const { return B_; }
  std::size_t p() const { return p_; }
  std::size_t width() const { return width_; }  ///< of vectors: p or p - 1
  bool has_threshold() const { return has_threshold_; }
  bool solves() const { return solves_; }  ///< it asks for inv_theta_11
  const std::vector<ProgramInput>& inputs() const { return inputs_; }
  int input(const std::string& name) const;  ///< -1: it does not read it
  std::size_t weights() const { return weights_; }
  std::size_t kept() const { return kept_; }  ///< doubles of one column
  /// Of one ColumnMemory that keeps `columns` columns.
  std::size_t bytes(std::size_t columns) const;

 private:
  friend class ColumnMemory;
  using Answers = std::array<int, 3>;  ///< nodes of f, threshold and g; -1: none
  struct Adjoint {
    Answers seeds{-1, -1, -1};
    std::vector<int> d;  ///< of inputs that have one, then of weights and rows that are trained
    std::vector<int> solves;
  };
  static std::size_t whole_lines(std::size_t doubles) { return (doubles + 7) / 8 * 8; }
  void find_inputs(const Program& program, const program::Graph& graph);
  void find_weights(const Program& program, const program::Graph& graph);
  bool leave_product(const program::Graph& graph, int a, std::size_t offset,
                     program::Plan::Order& backward);
  program::Plan::Order forward_order(const program::Graph& graph, const Answers& answers) const;
  Adjoint differentiate(program::Graph& graph, const Answers& answers) const;
  void fill_backward(const program::Graph& graph, const Adjoint& adjoint,
                     program::Plan::Order& backward);
  void plan(const Program& program, program::Graph& graph, const Options& options);
  std::vector<int> stages_of(const program::Graph& graph, const std::vector<int>& first) const;
  std::vector<int> kept_nodes(const program::Graph& graph, const Adjoint& adjoint, int last,
                              bool again) const;
  int answer_root(int answer) const { return program::kFirstField + int(inputs_.size()) + answer; }
  int adjoint_root(int input) const { return answer_root(6) + input; }
  int row_root(int row) const { return adjoint_root(int(inputs_.size())) + row; }
  int product_root(int k) const { return row_root(2 * int(rows_.size()) + k); }
  int roots() const { return product_root(2 * int(products_.size())); }

  struct Weight {
    int node;
    std::size_t offset, size;
    bool fixed;
  };
  struct Row {
    int node;
    std::size_t offset, step;  ///< of the table; from a column to the next
    bool fixed;
  };

  /// A gradient [M, N] that is a product over few numbers a column: of all columns at the end.
  struct LateProduct {
    std::size_t offset;  ///< of the weight
    bool turned;
    long M, N, K;
    long size(int k) const { return (k == 0 ? M : N) * K; }  ///< of the k-th operand, a column
  };

  std::size_t B_, p_, width_ = 0, weights_ = 0, kept_ = 0;
  bool has_threshold_ = false, solves_ = false;
  std::vector<ProgramInput> inputs_;
  std::vector<int> input_nodes_;
  std::vector<Weight> weight_nodes_;
  std::vector<Row> rows_;
  std::vector<LateProduct> products_;
  program::Plan forward_, backward_;
};

/// The numbers of one thread that runs a ColumnProgram, for `columns` columns (kept).
class ColumnMemory {
 public:
  ColumnMemory(std::shared_ptr<const ColumnProgram> program, std::size_t columns);

  const ColumnProgram& program() const { return *program_; }

  double* input(int k) { return roots_[std::size_t(program::kFirstField + k)]; }
  /// To have an input lie elsewhere (B x .., contiguous).
  void set_input(int k, double* at) { roots_[std::size_t(program::kFirstField + k)] = at; }
  double* adjoint(int k) { return roots_[std::size_t(program_->adjoint_root(k))]; }

  double* z() { return answer(0); }
  double* lambda() { return answer(1); }
  double* v() { return answer(2); }
  double* d_z() { return answer(3); }
  double* d_lambda() { return answer(4); }
  double* d_v() { return answer(5); }

  /// The column, whose kept numbers are those of `column % columns`, and the weights.
  void begin(std::size_t column, const double* weights, double* d_weights);
  void run_f(program::ColumnSolver* solver) { run(program_->forward_, 0, solver); }
  void run_threshold(program::ColumnSolver* solver) { run(program_->forward_, 1, solver); }
  void run_g(program::ColumnSolver* solver) { run(program_->forward_, 2, solver); }
  // From d_v, d_lambda, d_z, in this order: adds to d_weights. The adjoint of q is there after the
  // first, that of the scaled z after the second, the others after the third.
  void back_g(program::ColumnSolver* solver) { run(program_->backward_, 0, solver); }
  void back_threshold(program::ColumnSolver* solver) { run(program_->backward_, 1, solver); }
  void back_f(program::ColumnSolver* solver) { run(program_->backward_, 2, solver); }
  /// Adds what is left of the gradients, after the back_f of so many columns.
  void add_products(std::size_t columns, double* d_weights) const;

 private:
  double* answer(int k) { return roots_[std::size_t(program_->answer_root(k))]; }
  void run(const program::Plan& plan, int stage, program::ColumnSolver* solver);

  std::shared_ptr<const ColumnProgram> program_;
  std::size_t columns_;
  AlignedVector fields_, arena_, blocks_, kept_;
  std::vector<AlignedVector> operands_;  ///< two of each late product, of all columns
  std::vector<double*> roots_;
};

}  // namespace spodnet
