// What is computed when, and where it lies.
#include "spodnet/program/planner.hpp"

#include <algorithm>
#include <cassert>

namespace spodnet::program {
Plan::Plan(const Graph& graph, Order order) { Planner(graph, std::move(order), *this).run(); }

void Planner::run() {
  for (Sink& sink : order_.sinks)  // what is viewed can be put there itself
    for (const Node* n = &node(sink.node); n->op == Op::view; n = &node(sink.node)) {
      sink.node = n->in[0];
      sink.view = contiguous(sink.view.root, sink.view.offset, graph_.shape(sink.node));
    }
  sink_done_.assign(order_.sinks.size(), 0);
  find_needed();
  for (int stage = 0; stage < order_.stages; ++stage) {
    order_stage(stage);
    fill_sinks(stage);
    plan_.stage_end.push_back(plan_.code.size());
  }
  place_temporaries();
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
                                   [&](int a) { return !graph_.is_point(a) && ready(a); });
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
    if (!graph_.is_point(*a) || !(n.shape == graph_.shape(first))) continue;
    const bool fits = std::all_of(n.in.begin(), n.in.end(),
                                  [&](int b) { return !left.count(b) || inside.count(b); });
    if (!fits) continue;
    group.push_back(*a);
    inside.insert(*a);
  }
  return group;
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
