#include <algorithm>

#include "spodnet/program/graph.hpp"

namespace spodnet::program {

/// Reverse mode: from the last node to the first, each adds to the adjoints of its operands. At
/// ties as torch: sign(0) = 0, max, min and amax share evenly among equal ones.
class Reverse {
 public:
  Reverse(Graph& graph, const std::vector<int>& wrt, std::vector<int>& solves)
      : g_(graph),
        last_(int(graph.nodes.size())),
        d_(std::size_t(last_), -1),
        slices_(std::size_t(last_)),
        needed_(std::size_t(last_), 0),
        solves_(solves) {
    for (const int a : wrt) needed_[std::size_t(a)] = 1;
    for (int a = 0; a < last_; ++a) {
      if (node(a).op == Op::solve) needed_[std::size_t(a)] = 1;  // it reads the state, too
      for (const int b : node(a).in) needed_[std::size_t(a)] |= needed_[std::size_t(b)];
    }
  }

  std::vector<int> run(const std::vector<std::pair<int, int>>& seeds, const std::vector<int>& wrt) {
    for (const auto& [a, x] : seeds) add(a, x);
    for (int a = last_ - 1; a >= 0; --a) {
      if (!needed(a)) continue;
      join_slices(a);
      if (d_[std::size_t(a)] >= 0 && !node(a).in.empty()) back(a, d_[std::size_t(a)]);
    }
    std::vector<int> out;
    for (const int a : wrt) out.push_back(d_[std::size_t(a)]);
    return out;
  }

 private:
  const Node& node(int a) const { return g_.nodes[std::size_t(a)]; }
  bool needed(int a) const { return needed_[std::size_t(a)] != 0; }
  int number(double x) { return g_.constant(x); }
  int mul(int a, int b) { return g_.point(Op::mul, {a, b}); }
  int div(int a, int b) { return g_.point(Op::div, {a, b}); }
  int neg(int a) { return g_.point(Op::neg, {a}); }
  int where(int test, int a, int b) { return g_.point(Op::where, {test, a, b}); }

  /// d summed to the shape that was broadcast.
  int sum_to(int d, const Shape& to) {
    const Shape from = g_.shape(d);
    const std::size_t lead = from.size() - to.size();
    std::vector<long> dims;
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k].n != 1 && (k < lead || to[k - lead].n == 1)) dims.push_back(long(k));
    if (!dims.empty()) d = g_.reduce(Op::sum, d, std::move(dims));
    return g_.view(d, to);
  }

  void add(int a, int x) {
    if (!needed(a)) return;
    x = sum_to(x, Shape(g_.shape(a)));
    int& d = d_[std::size_t(a)];
    d = d < 0 ? x : g_.point(Op::add, {d, x});
  }

  /// Adjoints of slices of a: one cat where they are the whole, else each with zeros around it.
  void join_slices(int a) {
    auto& parts = slices_[std::size_t(a)];
    if (parts.empty()) return;
    const auto begin = [&](const std::pair<int, int>& part) { return node(part.first).attr[1]; };
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const auto& u, const auto& v) { return begin(u) < begin(v); });
    const long dim = node(parts[0].first).attr[0];
    const auto length = [&](const std::pair<int, int>& part) {
      return node(part.first).shape[std::size_t(dim)].n;
    };
    long at = 0;
    bool whole = true;
    for (const auto& part : parts) {
      const std::vector<long>& attr = node(part.first).attr;
      whole = whole && attr[0] == dim && attr[1] == at && attr[2] == 1;
      if (whole) at += length(part);
    }
    const Shape shape = g_.shape(a);
    if (whole && at == shape[std::size_t(dim)].n) {
      Node cat{.op = Op::cat, .shape = shape, .attr = {dim}};
      for (const auto& part : parts) cat.in.push_back(part.second);
      return add(a, g_.push(std::move(cat)));
    }
    for (const auto& [s, d] : parts) {
      const std::vector<long> attr = node(s).attr;
      add(a, g_.pad(d, shape, attr[0], attr[1], attr[2]));
    }
  }

  void back(int a, int g) {
    const Node n = node(a);  // a copy: pushing moves the nodes
    if (is_pointwise(n.op)) return back_pointwise(n, a, g);
    const int x = n.in[0];
    const Shape of_x = g_.shape(x);
    switch (n.op) {
      case Op::mm:
        if (needed(x)) add(x, g_.mm(g, turned(n.in[1])));
        if (needed(n.in[1])) add(n.in[1], g_.mm(turned(x), g));
        break;
      case Op::sum:
        add(x, g_.expand(g, of_x));
        break;
      case Op::amax: {
        const int first = g_.point(Op::eq, {x, a});
        const int ties = g_.reduce(Op::sum, first, n.attr);
        add(x, mul(first, div(g, ties)));
        break;
      }
      case Op::view:
        add(x, g_.view(g, of_x));
        break;
      case Op::permute: {
        std::vector<long> back(n.attr.size());
        for (std::size_t k = 0; k < back.size(); ++k) back[std::size_t(n.attr[k])] = long(k);
        add(x, g_.permute(g, std::move(back)));
        break;
      }
      case Op::expand:
        add(x, g);
        break;
      case Op::slice:
        slices_[std::size_t(x)].push_back({a, g});
        break;
      case Op::pad:
        add(x, g_.slice(g, n.attr[0], n.attr[1], of_x[std::size_t(n.attr[0])], n.attr[2]));
        break;
      case Op::cat:
        back_cat(n, g);
        break;
      case Op::unfold:
        back_unfold(n, g, of_x);
        break;
      case Op::solve: {
        const int d_x = g_.push({.op = Op::solve_back, .in = {a, g}, .shape = n.shape});
        solves_.push_back(d_x);
        add(x, d_x);
        break;
      }
      default:
        break;
    }
  }

  int turned(int a) {
    std::vector<long> order(g_.shape(a).size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = long(k);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return g_.permute(a, std::move(order));
  }

  void back_cat(const Node& n, int g) {
    const auto dim = std::size_t(n.attr[0]);
    long at = 0;
    for (const int b : n.in) {
      const Dim size = g_.shape(b)[dim];
      if (needed(b)) add(b, g_.slice(g, n.attr[0], at, size));
      at += size.n;
    }
  }

  /// The k-th entries of all windows are the entries k, k + step, ...
  void back_unfold(const Node& n, int g, const Shape& of_x) {
    const long dim = n.attr[0], last = long(n.shape.size()) - 1, step = n.attr[1];
    Shape one = n.shape;
    one.pop_back();
    for (long k = 0; k < n.shape.back().n; ++k) {
      const int entries = g_.view(g_.slice(g, last, k, Dim{1}), one);
      add(n.in[0], g_.pad(entries, of_x, dim, k, step));
    }
  }

  void back_pointwise(const Node& n, int a, int g) {
    const int x = n.in[0], y = n.in.size() > 1 ? n.in[1] : -1;
    const auto at_tie = [&](Op strict) {  // g where x is the one, half of it where both are
      const int half = where(g_.point(Op::eq, {x, y}), mul(g, number(0.5)), number(0));
      if (needed(x)) add(x, where(g_.point(strict, {x, y}), g, half));
      if (needed(y)) add(y, where(g_.point(strict, {y, x}), g, half));
    };
    switch (n.op) {
      case Op::add:
        add(x, g);
        add(y, g);
        break;
      case Op::sub:
        add(x, g);
        if (needed(y)) add(y, neg(g));
        break;
      case Op::mul:
        if (needed(x)) add(x, mul(g, y));
        if (needed(y)) add(y, mul(g, x));
        break;
      case Op::div: {
        const int q = div(g, y);
        add(x, q);
        if (needed(y)) add(y, neg(mul(q, a)));
        break;
      }
      case Op::max:
        at_tie(Op::gt);
        break;
      case Op::min:
        at_tie(Op::lt);
        break;
      case Op::neg:
        add(x, neg(g));
        break;
      case Op::abs:
        add(x, mul(g, g_.point(Op::sign, {x})));
        break;
      case Op::relu:
        add(x, g_.point(Op::gate, {a, g}));
        break;
      case Op::exp:
        add(x, mul(g, a));
        break;
      case Op::log:
        add(x, div(g, x));
        break;
      case Op::tanh:
        add(x, mul(g, g_.point(Op::sub, {number(1), mul(a, a)})));
        break;
      case Op::sigmoid:
        add(x, mul(g, mul(a, g_.point(Op::sub, {number(1), a}))));
        break;
      case Op::sqrt:
        add(x, div(mul(g, number(0.5)), a));
        break;
      case Op::recip:
        add(x, neg(mul(g, mul(a, a))));
        break;
      case Op::erf: {
        constexpr double kTwoOverRootPi = 1.1283791670955126;
        add(x, mul(mul(g, number(kTwoOverRootPi)), g_.point(Op::exp, {neg(mul(x, x))})));
        break;
      }
      case Op::where:
        if (needed(n.in[1])) add(n.in[1], where(x, g, number(0)));
        if (needed(n.in[2])) add(n.in[2], where(x, number(0), g));
        break;
      default:
        break;  // sign and the tests are flat
    }
  }

  Graph& g_;
  const int last_;
  std::vector<int> d_;
  std::vector<std::vector<std::pair<int, int>>> slices_;  ///< of each node: (slice, its adjoint)
  std::vector<char> needed_;
  std::vector<int>& solves_;
};

std::vector<int> Graph::gradient(const std::vector<std::pair<int, int>>& seeds,
                                 const std::vector<int>& wrt, std::vector<int>& solves) {
  return Reverse(*this, wrt, solves).run(seeds, wrt);
}

}  // namespace spodnet::program
