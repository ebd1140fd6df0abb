#include "spodnet/program/graph.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace spodnet::program {
namespace {

/// All that makes two nodes equal.
std::string key_of(const Node& node) {
  std::string key(1, char(node.op));
  const auto add = [&](long x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
  for (const int a : node.in) add(a);
  add(-1);
  for (const Dim d : node.shape) add(d.n);
  add(-1);
  for (const long x : node.attr) add(x);
  add(node.leaf);
  key.append(reinterpret_cast<const char*>(&node.value), sizeof node.value);
  return key;
}

}  // namespace

long count(const Shape& shape) {
  long n = 1;
  for (const Dim d : shape) n *= d.n;
  return n;
}

int Graph::push(Node node) {
  if (const int simpler = simplified(node); simpler >= 0) return simpler;
  const auto [found, fresh] = known_.try_emplace(key_of(node), int(nodes.size()));
  if (fresh) nodes.push_back(std::move(node));
  return found->second;
}

/// What needs no node of this kind, or -1: a view of a view, and what is pointwise of views, which
/// becomes a view of what is pointwise: fewer and longer chains.
int Graph::simplified(const Node& node) {
  const int first = node.in.empty() ? -1 : node.in[0];
  if (node.op == Op::view) {
    if (shape(first) == node.shape) return first;
    if (nodes[std::size_t(first)].op == Op::view)
      return view(nodes[std::size_t(first)].in[0], node.shape);
  }
  return is_pointwise(node.op) ? before_view(node) : -1;
}

/// A pointwise node as a view of one with the shape behind the views that it reads; -1: it reads
/// none, or something else of its shape that was computed, or what is broadcast otherwise.
int Graph::before_view(Node node) {
  const Shape to = std::move(node.shape);
  Shape from = to;
  for (std::size_t k = node.in.size(); k-- > 0;) {
    const Node& n = nodes[std::size_t(node.in[k])];
    if (!(n.shape == to) || n.in.empty()) continue;
    if (n.op != Op::view) return -1;
    if (const Node& x = nodes[std::size_t(n.in[0])]; !x.in.empty()) from = x.shape;
  }
  if (from == to) return -1;
  const auto same = std::mismatch(from.rbegin(), from.rend(), to.rbegin(), to.rend()).first;
  for (int& a : node.in) {
    const Shape s = shape(a);
    const long last = std::min(same - from.rbegin(), long(s.size()));
    if (s == to)
      a = view(a, from);
    else if (std::all_of(s.begin(), s.end() - last, [](Dim d) { return d.n == 1; }))
      a = view(a, Shape(s.end() - last, s.end()));
    else
      return -1;
  }
  node.shape = from;
  return view(push(std::move(node)), to);
}

Op Graph::pointwise(int a) const {
  const Node& n = nodes[std::size_t(a)];
  if (is_pointwise(n.op)) return n.op;
  const bool outer = n.op == Op::mm && shape(n.in[0]).back().n == 1 && !shape(n.in[0]).back().grows;
  return outer ? Op::mul : Op::constant;
}

int Graph::point(Op op, std::vector<int> in) {
  const auto is = [&](int a, double value) {
    const Node& n = nodes[std::size_t(a)];
    return n.op == Op::constant && n.value == value;
  };
  if (op == Op::mul && is(in[1], 1)) return in[0];
  if (op == Op::mul && is(in[0], 1)) return in[1];
  Shape s;
  for (const int a : in) {
    const Shape& t = shape(a);
    if (t.size() > s.size()) s.insert(s.begin(), t.size() - s.size(), Dim{});
    for (std::size_t k = 0; k < t.size(); ++k) {
      Dim& d = s[s.size() - t.size() + k];
      assert(d.n == 1 || t[k].n == 1 || d.n == t[k].n);
      if (d.n == 1) d = {t[k].n, t[k].grows || d.grows};
    }
  }
  return push({.op = op, .in = std::move(in), .shape = std::move(s)});
}

int Graph::view(int a, const Shape& to) { return push({.op = Op::view, .in = {a}, .shape = to}); }

int Graph::permute(int a, std::vector<long> order) {
  Shape s;
  bool same = true;
  for (std::size_t k = 0; k < order.size(); ++k) {
    s.push_back(shape(a)[std::size_t(order[k])]);
    same = same && order[k] == long(k);
  }
  return same ? a : push({.op = Op::permute, .in = {a}, .shape = s, .attr = std::move(order)});
}

int Graph::mm(int a, int b) {
  Shape s = shape(a);
  s.back() = shape(b).back();
  return push({.op = Op::mm, .in = {a, b}, .shape = std::move(s)});
}

int Graph::reduce(Op op, int a, std::vector<long> dims) {
  Shape s = shape(a);
  for (const long k : dims) s[std::size_t(k)] = Dim{};
  return push({.op = op, .in = {a}, .shape = std::move(s), .attr = std::move(dims)});
}

int Graph::expand(int a, const Shape& to) {
  if (shape(a) == to) return a;
  return push({.op = Op::expand, .in = {a}, .shape = to});
}

int Graph::slice(int a, long dim, long begin, Dim size, long step) {
  Shape s = shape(a);
  if (s[std::size_t(dim)].n == size.n && step == 1) return a;
  s[std::size_t(dim)] = size;
  return push({.op = Op::slice, .in = {a}, .shape = std::move(s), .attr = {dim, begin, step}});
}

int Graph::pad(int a, const Shape& to, long dim, long begin, long step) {
  return push({.op = Op::pad, .in = {a}, .shape = to, .attr = {dim, begin, step}});
}

}  // namespace spodnet::program
