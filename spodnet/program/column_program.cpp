#include "spodnet/program/column_program.hpp"

#include <algorithm>
#include <array>

#include "spodnet/core/error.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet {

using program::Graph;
using program::Op;
using program::Plan;
using program::Sink;
using program::View;

namespace {

std::size_t whole_lines(std::size_t doubles) { return (doubles + 7) / 8 * 8; }

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

/// What the backward reads of the forward and does not compute again: products, sums and solves;
/// `again`: solves alone.
std::vector<int> ColumnProgram::kept_nodes(const Graph& graph, const std::vector<int>& adjoints,
                                           int last, bool again) const {
  std::vector<char> read(graph.nodes.size(), 0);
  for (const int a : adjoints)
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

void ColumnProgram::plan(const Program& program, Graph& graph, const Options& options) {
  const int last = int(graph.nodes.size());
  const auto place = [&](int node) { return node < 0 ? -1 : graph.places[std::size_t(node)]; };
  const std::array<int, 3> answers{p_ > 1 ? place(program.f()) : -1,
                                   p_ > 1 ? place(program.threshold()) : -1, place(program.g())};
  const auto node_of = [&](const std::string& name) {
    const int k = input(name);
    return k < 0 ? -1 : input_nodes_[std::size_t(k)];
  };
  Plan::Order forward{.stages = 3};
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const int a = input_nodes_[k];
    forward.sources[a] = contiguous(program::kFirstField + int(k), 0, graph.shape(a));
  }
  for (const Weight& w : weight_nodes_)
    forward.sources[w.node] = contiguous(program::kWeights, long(w.offset), graph.shape(w.node));
  for (std::size_t k = 0; k < rows_.size(); ++k)
    forward.sources[rows_[k].node] = contiguous(row_root(int(k)), 0, graph.shape(rows_[k].node));
  for (int k = 0; k < 3; ++k)
    if (const int a = answers[std::size_t(k)]; a >= 0)
      forward.sinks.push_back({a, contiguous(answer_root(k), 0, graph.shape(a)), false});

  std::vector<int> kept;
  std::vector<int> d, wrt, solves;
  std::array<int, 3> seeds{-1, -1, -1};
  if (options.backward) {
    std::vector<std::pair<int, int>> from;
    for (int k = 0; k < 3; ++k) {
      const int a = answers[std::size_t(k)];
      if (a < 0) continue;
      seeds[std::size_t(k)] =
          graph.push({.op = Op::in, .shape = graph.shape(a), .leaf = 1'000'000 + k});
      from.push_back({a, seeds[std::size_t(k)]});
    }
    for (std::size_t k = 0; k < inputs_.size(); ++k)
      if (inputs_[k].has_adjoint) wrt.push_back(input_nodes_[k]);
    for (const Weight& w : weight_nodes_)
      if (!w.fixed) wrt.push_back(w.node);
    for (const Row& r : rows_)
      if (!r.fixed) wrt.push_back(r.node);
    d = graph.gradient(from, wrt, solves);
    std::vector<int> read = d;
    read.insert(read.end(), solves.begin(), solves.end());
    const auto numbers_kept = [&](bool again) {
      kept = kept_nodes(graph, read, last, again);
      kept_ = 0;
      for (const int a : kept) kept_ += whole_lines(std::size_t(program::count(graph.shape(a))));
    };
    numbers_kept(false);
    if (kept_ * p_ * sizeof(double) > options.most_kept_bytes) numbers_kept(true);
  }

  Plan::Order backward{.sources = forward.sources, .stages = 3};
  long at = 0;
  for (const int a : kept) {
    const View view = entries_innermost(program::kKept, at, graph.shape(a));
    forward.sinks.push_back({a, view, false});
    backward.sources[a] = view;
    at += long(whole_lines(std::size_t(program::count(graph.shape(a)))));
  }
  const std::vector<int> in_forward = stages_of(graph, {-1, node_of("z"), node_of("q")});
  forward.stage_of = [&](int a) { return in_forward[std::size_t(a)]; };
  forward_ = Plan(graph, forward);
  if (!options.backward) return;

  std::size_t next = 0;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    if (!inputs_[k].has_adjoint) continue;
    const int a = d[next++];
    inputs_[k].has_adjoint = a >= 0;
    if (a >= 0)
      backward.sinks.push_back({a, contiguous(adjoint_root(int(k)), 0, graph.shape(a)), false});
  }
  for (const Weight& w : weight_nodes_) {
    if (w.fixed) continue;
    if (const int a = d[next++]; a >= 0 && !leave_product(graph, a, w.offset, backward))
      backward.sinks.push_back(
          {a, contiguous(program::kGradient, long(w.offset), graph.shape(a)), true});
  }
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k].fixed) continue;
    if (const int a = d[next++]; a >= 0)
      backward.sinks.push_back(
          {a, contiguous(row_root(int(rows_.size() + k)), 0, graph.shape(a)), true});
  }
  for (int k = 0; k < 3; ++k)
    if (const int a = seeds[std::size_t(k)]; a >= 0)
      backward.sources[a] = contiguous(answer_root(3 + k), 0, graph.shape(a));
  backward.also = solves;
  const std::vector<int> in_backward = stages_of(graph, {-1, seeds[1], seeds[0]});
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

ColumnMemory::ColumnMemory(std::shared_ptr<const ColumnProgram> program, std::size_t columns)
    : program_(std::move(program)), columns_(columns) {
  const ColumnProgram& c = *program_;
  constexpr double kMostBytes = 0x1p37;
  if (double(c.bytes(columns)) > kMostBytes)
    throw Error("the program needs " + std::to_string(c.bytes(columns) >> 30) + " GB for " +
                std::to_string(c.p()) + " variables: take fewer");
  roots_.assign(std::size_t(c.roots()), nullptr);
  const Plan &forward = c.forward_, &backward = c.backward_;
  arena_.assign(std::size_t(std::max(forward.arena, backward.arena)) + 8, 0.0);
  blocks_.assign(std::size_t(std::max(forward.slots, backward.slots) * program::kBlockEntries),
                 0.0);
  kept_.assign(c.kept() * columns, 0.0);
  const std::size_t answer = whole_lines(std::max<std::size_t>(c.B() * c.width(), c.B()));
  std::size_t total = 6 * answer;
  for (const ProgramInput& input : c.inputs()) total += 2 * whole_lines(input.size);
  fields_.assign(total, 0.0);
  double* at = fields_.data();
  const auto take = [&](int root, std::size_t size) {
    roots_[std::size_t(root)] = at;
    at += whole_lines(size);
  };
  for (std::size_t k = 0; k < c.inputs().size(); ++k) {
    take(program::kFirstField + int(k), c.inputs()[k].size);
    take(c.adjoint_root(int(k)), c.inputs()[k].size);
  }
  for (int k = 0; k < 6; ++k) take(c.answer_root(k), answer);
  roots_[program::kTemporary] = arena_.data();
  for (const auto& late : c.products_)
    for (const int k : {0, 1}) operands_.emplace_back(std::size_t(late.size(k)) * columns, 0.0);
}

void ColumnMemory::begin(std::size_t column, const double* weights, double* d_weights) {
  const ColumnProgram& c = *program_;
  roots_[program::kWeights] = const_cast<double*>(weights);
  roots_[program::kGradient] = d_weights;
  roots_[program::kKept] = kept_.data() + column % columns_ * c.kept();
  for (std::size_t k = 0; k < c.rows_.size(); ++k) {
    const std::size_t at = c.rows_[k].offset + column * c.rows_[k].step;
    roots_[std::size_t(c.row_root(int(k)))] = const_cast<double*>(weights) + at;
    roots_[std::size_t(c.row_root(int(c.rows_.size() + k)))] = d_weights ? d_weights + at : nullptr;
  }
  for (std::size_t k = 0; k < operands_.size(); ++k)
    roots_[std::size_t(c.product_root(int(k)))] =
        operands_[k].data() + column % columns_ * (operands_[k].size() / columns_);
}

void ColumnMemory::add_products(std::size_t columns, double* d_weights) const {
  for (std::size_t k = 0; d_weights && k < program_->products_.size(); ++k) {
    const auto& late = program_->products_[k];
    program_kernels().product(late.M, late.N, late.K * long(columns), operands_[2 * k].data(), 1,
                              late.M, operands_[2 * k + 1].data(), late.N, 1,
                              d_weights + late.offset, late.turned ? 1 : late.N,
                              late.turned ? late.M : 1, true);
  }
}

void ColumnMemory::run(const Plan& plan, int stage, program::ColumnSolver* solver) {
  roots_[program::kNumbers] = const_cast<double*>(plan.numbers.data());
  run_stage(plan, stage, roots_.data(), blocks_.data(), solver);
}

}  // namespace spodnet
