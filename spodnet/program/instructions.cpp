// The instructions of a plan that are no chains.
#include <algorithm>
#include <cassert>

#include "spodnet/program/planner.hpp"

namespace spodnet::program {

View Planner::temporary(View view) {
  long size = 1;
  for (const long d : view.dims) size *= d;
  view.temporary = int(temporary_size_.size());
  temporary_size_.push_back(size);
  return view;
}

View Planner::room(int a) {
  for (std::size_t k = 0; k < order_.sinks.size(); ++k)
    if (order_.sinks[k].node == a && !order_.sinks[k].adds && !sink_done_[k]) {
      sink_done_[k] = 1;
      return order_.sinks[k].view;
    }
  return temporary(entries_innermost(kTemporary, 0, graph_.shape(a)));
}

View Planner::number(double value) {
  const auto [found, fresh] = numbers_.try_emplace(value, long(plan_.numbers.size()));
  if (fresh) plan_.numbers.push_back(value);
  return {.root = kNumbers, .offset = found->second};
}

View Planner::dense(const View& view) {
  if (is_contiguous(view)) return view;
  Shape shape;
  for (const long d : view.dims) shape.push_back({d});
  const View out = temporary(contiguous(kTemporary, 0, shape));
  copy(view, out, false);
  return out;
}

void Planner::emit(int a) {
  switch (node(a).op) {
    case Op::constant:
      view_[a] = number(node(a).value);
      break;
    case Op::mm:
      emit_product(a);
      break;
    case Op::sum:
    case Op::amax:
      emit_reduction(a);
      break;
    case Op::cat:
    case Op::pad:
      emit_joined(a);
      break;
    case Op::solve:
    case Op::solve_back:
      emit_solve(a);
      break;
    default:
      emit_view(a);
  }
}

void Planner::emit_view(int a) {
  const Node& n = node(a);
  const View x = view_.at(n.in[0]);
  const std::vector<long> dims = dims_of(a);
  View view = x;
  view.dims = dims;
  if (n.op == Op::permute) {
    for (std::size_t k = 0; k < dims.size(); ++k)
      view.strides[k] = x.strides[std::size_t(n.attr[k])];
  } else if (n.op == Op::expand) {
    view = expanded(x, dims);
  } else if (n.op == Op::slice) {
    const auto dim = std::size_t(n.attr[0]);
    view.offset += n.attr[1] * x.strides[dim];
    view.strides[dim] *= n.attr[2];
  } else if (n.op == Op::unfold) {
    const auto dim = std::size_t(n.attr[0]);
    view.strides.push_back(x.strides[dim]);
    view.strides[dim] *= n.attr[1];
  } else if (!viewed(x, dims, view)) {
    view = dense(x);
    if (count(graph_.shape(a)) > 0 && !viewed(view, dims, view)) assert(false);
    view.dims = dims;
    view.strides.resize(dims.size());
  }
  view_[a] = std::move(view);
}

void Planner::emit_joined(int a) {
  const Node& n = node(a);
  const auto dim = std::size_t(n.attr[0]);
  const View whole = room(a);
  if (n.op == Op::pad) copy(expanded(number(0), whole.dims), whole, false);
  long at = n.op == Op::pad ? n.attr[1] : 0;
  const long step = n.op == Op::pad ? n.attr[2] : 1;
  for (const int b : n.in) {
    View part = whole;
    part.offset += at * whole.strides[dim];
    part.strides[dim] *= step;
    part.dims = dims_of(b);
    copy(view_.at(b), part, false);
    at += part.dims[dim];
  }
  view_[a] = whole;
}

/// Whether the gradient of weights that a product or sum is (a matrix: perhaps turned) can be added
/// where it belongs by the instruction itself.
bool Planner::added_to_sink(int a, View& out) {
  const auto found = readers_.find(a);
  const std::size_t readers = found == readers_.end() ? 0 : found->second.size();
  if (readers > 1) return false;
  int goal = a;
  if (readers == 1) goal = found->second[0];
  if (goal != a && (node(goal).op != Op::permute || readers_.count(goal))) return false;
  int sinks = 0;
  std::size_t chosen = 0;
  for (std::size_t k = 0; k < order_.sinks.size(); ++k)
    if (order_.sinks[k].node == goal || order_.sinks[k].node == a) ++sinks, chosen = k;
  if (sinks != 1 || !order_.sinks[chosen].adds || order_.sinks[chosen].node != goal) return false;
  out = order_.sinks[chosen].view;
  if (goal != a) {
    std::swap(out.dims[0], out.dims[1]);
    std::swap(out.strides[0], out.strides[1]);
  }
  sink_done_[chosen] = 1;
  return true;
}

void Planner::emit_product(int a) {
  const Node& n = node(a);
  Product p;
  p.A = view_.at(n.in[0]);
  p.B = view_.at(n.in[1]);
  p.adds = added_to_sink(a, p.C);
  if (!p.adds) p.C = room(a);
  const std::vector<long> dims = dims_of(a);
  const std::size_t r = dims.size();
  p.batch.assign(dims.begin(), dims.end() - 2);
  p.M = dims[r - 2], p.N = dims[r - 1], p.K = p.A.dims[r - 1];
  p.am = p.A.strides[r - 2], p.ak = p.A.strides[r - 1];
  p.bk = p.B.strides[r - 2], p.bn = p.B.strides[r - 1];
  p.cm = p.C.strides[r - 2], p.cn = p.C.strides[r - 1];
  if (p.K == 1) p.ak = p.bk = 1;
  if (p.N == 1) p.cn = p.cm == 1 ? 0 : 1;
  if (p.M == 1) p.cm = p.cn == 1 ? 0 : 1;
  view_[a] = p.C;
  push(Instruction::Kind::product, plan_.products.size(), {p.A, p.B, p.C});
  plan_.products.push_back(std::move(p));
}

void Planner::emit_reduction(int a) {
  const View from = view_.at(node(a).in[0]);
  Reduction r{.results = count(graph_.shape(a)), .largest = node(a).op == Op::amax};
  View to;
  r.adds = !r.largest && added_to_sink(a, to);
  if (!r.adds) to = room(a);
  view_[a] = to;
  const std::vector<View> both{from, expanded(to, from.dims)};
  std::vector<Operand> operands = run_over(from.dims, both, from, r.dims);
  r.from = std::move(operands[0]), r.to = std::move(operands[1]);
  push(Instruction::Kind::reduction, plan_.reductions.size(), both);
  plan_.reductions.push_back(std::move(r));
}

void Planner::emit_solve(int a) {
  const Node& n = node(a);
  SolveCall s;
  s.backward = n.op == Op::solve_back;
  s.h = s.x = dense(view_.at(n.in[0]));
  if (s.backward) s.x = dense(view_.at(n.in[1]));
  s.out = room(a);
  if (!is_contiguous(s.out)) s.out = temporary(contiguous(kTemporary, 0, n.shape));
  view_[a] = s.out;
  push(Instruction::Kind::solve, plan_.solves.size(), {s.x, s.h, s.out});
  plan_.solves.push_back(std::move(s));
}

void Planner::push(Instruction::Kind kind, std::size_t index, const std::vector<View>& touched) {
  Instruction i{kind, int(index), {}};
  for (const View& view : touched)
    if (view.root == kTemporary) i.temporaries.push_back(view.temporary);
  plan_.code.push_back(std::move(i));
}

}  // namespace spodnet::program
