#include "spodnet/program/column_program.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"

namespace spodnet {

using program::Graph;
using program::Op;
using program::Plan;
using program::View;

namespace {

bool of_S(const std::string& name) {
  return name == "s_12" || name == "s" || name == "s_22" || name == "diag_S";
}

}  // namespace

ColumnProgram::ColumnProgram(const Program& program, std::size_t B, std::size_t p,
                             const Options& options)
    : B_(B),
      p_(p),
      width_(program.full_width() ? p : p - 1),
      has_threshold_(program.threshold() >= 0),
      solves_(program.has(Op::solve)) {
  Graph graph = program.at(B, p);
  find_inputs(program, graph);
  find_weights(program, graph);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const std::string& name = inputs_[k].name;
    inputs_[k].has_adjoint =
        options.backward && name != "n" && name != "index" && (options.covariance || !of_S(name));
  }
  plan(program, graph, options);
}

int ColumnProgram::input(const std::string& name) const {
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    if (inputs_[k].name == name) return int(k);
  return -1;
}

void ColumnProgram::find_inputs(const Program& program, const Graph& graph) {
  for (const int a : program.inputs()) {
    const int node = graph.places[std::size_t(a)];
    inputs_.push_back({program.nodes()[std::size_t(a)].name,
                       std::size_t(program::count(graph.shape(node))), false});
    input_nodes_.push_back(node);
  }
}

void ColumnProgram::find_weights(const Program& program, const Graph& graph) {
  for (const int a : program.weights()) {
    const int node = graph.places[std::size_t(a)];
    const auto size = std::size_t(program::count(graph.shape(node)));
    weight_nodes_.push_back({node, weights_, size, program.nodes()[std::size_t(a)].fixed});
    weights_ += size;
  }
  for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
    if (graph.nodes[a].op != Op::row) continue;
    const int table = graph.nodes[a].in[0];
    const long rows = graph.shape(table)[0].n;
    if (rows < long(p_))
      throw Error("a row of a table with " + std::to_string(rows) + " rows is read, p is " +
                  std::to_string(p_) + ": the table needs p rows");
    for (const Weight& w : weight_nodes_)
      if (w.node == table) rows_.push_back({int(a), w.offset, w.size / std::size_t(rows), w.fixed});
  }
}

/// Of each node the first stage in which it can be computed: first[k] is known in stage k.
std::vector<int> ColumnProgram::stages_of(const Graph& graph, const std::vector<int>& first) const {
  std::vector<int> stage(graph.nodes.size(), 0);
  for (std::size_t a = 0; a < graph.nodes.size(); ++a) {
    for (const int b : graph.nodes[a].in) stage[a] = std::max(stage[a], stage[std::size_t(b)]);
    for (std::size_t k = 0; k < first.size(); ++k)
      if (first[k] == int(a)) stage[a] = int(k);
  }
  return stage;
}

/// Where leaves lie, and what the forward is to give.
Plan::Order ColumnProgram::forward_order(const Graph& graph, const Answers& answers) const {
  Plan::Order order{.stages = 3};
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const int a = input_nodes_[k];
    order.sources[a] = contiguous(program::kFirstField + int(k), 0, graph.shape(a));
  }
  for (const Weight& w : weight_nodes_)
    order.sources[w.node] = contiguous(program::kWeights, long(w.offset), graph.shape(w.node));
  for (std::size_t k = 0; k < rows_.size(); ++k)
    order.sources[rows_[k].node] = contiguous(row_root(int(k)), 0, graph.shape(rows_[k].node));
  for (int k = 0; k < 3; ++k)
    if (const int a = answers[std::size_t(k)]; a >= 0)
      order.sinks.push_back({a, contiguous(answer_root(k), 0, graph.shape(a)), false});
  return order;
}

/// The gradient's nodes behind the program's.
ColumnProgram::Adjoint ColumnProgram::differentiate(Graph& graph, const Answers& answers) const {
  Adjoint adjoint;
  std::vector<std::pair<int, int>> from;
  for (int k = 0; k < 3; ++k) {
    const int a = answers[std::size_t(k)];
    if (a < 0) continue;
    const int seed = graph.push({.op = Op::in, .shape = graph.shape(a), .leaf = 1'000'000 + k});
    adjoint.seeds[std::size_t(k)] = seed;
    from.push_back({a, seed});
  }
  std::vector<int> wrt;
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    if (inputs_[k].has_adjoint) wrt.push_back(input_nodes_[k]);
  for (const Weight& w : weight_nodes_)
    if (!w.fixed) wrt.push_back(w.node);
  for (const Row& r : rows_)
    if (!r.fixed) wrt.push_back(r.node);
  adjoint.d = graph.gradient(from, wrt, adjoint.solves);
  return adjoint;
}

/// What the backward reads of the forward's nodes (before `last`) and does not compute again:
/// products, sums and solves; `again`: solves alone.
std::vector<int> ColumnProgram::kept_nodes(const Graph& graph, const Adjoint& adjoint, int last,
                                           bool again) const {
  std::vector<char> read(graph.nodes.size(), 0);
  for (const auto* list : {&adjoint.d, &adjoint.solves})
    for (const int a : *list)
      if (a >= 0) read[std::size_t(a)] = 1;
  std::vector<int> kept;
  for (int a = int(graph.nodes.size()) - 1; a >= 0; --a) {
    if (!read[std::size_t(a)]) continue;
    const Op op = graph.nodes[std::size_t(a)].op;
    if (a < last && !graph.is_point(a) &&
        (op == Op::solve || (!again && (op == Op::mm || op == Op::sum || op == Op::amax)))) {
      kept.push_back(a);
      continue;
    }
    for (const int b : graph.nodes[std::size_t(a)].in) read[std::size_t(b)] = 1;
  }
  return kept;
}

/// Whether the gradient `a` is left to add_products: its operands are put aside.
bool ColumnProgram::leave_product(const Graph& graph, int a, std::size_t offset,
                                  Plan::Order& backward) {
  constexpr long kFew = 16, kLarge = 256;
  const auto node = [&](int b) -> const program::Node& { return graph.nodes[std::size_t(b)]; };
  const bool turned = node(a).op == Op::permute;
  const program::Node& mm = node(turned ? node(a).in[0] : a);
  if (mm.op != Op::mm || mm.shape.size() != 2) return false;
  const program::Shape &left = graph.shape(mm.in[0]), &right = graph.shape(mm.in[1]);
  const LateProduct late{offset, turned, left[0].n, right[1].n, left[1].n};
  if (late.K > kFew || late.M * late.N < kLarge) return false;
  const int root = product_root(2 * int(products_.size()));
  View rows = program::contiguous(root, 0, {left[1], left[0]});
  std::swap(rows.dims[0], rows.dims[1]);
  std::swap(rows.strides[0], rows.strides[1]);
  backward.sinks.push_back({mm.in[0], rows, false});
  backward.sinks.push_back({mm.in[1], program::contiguous(root + 1, 0, right), false});
  products_.push_back(late);
  return true;
}

/// What the backward is to give, from the adjoints of the answers.
void ColumnProgram::fill_backward(const Graph& graph, const Adjoint& adjoint,
                                  Plan::Order& backward) {
  auto next = adjoint.d.begin();
  const auto put = [&](int a, int root, std::size_t offset, bool adds) {
    if (a >= 0) backward.sinks.push_back({a, contiguous(root, long(offset), graph.shape(a)), adds});
  };
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    if (!inputs_[k].has_adjoint) continue;
    inputs_[k].has_adjoint = *next >= 0;
    put(*next++, adjoint_root(int(k)), 0, false);
  }
  for (const Weight& w : weight_nodes_) {
    if (w.fixed) continue;
    const int a = *next++;
    if (a < 0 || !leave_product(graph, a, w.offset, backward))
      put(a, program::kGradient, w.offset, true);
  }
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (!rows_[k].fixed) put(*next++, row_root(int(rows_.size() + k)), 0, true);
  for (int k = 0; k < 3; ++k)
    if (const int a = adjoint.seeds[std::size_t(k)]; a >= 0)
      backward.sources[a] = contiguous(answer_root(3 + k), 0, graph.shape(a));
  backward.also = adjoint.solves;
}

void ColumnProgram::plan(const Program& program, Graph& graph, const Options& options) {
  const int last = int(graph.nodes.size());
  const auto place = [&](int node) { return node < 0 ? -1 : graph.places[std::size_t(node)]; };
  const auto node_of = [&](const std::string& name) {
    const int k = input(name);
    return k < 0 ? -1 : input_nodes_[std::size_t(k)];
  };
  const Answers answers{p_ > 1 ? place(program.f()) : -1, p_ > 1 ? place(program.threshold()) : -1,
                        place(program.g())};
  Plan::Order forward = forward_order(graph, answers);
  Adjoint adjoint;
  if (options.backward) adjoint = differentiate(graph, answers);
  Plan::Order backward{.sources = forward.sources, .stages = 3};
  const auto numbers = [&](int a) {
    return whole_lines(std::size_t(program::count(graph.shape(a))));
  };
  std::vector<int> kept = kept_nodes(graph, adjoint, last, false);
  std::size_t total = 0;
  for (const int a : kept) total += numbers(a);
  if (total * p_ * sizeof(double) > options.most_kept_bytes)
    kept = kept_nodes(graph, adjoint, last, true);
  for (const int a : kept) {
    const View view = entries_innermost(program::kKept, long(kept_), graph.shape(a));
    forward.sinks.push_back({a, view, false});
    backward.sources[a] = view;
    kept_ += numbers(a);
  }
  const std::vector<int> in_forward = stages_of(graph, {-1, node_of("z"), node_of("q")});
  forward.stage_of = [&](int a) { return in_forward[std::size_t(a)]; };
  forward_ = Plan(graph, forward);
  if (!options.backward) return;
  fill_backward(graph, adjoint, backward);
  const std::vector<int> in_backward = stages_of(graph, {-1, adjoint.seeds[1], adjoint.seeds[0]});
  backward.stage_of = [&](int a) { return in_backward[std::size_t(a)]; };
  backward_ = Plan(graph, backward);
}

std::size_t ColumnProgram::bytes(std::size_t columns) const {
  std::size_t doubles = 6 * B_ * width_ + kept_ * columns;
  for (const ProgramInput& input : inputs_) doubles += 2 * input.size;
  for (const LateProduct& late : products_)
    doubles += std::size_t(late.size(0) + late.size(1)) * columns;
  doubles += std::size_t(std::max(forward_.arena, backward_.arena)) + forward_.numbers.size() +
             backward_.numbers.size() +
             std::size_t(std::max(forward_.slots, backward_.slots) * program::kBlockEntries);
  return doubles * sizeof(double);
}

}  // namespace spodnet
