#include "spodnet/program/expression.hpp"

#include "spodnet/core/error.hpp"

namespace spodnet::program {
namespace {

Expr one_of(Op op, Expr x) { return x.column().add({.op = op, .in = {x.node()}}); }

Expr two_of(Op op, Expr a, Expr b) {
  if (&a.column() != &b.column()) throw Error("expressions of two programs cannot be joined");
  return a.column().add({.op = op, .in = {a.node(), b.node()}});
}

long dim_of(Expr x, long dim) {
  const long rank = long(x.shape().size());
  if (dim < -rank - 1 || dim > rank) throw Error("there is no dim " + std::to_string(dim));
  return dim < 0 ? dim + rank : dim;
}

Expr over_dim(Op op, Expr x, long dim) {
  return x.column().add({.op = op, .in = {x.node()}, .dims = {dim_of(x, dim)}});
}

}  // namespace

const std::vector<Size>& Expr::shape() const {
  if (!column_) throw Error("an expression is used that was never written");
  return column_->program().nodes()[std::size_t(node_)].shape;
}

Expr Column::add(ProgramNode node) {
  const int place = program_.add(std::move(node));
  return {*this, place};
}

Expr Column::find(Op op, const std::string& name) {
  const auto& nodes = program_.nodes();
  for (std::size_t a = 0; a < nodes.size(); ++a)
    if (nodes[a].op == op && nodes[a].name == name) return {*this, int(a)};
  return {};
}

Expr Column::field(const char* name) {
  const Expr known = find(Op::in, name);
  return known.node() >= 0 ? known : add({.op = Op::in, .name = name});
}

Expr Column::weight(const std::string& name, const std::vector<Size>& shape, Start start) {
  const Expr known = find(Op::weight, name);
  if (known.node() >= 0) {
    if (known.shape() != shape) throw Error("the weight " + name + " has another shape already");
    return known;
  }
  return add({.op = Op::weight,
              .shape = shape,
              .name = name,
              .fixed = start.fixed,
              .bound = start.bound,
              .values = std::move(start.values)});
}

Expr Column::row(Expr table) { return add({.op = Op::row, .in = {table.node()}}); }
Expr Column::solve(Expr x) { return add({.op = Op::solve, .in = {x.node()}}); }
Expr Column::number(double value) { return add({.op = Op::constant, .value = value}); }
Expr Column::size(Size size) { return add({.op = Op::constant, .of = size}); }
Expr Column::one_over(Size size) { return add({.op = Op::constant, .over = size}); }

Expr Column::linear(const std::string& name, Expr x, long out) {
  const Expr A = weight(name + ".weight", {Size{out}, x.shape().back()});
  return matmul(x, transpose(A)) + weight(name + ".bias", {Size{out}});
}

Program make_program(const Part& f, const Part& g, const Part& threshold) {
  Program program;
  Column column(program);
  const Expr z = f(column);
  const Expr lambda = threshold ? threshold(column) : Expr();
  const Expr v = g(column);
  program.finish(z.node(), lambda.node(), v.node());
  return program;
}

Part paper_threshold(double kappa, long hidden) {
  return [=](Column& c) {
    const Expr h = relu(c.linear("f.lambda.0", unsqueeze(c.z(), -1), hidden));
    return kappa * abs(squeeze(c.linear("f.lambda.1", h, 1), -1));
  };
}

Part paper_margin(long hidden) {
  return [=](Column& c) {
    const Expr h = relu(c.linear("g.0", cat({c.theta_22(), c.s_22(), c.q()}, 1), hidden));
    return abs(c.linear("g.2", relu(c.linear("g.1", h, hidden)), 1));
  };
}

Expr operator+(Expr a, Expr b) { return two_of(Op::add, a, b); }
Expr operator-(Expr a, Expr b) { return two_of(Op::sub, a, b); }
Expr operator*(Expr a, Expr b) { return two_of(Op::mul, a, b); }
Expr operator/(Expr a, Expr b) { return two_of(Op::div, a, b); }
Expr operator-(Expr a) { return one_of(Op::neg, a); }
Expr operator+(Expr a, double b) { return a + a.column().number(b); }
Expr operator-(Expr a, double b) { return a - a.column().number(b); }
Expr operator*(Expr a, double b) { return a * a.column().number(b); }
Expr operator/(Expr a, double b) { return a / a.column().number(b); }
Expr operator+(double a, Expr b) { return b.column().number(a) + b; }
Expr operator-(double a, Expr b) { return b.column().number(a) - b; }
Expr operator*(double a, Expr b) { return b.column().number(a) * b; }
Expr operator/(double a, Expr b) { return b.column().number(a) / b; }
Expr operator>(Expr a, Expr b) { return two_of(Op::gt, a, b); }
Expr operator<(Expr a, Expr b) { return two_of(Op::lt, a, b); }
Expr operator>(Expr a, double b) { return a > a.column().number(b); }
Expr operator<(Expr a, double b) { return a < a.column().number(b); }
Expr operator==(Expr a, Expr b) { return two_of(Op::eq, a, b); }

Expr max(Expr a, Expr b) { return two_of(Op::max, a, b); }
Expr min(Expr a, Expr b) { return two_of(Op::min, a, b); }
Expr max(Expr a, double b) { return max(a, a.column().number(b)); }
Expr min(Expr a, double b) { return min(a, a.column().number(b)); }
Expr where(Expr test, Expr yes, Expr no) {
  return test.column().add({.op = Op::where, .in = {test.node(), yes.node(), no.node()}});
}
Expr where(Expr test, Expr yes, double no) { return where(test, yes, test.column().number(no)); }

Expr abs(Expr x) { return one_of(Op::abs, x); }
Expr sign(Expr x) { return one_of(Op::sign, x); }
Expr relu(Expr x) { return one_of(Op::relu, x); }
Expr exp(Expr x) { return one_of(Op::exp, x); }
Expr log(Expr x) { return one_of(Op::log, x); }
Expr tanh(Expr x) { return one_of(Op::tanh, x); }
Expr sigmoid(Expr x) { return one_of(Op::sigmoid, x); }
Expr sqrt(Expr x) { return one_of(Op::sqrt, x); }
Expr erf(Expr x) { return one_of(Op::erf, x); }
Expr softplus(Expr x) { return relu(x) + log(1 + exp(-abs(x))); }

Expr matmul(Expr a, Expr b) { return two_of(Op::mm, a, b); }
Expr sum(Expr x, long dim) { return over_dim(Op::sum, x, dim); }
Expr mean(Expr x, long dim) {
  return sum(x, dim) * x.column().one_over(x.shape()[std::size_t(dim_of(x, dim))]);
}
Expr largest(Expr x, long dim) { return over_dim(Op::amax, x, dim); }
Expr softmax(Expr x, long dim) {
  const Expr e = exp(x - largest(x, dim));
  return e / sum(e, dim);
}

Expr view(Expr x, const std::vector<Size>& shape) {
  return x.column().add({.op = Op::view, .in = {x.node()}, .shape = shape});
}
Expr expand(Expr x, const std::vector<Size>& shape) {
  return x.column().add({.op = Op::expand, .in = {x.node()}, .shape = shape});
}
Expr unsqueeze(Expr x, long dim) {
  std::vector<Size> shape = x.shape();
  shape.insert(shape.begin() + (dim < 0 ? dim + long(shape.size()) + 1 : dim), Size{1});
  return view(x, shape);
}
Expr squeeze(Expr x, long dim) {
  std::vector<Size> shape = x.shape();
  shape.erase(shape.begin() + dim_of(x, dim));
  return view(x, shape);
}
Expr transpose(Expr x) {
  std::vector<long> order(x.shape().size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = long(k);
  if (order.size() < 2) throw Error("only matrices have a transpose");
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return x.column().add({.op = Op::permute, .in = {x.node()}, .dims = order});
}
Expr cat(const std::vector<Expr>& parts, long dim) {
  ProgramNode node{.op = Op::cat};
  for (const Expr& part : parts) node.in.push_back(part.node());
  node.dims = {dim_of(parts.at(0), dim)};
  return parts[0].column().add(std::move(node));
}
Expr slice(Expr x, long dim, Size begin, Size length, long step) {
  return x.column().add({.op = Op::slice,
                         .in = {x.node()},
                         .dims = {dim_of(x, dim)},
                         .begin = begin,
                         .length = length,
                         .step = step});
}
Expr pad(Expr x, long dim, Size begin, Size length) {
  return x.column().add({.op = Op::pad,
                         .in = {x.node()},
                         .dims = {dim_of(x, dim)},
                         .begin = begin,
                         .length = length});
}
Expr windows(Expr x, long dim, long length) {
  return x.column().add(
      {.op = Op::unfold, .in = {x.node()}, .dims = {dim_of(x, dim)}, .length = {length}});
}

}  // namespace spodnet::program
