#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spodnet/program/program.hpp"

namespace spodnet::program {

class Column;

/// A node of a program that is being written, with the operations on it: `relu(x) - 0.1 * y`.
/// Shapes broadcast as in NumPy; its vectors are [B, p] (theta, w, s: 0 at entry i) or [B, p - 1]
/// (theta_12, ...), its scalars of a column [B, 1]. Errors say which node is wrong.
class Expr {
 public:
  Expr() = default;
  Expr(Column& column, int node) : column_(&column), node_(node) {}

  Column& column() const { return *column_; }
  int node() const { return node_; }
  const std::vector<Size>& shape() const;

 private:
  Column* column_ = nullptr;
  int node_ = -1;
};

/// Sizes of a shape: kB matrices walk together, kP variables.
inline constexpr Size kB{0, 1, 0, 0}, kP{0, 0, 1, 0};

/// What f, threshold and g read of column i (Eq. 1), and the weights they have. Asked for twice, a
/// field or a weight is the same one.
class Column {
 public:
  explicit Column(Program& program) : program_(program) {}

  Expr theta() { return field("theta"); }  ///< [B, p], as w and s
  Expr w() { return field("w"); }
  Expr s() { return field("s"); }
  Expr theta_12() { return field("theta_12"); }  ///< [B, p - 1], as w_12 and s_12
  Expr w_12() { return field("w_12"); }
  Expr s_12() { return field("s_12"); }
  Expr theta_22() { return field("theta_22"); }  ///< [B, 1], as w_22, s_22 and n
  Expr w_22() { return field("w_22"); }
  Expr s_22() { return field("s_22"); }
  Expr n() { return field("n"); }
  Expr diag_Theta() { return field("diag_Theta"); }  ///< [B, p]
  Expr diag_S() { return field("diag_S"); }
  Expr index() { return field("index"); }  ///< [B], all i
  Expr z() { return field("z"); }          ///< scaled, for threshold
  Expr q() { return field("q"); }          ///< [B, 1], for g
  Expr solve(Expr x);                      ///< inv_theta_11 x

  /// How a weight begins: as torch's layers do, uniform in +-bound, or with given values (one: all
  /// alike). A fixed one is not trained.
  struct Start {
    std::optional<double> bound = {};
    std::vector<double> values = {};
    bool fixed = false;
  };
  Expr weight(const std::string& name, const std::vector<Size>& shape) {
    return weight(name, shape, Start{});
  }
  Expr weight(const std::string& name, const std::vector<Size>& shape, Start start);
  /// Row i of a table [p, ..] of weights.
  Expr row(Expr table);
  Expr number(double value);
  Expr size(Size size);      ///< as a number
  Expr one_over(Size size);  ///< 1 / size

  /// x A' + b with A = `name.weight` [out, in] and b = `name.bias`, along the last dim of x.
  Expr linear(const std::string& name, Expr x, long out);

  Expr add(ProgramNode node);
  const Program& program() const { return program_; }

 private:
  Expr field(const char* name);
  Expr find(Op op, const std::string& name);

  Program& program_;
};

using Part = std::function<Expr(Column&)>;

/// The program of f, g and threshold (none: z itself becomes the column).
Program make_program(const Part& f, const Part& g, const Part& threshold = {});

// The paper's threshold and g, as ubg, pnp and e2e have them, with the same names of weights:
// lambda_j = kappa |MLP(z_j)| and v = |MLP(theta_22, s_22, q)|.
Part paper_threshold(double kappa = 1, long hidden = 5);
Part paper_margin(long hidden = 3);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, double b);
Expr operator-(Expr a, double b);
Expr operator*(Expr a, double b);
Expr operator/(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(double a, Expr b);
Expr operator*(double a, Expr b);
Expr operator/(double a, Expr b);
// Tests, which give 1 or 0.
Expr operator>(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator>(Expr a, double b);
Expr operator<(Expr a, double b);
Expr operator==(Expr a, Expr b);

Expr max(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, double b);
Expr min(Expr a, double b);
Expr where(Expr test, Expr yes, Expr no);
Expr where(Expr test, Expr yes, double no);

Expr abs(Expr x);
Expr sign(Expr x);
Expr relu(Expr x);
Expr exp(Expr x);
Expr log(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr sqrt(Expr x);
Expr erf(Expr x);
Expr softplus(Expr x);

/// Products of the last two dims; the others broadcast.
Expr matmul(Expr a, Expr b);
// Over one dim, which stays as 1; dims count from the end where they are negative.
Expr sum(Expr x, long dim);
Expr mean(Expr x, long dim);
Expr largest(Expr x, long dim);
Expr softmax(Expr x, long dim);

Expr view(Expr x, const std::vector<Size>& shape);
Expr expand(Expr x, const std::vector<Size>& shape);
Expr unsqueeze(Expr x, long dim);
Expr squeeze(Expr x, long dim);
Expr transpose(Expr x);  ///< of the last two dims
Expr cat(const std::vector<Expr>& parts, long dim);
Expr slice(Expr x, long dim, Size begin, Size length, long step = 1);
/// x in a dim of this length, from `begin` on, 0 elsewhere.
Expr pad(Expr x, long dim, Size begin, Size length);
/// All windows of `length` neighbours, as a last dim.
Expr windows(Expr x, long dim, long length);

}  // namespace spodnet::program
