// What is computed when, and where it lies.
#include "spodnet/program/planner.hpp"

#include <algorithm>
#include <cassert>

namespace spodnet::program {
namespace {

/// The same numbers with other dims, where strides allow it.
bool viewed(const View& from, const std::vector<long>& to, View& out) {
  std::vector<long> dims, strides;  // without ones, neighbours merged
  for (std::size_t k = 0; k < from.dims.size(); ++k) {
    if (from.dims[k] == 1) continue;
    if (!dims.empty() && strides.back() == from.strides[k] * from.dims[k]) {
      dims.back() *= from.dims[k];
      strides.back() = from.strides[k];
    } else {
      dims.push_back(from.dims[k]);
      strides.push_back(from.strides[k]);
    }
  }
  out = from;
  out.dims = to;
  out.strides.assign(to.size(), 0);
  std::size_t at = dims.size();
  long rest = 1, step = 0;
  for (std::size_t k = to.size(); k-- > 0;) {
    if (to[k] == 1) continue;
    if (rest == 1) {
      if (at == 0) return false;
      --at;
      rest = dims[at];
      step = strides[at];
    }
    if (to[k] == 0 || rest % to[k] != 0) return false;
    out.strides[k] = step;
    step *= to[k];
    rest /= to[k];
  }
  return rest == 1 && at == 0;
}

View expanded(View view, const std::vector<long>& to) {
  const std::size_t more = to.size() - view.dims.size();
  view.dims.insert(view.dims.begin(), more, 1);
  view.strides.insert(view.strides.begin(), more, 0);
  for (std::size_t k = 0; k < to.size(); ++k)
    if (view.dims[k] == 1 && to[k] != 1) view.strides[k] = 0;
  view.dims = to;
  return view;
}

bool is_contiguous(const View& view) {
  long step = 1;
  for (std::size_t k = view.dims.size(); k-- > 0;) {
    if (view.dims[k] != 1 && view.strides[k] != step) return false;
    step *= view.dims[k];
  }
  return true;
}

}  // namespace

View contiguous(int root, long offset, const Shape& shape) {
  View view{.root = root, .offset = offset, .strides = std::vector<long>(shape.size(), 0)};
  long step = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    view.strides[k] = shape[k].n == 1 ? 0 : step;
    step *= shape[k].n;
  }
  for (const Dim d : shape) view.dims.push_back(d.n);
  return view;
}

View entries_innermost(int root, long offset, const Shape& shape) {
  View view{.root = root, .offset = offset, .strides = std::vector<long>(shape.size(), 0)};
  long step = 1;
  for (const bool grows : {true, false})
    for (std::size_t k = shape.size(); k-- > 0;)
      if (shape[k].grows == grows) {
        view.strides[k] = shape[k].n == 1 ? 0 : step;
        step *= shape[k].n;
      }
  for (const Dim d : shape) view.dims.push_back(d.n);
  return view;
}

Plan::Plan(const Graph& graph, Order order) { Planner(graph, std::move(order), *this).run(); }

void Planner::run() {
  sink_done_.assign(order_.sinks.size(), 0);
  find_needed();
  for (int stage = 0; stage < order_.stages; ++stage) {
    order_stage(stage);
    fill_sinks(stage);
    plan_.stage_end.push_back(plan_.code.size());
  }
  place_temporaries();
  for (Chain& chain : plan_.chains) plan_.slots = std::max(plan_.slots, int(chain.slots.size()));
}

void Planner::find_needed() {
  std::vector<char> wanted(graph_.nodes.size(), 0);
  for (const Sink& sink : order_.sinks) wanted[std::size_t(sink.node)] = 1;
  for (const int a : order_.also) wanted[std::size_t(a)] = 1;
  for (int a = int(graph_.nodes.size()) - 1; a >= 0; --a) {
    if (!wanted[std::size_t(a)] || view_.count(a)) continue;
    needed_.insert(a);
    for (const int b : node(a).in) wanted[std::size_t(b)] = 1;
  }
  for (const int a : needed_)
    for (const int b : node(a).in) readers_[b].push_back(a);
  give_stages();
}

/// As late as the readers allow; what is to be put somewhere, as soon as it can be.
void Planner::give_stages() {
  std::set<int> wanted(order_.also.begin(), order_.also.end());
  for (const Sink& sink : order_.sinks) wanted.insert(sink.node);
  for (auto a = needed_.rbegin(); a != needed_.rend(); ++a) {
    int stage = wanted.count(*a) ? order_.stage_of(*a) : order_.stages - 1;
    if (const auto found = readers_.find(*a); found != readers_.end())
      for (const int reader : found->second) stage = std::min(stage, stage_.at(reader));
    stage_[*a] = stage;
  }
}

std::vector<long> Planner::dims_of(int a) const {
  std::vector<long> dims;
  for (const Dim d : graph_.shape(a)) dims.push_back(d.n);
  return dims;
}

bool Planner::read_outside(int a, const std::set<int>& inside) const {
  const auto found = readers_.find(a);
  if (found != readers_.end())
    for (const int reader : found->second)
      if (!inside.count(reader)) return true;
  return std::any_of(order_.sinks.begin(), order_.sinks.end(),
                     [&](const Sink& sink) { return sink.node == a; });
}

/// What is no chain as soon as it can be; then the longest chain that is ready.
void Planner::order_stage(int stage) {
  std::set<int> left;
  for (const int a : needed_)
    if (stage_.at(a) == stage) left.insert(a);
  const auto ready = [&](int a) {
    return std::none_of(node(a).in.begin(), node(a).in.end(),
                        [&](int b) { return left.count(b) != 0; });
  };
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(),
                                   [&](int a) { return !is_pointwise(node(a).op) && ready(a); });
    if (next != left.end()) {
      emit(*next);
      left.erase(next);
      continue;
    }
    const std::vector<int> group = chain_from(*std::find_if(left.begin(), left.end(), ready), left);
    emit_chain(group);
    for (const int a : group) left.erase(a);
  }
}

/// All pointwise nodes of one shape that read nothing but ready ones and each other.
std::vector<int> Planner::chain_from(int first, const std::set<int>& left) const {
  std::vector<int> group;
  std::set<int> inside;
  for (auto a = left.find(first); a != left.end() && group.size() < kLongestChain; ++a) {
    const Node& n = node(*a);
    if (!is_pointwise(n.op) || !(n.shape == graph_.shape(first))) continue;
    const bool fits = std::all_of(n.in.begin(), n.in.end(),
                                  [&](int b) { return !left.count(b) || inside.count(b); });
    if (!fits) continue;
    group.push_back(*a);
    inside.insert(*a);
  }
  return group;
}

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
  if (fresh) plan_.numbers.insert(plan_.numbers.end(), std::size_t(kBlockEntries), value);
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

/// Whether the gradient of weights that product a is (perhaps turned) can be added where it
/// belongs by the product itself.
bool Planner::sink_of_product(int a, View& out) {
  if (graph_.shape(a).size() != 2) return false;
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
  p.adds = sink_of_product(a, p.C);
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
  push(Instruction::Kind::product, plan_.products.size(), {&p.A, &p.B, &p.C});
  plan_.products.push_back(std::move(p));
}

void Planner::emit_reduction(int a) {
  Reduction r{view_.at(node(a).in[0]), room(a), node(a).op == Op::amax};
  view_[a] = r.to;
  push(Instruction::Kind::reduction, plan_.reductions.size(), {&r.from, &r.to});
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
  push(Instruction::Kind::solve, plan_.solves.size(), {&s.x, &s.h, &s.out});
  plan_.solves.push_back(std::move(s));
}

void Planner::push(Instruction::Kind kind, std::size_t index,
                   const std::vector<const View*>& touched) {
  Instruction i{kind, int(index), {}};
  for (const View* view : touched)
    if (view->root == kTemporary) i.temporaries.push_back(view->temporary);
  plan_.code.push_back(std::move(i));
}

/// What is left of the sinks of a stage: copies.
void Planner::fill_sinks(int stage) {
  for (std::size_t k = 0; k < order_.sinks.size(); ++k) {
    const Sink& sink = order_.sinks[k];
    if (sink_done_[k] || order_.stage_of(sink.node) != stage) continue;
    copy(view_.at(sink.node), sink.view, sink.adds);
    sink_done_[k] = 1;
  }
}

/// Offsets in the arena: each temporary in the first gap among those that live with it.
void Planner::place_temporaries() {
  const std::size_t n = temporary_size_.size();
  std::vector<std::size_t> first(n, SIZE_MAX), last(n, 0);
  for (std::size_t k = 0; k < plan_.code.size(); ++k)
    for (const int t : plan_.code[k].temporaries) {
      first[std::size_t(t)] = std::min(first[std::size_t(t)], k);
      last[std::size_t(t)] = k;
    }
  std::vector<long> offset(n, 0);
  std::map<long, std::pair<long, std::size_t>> live;  // by offset: its end, last reader
  for (std::size_t k = 0; k < plan_.code.size(); ++k) {
    for (const int t : plan_.code[k].temporaries) {
      if (first[std::size_t(t)] != k) continue;
      first[std::size_t(t)] = SIZE_MAX;  // named twice by one instruction
      const long size = (temporary_size_[std::size_t(t)] + 7) / 8 * 8 + 8;
      long at = 0;
      for (const auto& [begin, rest] : live) {
        if (at + size <= begin) break;
        at = std::max(at, rest.first);
      }
      offset[std::size_t(t)] = at;
      live[at] = {at + size, last[std::size_t(t)]};
      plan_.arena = std::max(plan_.arena, at + size);
    }
    std::erase_if(live, [&](const auto& each) { return each.second.second <= k; });
  }
  const auto set = [&](auto& where) {
    if (where.root == kTemporary) where.offset += offset[std::size_t(where.temporary)];
  };
  for (Chain& chain : plan_.chains)
    for (auto* list : {&chain.loads, &chain.stores})
      for (Operand& operand : *list) set(operand);
  for (Product& p : plan_.products) set(p.A), set(p.B), set(p.C);
  for (Reduction& r : plan_.reductions) set(r.from), set(r.to);
  for (SolveCall& s : plan_.solves) set(s.x), set(s.h), set(s.out);
}

}  // namespace spodnet::program
