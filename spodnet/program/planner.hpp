#pragma once

#include "spodnet/program/plan.hpp"

namespace spodnet::program {

/// Makes a Plan: orders the nodes, finds where each lies and writes the instructions.
class Planner {
 public:
  Planner(const Graph& graph, Plan::Order order, Plan& plan)
      : graph_(graph), order_(std::move(order)), plan_(plan), view_(order_.sources) {}
  void run();

 private:
  const Node& node(int a) const { return graph_.nodes[std::size_t(a)]; }
  std::vector<long> dims_of(int a) const;
  /// How often `a` is read by others than those of `inside`, its sinks included.
  bool read_outside(int a, const std::set<int>& inside) const;

  void find_needed();
  void give_stages();
  void order_stage(int stage);
  std::vector<int> chain_from(int first, const std::set<int>& left) const;

  void emit(int a);
  void emit_view(int a);
  void emit_joined(int a);
  void emit_product(int a);
  void emit_reduction(int a);
  void emit_solve(int a);
  void emit_chain(const std::vector<int>& group);
  void copy(const View& from, const View& to, bool adds);
  void push(Chain chain, const std::vector<View>& touched);
  void push(Instruction::Kind kind, std::size_t index, const std::vector<View>& touched);
  static void join_steps(Chain& chain, int loads);
  void give_slots(Chain& chain);

  View temporary(View view);  ///< with memory of its own
  View room(int a);           ///< its sink, or a temporary
  View number(double value);
  View dense(const View& view);  ///< itself, or a contiguous copy
  bool added_to_sink(int a, View& out);
  void fill_sinks(int stage);
  void place_temporaries();

  const Graph& graph_;
  Plan::Order order_;
  Plan& plan_;
  std::map<int, View> view_;
  std::set<int> needed_;
  std::map<int, int> stage_;  ///< of each needed node
  std::map<int, std::vector<int>> readers_;
  std::vector<long> temporary_size_;
  std::map<double, long> numbers_;
  std::vector<char> sink_done_;
};

/// Operands over the dims in the order in which `lead` lies, ones left out, neighbours merged where
/// all views (of these dims) allow it; at least one dim is left.
std::vector<Operand> run_over(const std::vector<long>& dims, const std::vector<View>& views,
                              const View& lead, std::vector<long>& merged);

}  // namespace spodnet::program
