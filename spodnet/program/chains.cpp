// Pointwise chains of a plan.
#include <algorithm>

#include "spodnet/program/planner.hpp"

namespace spodnet::program {

void Planner::copy(const View& from, const View& to, bool adds) {
  Chain chain;
  chain.adds = adds;
  View source = from;
  const std::size_t more = to.dims.size() - from.dims.size();
  source.strides.insert(source.strides.begin(), more, 0);
  source.dims = to.dims;
  run_over(chain, to.dims, {source}, {to});
  chain.stored = {0};
  push(std::move(chain), {source, to});
}

void Planner::emit_chain(const std::vector<int>& group) {
  const std::set<int> inside(group.begin(), group.end());
  const std::vector<long> dims = dims_of(group[0]);
  Chain chain;
  std::map<int, int> of;  // the register of each node
  std::vector<View> loads, stores;
  for (const int a : group)
    for (const int b : node(a).in) {
      if (inside.count(b) || !of.try_emplace(b, int(loads.size())).second) continue;
      View view = view_.at(b);
      const std::size_t more = dims.size() - view.dims.size();
      view.dims.insert(view.dims.begin(), more, 1);
      view.strides.insert(view.strides.begin(), more, 0);
      for (std::size_t k = 0; k < dims.size(); ++k)
        if (view.dims[k] == 1) view.strides[k] = 0;
      view.dims = dims;
      loads.push_back(std::move(view));
    }
  for (std::size_t k = 0; k < group.size(); ++k) {
    const int a = group[k], own = int(loads.size() + k);
    of[a] = own;
    PointStep step{node(a).op, own, -1, -1, -1};
    int* operand[] = {&step.a, &step.b, &step.c};
    for (std::size_t j = 0; j < node(a).in.size(); ++j) *operand[j] = of.at(node(a).in[j]);
    chain.steps.push_back(step);
    if (read_outside(a, inside)) {
      stores.push_back(room(a));
      chain.stored.push_back(own);
      view_[a] = stores.back();
    }
  }
  run_over(chain, dims, loads, stores);
  std::vector<View> touched = loads;
  touched.insert(touched.end(), stores.begin(), stores.end());
  push(std::move(chain), touched);
}

void Planner::push(Chain chain, const std::vector<View>& touched) {
  if (chain.n == 0) return;
  give_slots(chain);
  std::vector<const View*> views;
  for (const View& view : touched) views.push_back(&view);
  push(Instruction::Kind::chain, plan_.chains.size(), views);
  plan_.chains.push_back(std::move(chain));
}

/// The dims in the order in which the first store lies, ones left out, neighbours merged where all
/// operands allow it.
void Planner::run_over(Chain& chain, const std::vector<long>& dims, const std::vector<View>& loads,
                       const std::vector<View>& stores) const {
  std::vector<const View*> all;
  for (const View& view : loads) all.push_back(&view);
  for (const View& view : stores) all.push_back(&view);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < dims.size(); ++k)
    if (dims[k] != 1) order.push_back(k);
  const View& lead = stores.empty() ? loads[0] : stores[0];
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t u, std::size_t v) { return lead.strides[u] > lead.strides[v]; });
  std::vector<std::vector<long>> strides(all.size());
  for (const std::size_t k : order) {
    bool merges = !chain.dims.empty();
    for (std::size_t v = 0; merges && v < all.size(); ++v)
      merges = strides[v].back() == all[v]->strides[k] * dims[k];
    for (std::size_t v = 0; v < all.size(); ++v) {
      if (merges)
        strides[v].back() = all[v]->strides[k];
      else
        strides[v].push_back(all[v]->strides[k]);
    }
    if (merges)
      chain.dims.back() *= dims[k];
    else
      chain.dims.push_back(dims[k]);
  }
  if (chain.dims.empty()) {
    chain.dims = {1};
    for (auto& s : strides) s = {1};
  }
  chain.n = 1;
  for (const long d : chain.dims) chain.n *= d;
  for (std::size_t v = 0; v < all.size(); ++v) {
    Operand operand{all[v]->root, all[v]->temporary, all[v]->offset, strides[v]};
    long step = 1;
    operand.flat = operand.scalar = true;
    for (std::size_t k = chain.dims.size(); k-- > 0;) {
      operand.flat = operand.flat && operand.strides[k] == step;
      operand.scalar = operand.scalar && operand.strides[k] == 0;
      step *= chain.dims[k];
    }
    if (operand.root == kNumbers) operand.scalar = true, operand.flat = false;
    (v < loads.size() ? chain.loads : chain.stores).push_back(std::move(operand));
  }
}

/// Blocks for what is gathered and for results, given to another after the last reader. What is
/// flat or a constant is read where it lies.
void Planner::give_slots(Chain& chain) {
  const int loads = int(chain.loads.size());
  std::vector<int> last(std::size_t(loads) + chain.steps.size(), -1);
  for (std::size_t k = 0; k < chain.steps.size(); ++k)
    for (const int r : {chain.steps[k].a, chain.steps[k].b, chain.steps[k].c})
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
    if (!operand.flat && operand.root != kNumbers) operand.slot = take();
  for (std::size_t k = 0; k < chain.steps.size(); ++k) {
    chain.slots.push_back(take());
    std::set<int> done;
    for (const int r : {chain.steps[k].a, chain.steps[k].b, chain.steps[k].c}) {
      if (r < 0 || last[std::size_t(r)] != int(k) || !done.insert(r).second) continue;
      const int slot =
          r < loads ? chain.loads[std::size_t(r)].slot : chain.slots[std::size_t(r - loads)];
      const bool once = r < loads && chain.loads[std::size_t(r)].scalar;  // filled before the loop
      if (slot >= 0 && !once) free.push_back(slot);
    }
  }
  plan_.slots = std::max(plan_.slots, slots);
}

}  // namespace spodnet::program
