// Shapes of a program's nodes, for any B and p.
#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/program/program.hpp"

namespace spodnet {

using program::Op;

namespace {

constexpr Size kOne{1};

/// Whether two shapes have equally many numbers at any B and p: as polynomials they are of low
/// degree, so a few points decide.
bool same_count(const std::vector<Size>& s, const std::vector<Size>& t) {
  const auto numbers = [](const std::vector<Size>& shape, long B, long p) {
    double n = 1;
    for (const Size& size : shape) n *= double(size.at(B, p));
    return n;
  };
  for (const long B : {1, 2, 3, 5, 11})
    for (const long p : {2, 3, 4, 7, 13, 29})
      if (numbers(s, B, p) != numbers(t, B, p)) return false;
  return true;
}

void check_size(const Size& size) {
  for (const long x : {size.a, size.b, size.c, size.d})
    if (x < -Program::kLargestSize || x > Program::kLargestSize)
      throw Error("a size is beyond all bounds: correct it");
}

/// Dims that a node names, each once and one of its operand's.
void check_dims(const ProgramNode& node, std::size_t rank) {
  std::vector<long> dims = node.dims;
  std::sort(dims.begin(), dims.end());
  for (std::size_t k = 0; k < dims.size(); ++k)
    if (dims[k] < 0 || dims[k] >= long(rank) || (k > 0 && dims[k] == dims[k - 1]))
      throw Error("'dims' must name different dims from 0 to " + std::to_string(long(rank) - 1));
}

std::vector<Size> broadcast(const std::vector<std::vector<Size>>& shapes) {
  std::vector<Size> s;
  for (const std::vector<Size>& t : shapes) {
    if (t.size() > s.size()) s.insert(s.begin(), t.size() - s.size(), kOne);
    for (std::size_t k = 0; k < t.size(); ++k) {
      Size& size = s[s.size() - t.size() + k];
      if (size == kOne)
        size = t[k];
      else if (!(t[k] == kOne) && !(t[k] == size))
        throw Error("its operands' shapes do not broadcast");
    }
  }
  return s;
}

}  // namespace

/// Where p is fixed, sizes know no p.
Size Program::fixed(Size size) const {
  if (p_ == 0) return size;
  return {size.a + size.c * long(p_), size.b + size.d * long(p_), 0, 0};
}

void Program::infer(ProgramNode& node) const {
  for (Size& size : node.shape) check_size(size = fixed(size));
  for (Size* size : {&node.begin, &node.length}) check_size(*size = fixed(*size));
  const int wanted = operands(node.op);
  if (wanted >= 0 ? node.in.size() != std::size_t(wanted) : node.in.empty())
    throw Error("needs " + (wanted < 0 ? "at least 1" : std::to_string(wanted)) + " operands");
  if (is_pointwise(node.op)) {
    std::vector<std::vector<Size>> shapes;
    for (const int a : node.in) shapes.push_back(nodes_[std::size_t(a)].shape);
    node.shape = broadcast(shapes);
  } else if (node.op <= Op::row) {
    infer_leaf(node);
  } else if (node.op == Op::mm) {
    infer_mm(node);
  } else if (node.op == Op::solve) {
    const std::vector<Size>& x = nodes_[std::size_t(node.in[0])].shape;
    const std::vector<Size> full{Size{0, 1}, fixed({0, 0, 1})}, compact{full[0], fixed({-1, 0, 1})};
    if (x != (full_width_ ? full : compact))
      throw Error("solves for a vector as wide as those that f reads");
    node.shape = x;
  } else {
    infer_moved(node);
  }
  for (const Size& size : node.shape) check_size(size);
}

void Program::infer_leaf(ProgramNode& node) const {
  const Size B{0, 1}, p = fixed({0, 0, 1}), less = fixed({-1, 0, 1});
  if (node.op == Op::constant) {
    if (node.of) node.of = fixed(*node.of);
    if (node.over) node.over = fixed(*node.over);
    node.shape.clear();
  } else if (node.op == Op::row) {
    const ProgramNode& table = nodes_[std::size_t(node.in[0])];
    if (table.op != Op::weight || table.shape.empty())
      throw Error("needs a weight of at least one dim: its row is read");
    node.shape = table.shape;
    node.shape[0] = kOne;
  } else if (node.op == Op::weight) {
    for (const Size& size : node.shape)
      if (size.b != 0 || size.d != 0) throw Error("a weight's shape may not depend on B");
    if (node.name.empty() || node.name.size() > 200 ||
        !std::all_of(node.name.begin(), node.name.end(), [](char c) { return c > ' ' && c < 127; }))
      throw Error("a weight needs a short name, of letters, digits, points and the like");
    for (const ProgramNode& other : nodes_)
      if (other.op == Op::weight && other.name == node.name)
        throw Error("there are two weights " + shown(node.name) + ": rename one");
  } else {
    const std::string& name = node.name;
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* x) { return name == x; });
    };
    if (is({"theta_12", "w_12", "s_12"}))
      node.shape = {B, less};
    else if (is({"theta", "w", "s", "diag_Theta", "diag_S"}))
      node.shape = {B, p};
    else if (is({"theta_22", "w_22", "s_22", "n", "q"}))
      node.shape = {B, kOne};
    else if (name == "index")
      node.shape = {B};
    else if (name == "z")
      node.shape = {B, full_width_ ? p : less};
    else if (!name.starts_with("context") || name.size() > 10)
      throw Error("there is no input " + shown(name));
    for (const ProgramNode& other : nodes_)
      if (other.op == Op::in && other.name == name)
        throw Error("the input " + shown(name) + " is there twice");
  }
}

void Program::infer_mm(ProgramNode& node) const {
  const std::vector<Size>&a = nodes_[std::size_t(node.in[0])].shape,
        &b = nodes_[std::size_t(node.in[1])].shape;
  if (a.size() < 2 || b.size() < 2) throw Error("multiplies matrices: give two dims at least");
  if (!(a[a.size() - 1] == b[b.size() - 2]))
    throw Error("the columns of the first are not the rows of the second");
  node.shape = broadcast({{a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}});
  node.shape.insert(node.shape.end(), {a[a.size() - 2], b.back()});
}

void Program::infer_moved(ProgramNode& node) const {
  const std::vector<Size> x = nodes_[std::size_t(node.in[0])].shape;
  if (node.op != Op::view && node.op != Op::expand) check_dims(node, x.size());
  const bool one_dim =
      node.op == Op::slice || node.op == Op::cat || node.op == Op::pad || node.op == Op::unfold;
  if (one_dim && node.dims.size() != 1) throw Error("needs 'dim'");
  if (node.step < 1 || node.step > kLargestSize) throw Error("'step' is at least 1");
  const std::size_t dim = one_dim ? std::size_t(node.dims[0]) : 0;
  std::vector<Size> s = x;
  switch (node.op) {
    case Op::sum:
    case Op::amax:
      for (const long k : node.dims) s[std::size_t(k)] = kOne;
      break;
    case Op::view:
      if (!same_count(x, node.shape)) throw Error("has other numbers than what it views");
      return;
    case Op::expand:
      if (node.shape.size() < x.size()) throw Error("has fewer dims than what it expands");
      for (std::size_t k = 0; k < x.size(); ++k)
        if (const Size& to = node.shape[node.shape.size() - x.size() + k];
            !(x[k] == kOne) && !(x[k] == to))
          throw Error("expands a dim that is not 1");
      return;
    case Op::permute:
      if (node.dims.size() != x.size()) throw Error("needs an order of all dims");
      for (std::size_t k = 0; k < x.size(); ++k) s[k] = x[std::size_t(node.dims[k])];
      break;
    case Op::slice:
    case Op::pad:
      s[dim] = node.length;
      break;
    case Op::cat: {
      Size total;
      for (const int b : node.in) {
        std::vector<Size> t = nodes_[std::size_t(b)].shape;
        if (t.size() != x.size()) throw Error("joins nodes of different numbers of dims");
        total.a += t[dim].a, total.b += t[dim].b, total.c += t[dim].c, total.d += t[dim].d;
        t[dim] = x[dim];
        if (t != x) throw Error("joins nodes whose other dims differ");
      }
      s[dim] = total;
      break;
    }
    case Op::unfold:
      if (node.length.grows()) throw Error("windows have a length that is a number");
      if (node.step == 1) {
        s[dim].a -= node.length.a - 1;
      } else if (!x[dim].grows()) {
        s[dim].a = (x[dim].a - node.length.a) / node.step + 1;
      } else {
        throw Error("windows with a step need a dim of a fixed size");
      }
      if (node.length.a < 1 || node.length.a > 4096) throw Error("windows have 1 to 4096 entries");
      s.push_back(node.length);
      break;
    default:
      break;
  }
  node.shape = std::move(s);
}

}  // namespace spodnet
