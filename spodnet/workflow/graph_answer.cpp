#include "spodnet/workflow/graph_answer.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/metrics/agreement.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/workflow/bootstrap.hpp"

namespace spodnet {
namespace {

void add_edges(const Estimate& estimate, Answer& answer) {
  for (const auto [i, j] : edges_of(estimate.Theta))
    answer.edges.push_back(
        {std::size_t(i), std::size_t(j), answer.Theta(i, j), answer.partial(i, j), std::nullopt});
  std::stable_sort(answer.edges.begin(), answer.edges.end(),
                   [](const AnswerEdge& a, const AnswerEdge& b) {
                     return std::abs(a.partial_correlation) > std::abs(b.partial_correlation);
                   });
}

}  // namespace

Answer answer_of(const Estimate& estimate, const Prepared& data, const WorkingData& working) {
  Answer answer;
  Estimate in_units = estimate;
  if (working.standardize) to_data_units(in_units, working.scale);
  answer.names = data.names;
  for (const ColumnKind kind : data.kinds) answer.kinds.push_back(to_string(kind));
  answer.n = working.all.n;
  answer.rows = data.X.size() > 0 ? double(data.X.rows()) : answer.n;
  answer.Theta = std::move(in_units.Theta);
  answer.W = std::move(in_units.W);
  answer.partial = partial_correlations(estimate.Theta, estimate.Theta);
  answer.eigenvalues =
      Eigen::SelfAdjointEigenSolver<Matrix>(estimate.Theta, Eigen::EigenvaluesOnly).eigenvalues();
  AnswerCertificate& certificate = answer.certificate;
  certificate.residual = inverse_residual(answer.Theta, answer.W);
  certificate.eig_min = answer.eigenvalues[0];
  certificate.eig_max = answer.eigenvalues[answer.eigenvalues.size() - 1];
  certificate.condition = certificate.eig_max / certificate.eig_min;
  certificate.density = density(estimate.Theta);
  add_edges(estimate, answer);
  return answer;
}

void find_communities(Answer& answer, bool standardized, std::uint64_t seed) {
  const Communities found =
      louvain(graph_of(standardized ? answer.partial : answer.Theta), {.seed = seed});
  std::vector<std::size_t> size(found.count, 0), order(found.count), rank(found.count);
  for (const std::uint32_t c : found.community) ++size[c];
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  answer.community.clear();
  for (const std::uint32_t c : found.community) answer.community.push_back(rank[c]);
  answer.modularity = found.modularity;
}

}  // namespace spodnet
