#include "spodnet/workflow/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/groups.hpp"
#include "spodnet/workflow/joint.hpp"

namespace spodnet {
namespace {

/// Lambda chosen once, on the rows of all groups: the same for every permutation.
std::shared_ptr<const Method> fixed_method(std::shared_ptr<const Method> method,
                                           const std::vector<WorkingData>& groups) {
  WorkingData pooled = groups[0];
  for (std::size_t g = 1; g < groups.size(); ++g) pooled = pooled_rows(pooled, groups[g]);
  double fewest = groups[0].all.n;
  for (const WorkingData& group : groups) fewest = std::min(fewest, group.all.n);
  pooled.all.n = fewest;  // of one group
  const Estimate estimate = method->estimate(problem_of(pooled, pooled.all));
  return resampling_method(std::move(method), estimate);
}

void add_graphs(const std::vector<WorkingData>& groups, const std::vector<std::string>& names,
                const Method& method, ThreadPool& pool, Difference& out) {
  JointEstimate joint = joint_estimate(groups, method, pool);
  out.joint = joint.w;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Matrix& Theta = joint.groups[g].Theta;
    if (!is_sound(joint.groups[g].status)) throw Error(joint.groups[g].message);
    out.groups.push_back({names[g], double(groups[g].Y.rows()), partial_correlations(Theta, Theta),
                          count_edges(Theta)});
  }
}

/// Shows the tested graphs instead of those that borrow, where they differ or nothing was borrowed:
/// pictures and sentences then agree.
void settle_graphs(Difference& out) {
  bool differ = false;
  for (const GroupPair& pair : out.pairs)
    differ |= pair.test.p_structure <= out.level || pair.test.p_strength <= out.level;
  if (differ || out.joint == 0) {
    out.joint = 0;
    for (const GroupPair& pair : out.pairs)
      for (const auto& [g, partial] :
           {std::pair(pair.a, &pair.test.partial_a), std::pair(pair.b, &pair.test.partial_b)}) {
        out.groups[g].partial = *partial;
        out.groups[g].edges = count_edges(*partial);
      }
  }
  out.notes.push_back(
      {AnswerNote::Kind::done,
       out.joint > 0
           ? fmt::format(
                 "no difference was found, and the graphs shown are estimated jointly: each "
                 "borrows {:.0f} % of its covariance from all groups, which predicts rows "
                 "it has not seen better than each group alone",
                 100 * out.joint)
           : "each graph is estimated from its own group, by the method of the tests"});
}

/// Places by the strongest partial correlations of any group.
void add_layout(std::uint64_t seed, Difference& out) {
  Matrix strongest = Matrix::Zero(Eigen::Index(out.names.size()), Eigen::Index(out.names.size()));
  for (const GroupGraph& group : out.groups)
    strongest = strongest.cwiseMax(group.partial.cwiseAbs());
  strongest.diagonal().setZero();
  const WeightedGraph graph = graph_of(strongest);
  const Communities found = louvain(graph, {.seed = seed});
  out.community.assign(found.community.begin(), found.community.end());
  out.points = force_layout(graph, out.community);
}

void note_test(const GroupPair& pair, Difference& out) {
  if (pair.test.failures > 0)
    out.notes.push_back({AnswerNote::Kind::warning,
                         fmt::format("{} permutations had numerical trouble: they do not count",
                                     pair.test.failures)});
}

}  // namespace

Difference difference(Prepared data, const std::vector<std::string>& names,
                      const DifferenceOptions& options, const RunContext& run) {
  keep_whole_pairs(data, names.size());
  const std::vector<Prepared> parts = split_groups(data, names);
  std::vector<WorkingData> groups;
  for (const Prepared& part : parts)
    groups.push_back(working_data(part, true, {options.seed, part.rows.block_length == 0}));
  Difference out;
  out.names = data.names;
  out.level = options.level;
  for (const DataNote& note : data.notes)
    out.notes.push_back({note.warning ? AnswerNote::Kind::warning : AnswerNote::Kind::done,
                         note.text, note.advice, note.value});
  std::shared_ptr<const Method> method = make_method(options.method, run.models, run.engine);
  if (method->needs_samples())
    throw Error(options.method + ": splits samples: use a method that needs the covariance alone");
  add_graphs(groups, names, *method, run.pool, out);
  const auto fixed = fixed_method(method, groups);
  out.method = fixed->name();
  const std::size_t tests = names.size() * (names.size() - 1) / 2;
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      const double before = double(out.pairs.size());
      GroupPair pair{a, b,
                     permutation_test(groups[a], groups[b], *fixed,
                                      {.permutations = options.permutations,
                                       .seed = options.seed + out.pairs.size(),
                                       .stop = run.stop,
                                       .progress =
                                           [&](double f) {
                                             run.report("permuting", (before + f) / double(tests));
                                           }},
                                      run.pool)};
      out.interrupted = pair.test.interrupted;
      if (out.interrupted) return out;
      note_test(pair, out);
      out.pairs.push_back(std::move(pair));
    }
  settle_graphs(out);
  add_layout(options.seed, out);
  return out;
}

}  // namespace spodnet
