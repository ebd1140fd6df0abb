// Pointwise chains of a plan.
#include <algorithm>

#include "spodnet/program/planner.hpp"

namespace spodnet::program {

std::vector<Operand> run_over(const std::vector<long>& dims, const std::vector<View>& views,
                              const View& lead, std::vector<long>& merged) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < dims.size(); ++k)
    if (dims[k] != 1) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t u, std::size_t v) { return lead.strides[u] > lead.strides[v]; });
  std::vector<Operand> all;
  for (const View& view : views) all.push_back({view.root, view.temporary, view.offset, {}});
  for (const std::size_t k : order) {
    bool merges = !merged.empty();
    for (std::size_t v = 0; merges && v < all.size(); ++v)
      merges = all[v].strides.back() == views[v].strides[k] * dims[k];
    if (!merges) merged.push_back(1);
    merged.back() *= dims[k];
    for (std::size_t v = 0; v < all.size(); ++v) {
      if (!merges) all[v].strides.push_back(0);
      all[v].strides.back() = views[v].strides[k];
    }
  }
  if (merged.empty()) {
    merged = {1};
    for (Operand& operand : all) operand.strides = {1};
  }
  return all;
}

void Planner::copy(const View& from, const View& to, bool adds) {
  Chain chain;
  chain.adds = adds;
  const std::vector<View> both{expanded(from, to.dims), to};
  std::vector<Operand> operands = run_over(to.dims, both, to, chain.dims);
  chain.loads = {operands[0]}, chain.stores = {operands[1]};
  chain.stored = {0};
  push(std::move(chain), both);
}

void Planner::emit_chain(const std::vector<int>& group) {
  const std::set<int> inside(group.begin(), group.end());
  const std::vector<long> dims = dims_of(group[0]);
  Chain chain;
  std::map<int, int> of;  // the register of each node
  std::vector<View> views;
  for (const int a : group)
    for (const int b : node(a).in)
      if (!inside.count(b) && of.try_emplace(b, int(views.size())).second)
        views.push_back(expanded(view_.at(b), dims));
  const std::size_t loads = views.size();
  for (std::size_t k = 0; k < group.size(); ++k) {
    const int a = group[k], own = int(loads + k);
    of[a] = own;
    PointStep step{.op = graph_.pointwise(a), .d = own};
    for (std::size_t j = 0; j < node(a).in.size(); ++j) step.in[j] = of.at(node(a).in[j]);
    chain.steps.push_back(step);
    if (read_outside(a, inside)) {
      views.push_back(room(a));
      chain.stored.push_back(own);
      view_[a] = views.back();
    }
  }
  join_steps(chain, int(loads));
  const View& lead = views.size() > loads ? views[loads] : views[0];
  std::vector<Operand> operands = run_over(dims, views, lead, chain.dims);
  chain.loads.assign(operands.begin(), operands.begin() + long(loads));
  chain.stores.assign(operands.begin() + long(loads), operands.end());
  push(std::move(chain), views);
}

/// a b + c, relu(a + b) and relu(a b + c) as one step each, where no other step reads what is
/// between.
void Planner::join_steps(Chain& chain, int loads) {
  std::vector<int> readers(std::size_t(loads) + chain.steps.size(), 0);
  for (const int r : chain.stored) readers[std::size_t(r)] = 2;
  for (const PointStep& step : chain.steps)
    for (const int r : step.in)
      if (r >= 0) ++readers[std::size_t(r)];
  constexpr Op kJoined[][3] = {{Op::add, Op::mul, Op::mul_add},
                               {Op::relu, Op::mul_add, Op::mul_add_relu},
                               {Op::relu, Op::add, Op::add_relu}};
  const auto joined = [&](PointStep& step, int k, Op inner, Op both) {
    const int r = step.in[k];
    if (r < loads || readers[std::size_t(r)] != 1) return;
    PointStep& before = chain.steps[std::size_t(r - loads)];
    if (before.op != inner) return;
    const int other = step.op == Op::add ? step.in[1 - k] : before.in[2];
    step = {both, step.d, {before.in[0], before.in[1], other}};
    before.d = -1;
  };
  for (PointStep& step : chain.steps)
    for (const auto& [outer, inner, both] : kJoined)
      for (int k = 0; k < 2; ++k)
        if (step.op == outer) joined(step, k, inner, both);
  std::vector<int> place(readers.size());
  int next = 0;
  for (int r = 0; r < int(place.size()); ++r)
    place[std::size_t(r)] = r < loads || chain.steps[std::size_t(r - loads)].d >= 0 ? next++ : -1;
  std::erase_if(chain.steps, [](const PointStep& step) { return step.d < 0; });
  const auto move = [&](int& r) { r = r < 0 ? r : place[std::size_t(r)]; };
  for (PointStep& step : chain.steps) {
    move(step.d);
    for (int& r : step.in) move(r);
  }
  for (int& r : chain.stored) move(r);
}

void Planner::push(Chain chain, const std::vector<View>& touched) {
  chain.n = 1;
  for (const long d : chain.dims) chain.n *= d;
  if (chain.n == 0) return;
  const bool by_rows = chain.dims.back() >= kLongRow;
  chain.row = by_rows ? chain.dims.back() : chain.n;
  for (auto* list : {&chain.loads, &chain.stores})
    for (Operand& operand : *list) {
      long step = 1;
      operand.flat = operand.scalar = true;
      for (std::size_t k = chain.dims.size(), first = by_rows ? k - 1 : 0; k-- > first;) {
        operand.flat = operand.flat && operand.strides[k] == step;
        operand.scalar = operand.scalar && operand.strides[k] == 0;
        step *= chain.dims[k];
      }
      operand.scalar = operand.scalar && !chain.steps.empty();
    }
  give_slots(chain);
  push(Instruction::Kind::chain, plan_.chains.size(), touched);
  plan_.chains.push_back(std::move(chain));
}

/// Blocks for what is gathered and for results, given to another after the last reader. What is
/// flat or one number is read where it lies.
void Planner::give_slots(Chain& chain) {
  const int loads = int(chain.loads.size());
  std::vector<int> last(std::size_t(loads) + chain.steps.size(), -1);
  for (std::size_t k = 0; k < chain.steps.size(); ++k)
    for (const int r : chain.steps[k].in)
      if (r >= 0) last[std::size_t(r)] = int(k);
  for (const int r : chain.stored) last[std::size_t(r)] = int(chain.steps.size());
  std::vector<int> free;
  int slots = 0;
  const auto take = [&] {
    if (free.empty()) return slots++;
    const int slot = free.back();
    free.pop_back();
    return slot;
  };
  for (Operand& operand : chain.loads)
    if (!operand.flat && !operand.scalar) operand.slot = take();
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    chain.slots.push_back(take());
    std::set<int> done;
    for (const int r : chain.steps[k].in) {
      if (r < 0 || last[std::size_t(r)] != int(k) || !done.insert(r).second) continue;
      const int slot =
          r < loads ? chain.loads[std::size_t(r)].slot : chain.slots[std::size_t(r - loads)];
      if (slot >= 0) free.push_back(slot);
    }
  }
  plan_.slots = std::max(plan_.slots, slots);
}

}  // namespace spodnet::program
