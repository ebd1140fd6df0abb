#include "spodnet/program/graph.hpp"

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
  const auto [found, fresh] = known_.try_emplace(key_of(node), int(nodes.size()));
  if (fresh) nodes.push_back(std::move(node));
  return found->second;
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

int Graph::view(int a, const Shape& to) {
  if (shape(a) == to) return a;
  return push({.op = Op::view, .in = {a}, .shape = to});
}

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
