#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/program/graph.hpp"

namespace spodnet {

/// A size a + b B + c p + d B p: B matrices walk together through p variables.
struct Size {
  long a = 0, b = 0, c = 0, d = 0;

  long at(long B, long p) const { return a + b * B + c * p + d * B * p; }
  bool grows() const { return b != 0 || c != 0 || d != 0; }
  bool operator==(const Size&) const = default;
};

/// One node of a program as it is written, for any B and p.
struct ProgramNode {
  using Op = program::Op;

  Op op = Op::constant;
  std::vector<int> in;
  std::vector<Size> shape;
  std::vector<long> dims;        ///< sum, amax: which; permute: order; slice, cat, pad, unfold: one
  Size begin, length;            ///< slice, pad; unfold: length alone
  long step = 1;                 ///< slice, pad, unfold
  std::string name;              ///< of an input or a weight
  bool fixed = false;            ///< a weight that is not trained
  std::optional<double> bound;   ///< a weight starts uniform in +-bound ...
  std::vector<double> values;    ///< ... or with these (one: all alike); else as torch's layers do
  double value = 0;              ///< of a constant ...
  std::optional<Size> of, over;  ///< ... or a size, or one over a size
};

/// A rule f, threshold and g as a list of operations (SSA): what is written in C++ as expressions
/// (expression.hpp), captured from torch, and lies as JSON in a model file. Shapes are inferred
/// when a node is added; an Error says which node is wrong.
class Program {
 public:
  /// What a hostile text may ask for at most.
  static constexpr std::size_t kMostNodes = 4096, kMostDims = 8, kMostOperands = 64;
  static constexpr long kLargestSize = 1 << 24;   ///< of a, b, c, d and of a size
  static constexpr long kMostNumbers = 1L << 28;  ///< of a node

  Program() = default;
  /// `p`: sizes are those of one number of variables; 0: any.
  explicit Program(std::size_t p) : p_(p) {}

  /// JSON text (docs/programs.md); `source` is named in an Error.
  static Program parse(const std::string& text, const std::string& source);
  std::string text() const;
  /// Each node that is worth a line, as a formula a person can read.
  std::string formulas() const;

  /// Infers the node's shape, checks it against node.shape where that is given, and returns the
  /// node's place.
  int add(ProgramNode node);
  /// The three answers; threshold -1: none. Checked here: their shapes, and that each reads what
  /// it may.
  void finish(int f, int threshold, int g);

  const std::vector<ProgramNode>& nodes() const { return nodes_; }
  std::size_t p() const { return p_; }
  int f() const { return f_; }
  int threshold() const { return threshold_; }
  int g() const { return g_; }

  std::vector<int> inputs() const { return all(program::Op::in); }
  std::vector<int> weights() const { return all(program::Op::weight); }
  bool reads(const std::string& name) const;
  bool has(program::Op op) const { return !all(op).empty(); }
  /// Vectors are p wide (0 at entry i) instead of p - 1.
  bool full_width() const { return full_width_; }
  /// No weight's shape depends on p.
  bool any_p() const;
  std::vector<std::size_t> weight_shape(int node, std::size_t p) const;

  /// The nodes at one size, in the same places.
  program::Graph at(std::size_t B, std::size_t p) const;

 private:
  std::vector<int> all(program::Op op) const;
  void infer(ProgramNode& node) const;
  void infer_leaf(ProgramNode& node) const;
  void infer_moved(ProgramNode& node) const;
  void infer_mm(ProgramNode& node) const;
  Size fixed(Size size) const;
  void check_reads(int answer, const char* part, const std::vector<std::string>& never) const;
  std::vector<char> behind(int answer) const;

  std::vector<ProgramNode> nodes_;
  std::size_t p_ = 0;
  int f_ = -1, threshold_ = -1, g_ = -1;
  bool full_width_ = false;
};

}  // namespace spodnet
