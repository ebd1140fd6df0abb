#include "spodnet/workflow/hidden_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/products.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/estimators/canonical_signs.hpp"
#include "spodnet/estimators/factor_graph.hpp"
#include "spodnet/workflow/add_candidates.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kMostVariables = 400;  // beyond, eigenvalues take too long
constexpr std::uint64_t kFactorSeed = 4'000'000;
constexpr std::size_t kSparseLevels = 5;  // of mixed_sparsities: up to 3 edges per variable

/// What makes variables of variance 1 in canonical signs of those behind S.
Vector canonical_unit(const Matrix& S) {
  return canonical_signs(S).array() / S.diagonal().array().sqrt();
}

}  // namespace

LeadingShares leading_shares(const Matrix& S) {
  const Vector inverse = canonical_unit(S);
  const Matrix R = inverse.asDiagonal() * S * inverse.asDiagonal();
  const SortedEigen eigen = sorted_eigen(R);
  const Vector& values = eigen.values;
  const Eigen::Index p = values.size();
  return {values[p - 1] / double(p), p > 1 ? values[p - 2] / double(p) : 0,
          1 / (double(p) * eigen.V.row(p - 1).array().pow(4).sum())};
}

std::optional<LeadingShares> find_hidden_factor(const Analysis& analysis) {
  const std::size_t p = analysis.data.p();
  if (p < 4 || p > kMostVariables) return std::nullopt;
  TrainingPlan fresh = analysis.plan;
  fresh.seed += kFactorSeed;
  fresh.alpha.values.resize(std::min(kSparseLevels, fresh.alpha.values.size()));
  const DataSet sparse = plan_data(fresh, 0, kFactorSets, false, analysis.run.pool);
  std::vector<LeadingShares> shares(kFactorSets);
  analysis.run.pool.run(kFactorSets,
                        [&](std::size_t k, int) { shares[k] = leading_shares(sparse.S[k]); });
  std::sort(shares.begin(), shares.end(),
            [](const LeadingShares& a, const LeadingShares& b) { return a.common() < b.common(); });
  const LeadingShares found = leading_shares(analysis.working.all.S);
  const LeadingShares& most = shares[kFactorSets - 1 - kFactorSets / 20];
  if (found.common() <= most.common()) return std::nullopt;
  return found;
}

int hidden_factors(const Candidate& candidate) {
  return candidate.predicts ? candidate.estimate.factors.value_or(HiddenFactors{}).count : 0;
}

Matrix hidden_loadings(const Candidate& candidate, const Matrix& S) {
  const int factors = hidden_factors(candidate);
  if (factors == 0) return {};
  const Vector inverse = canonical_unit(S);
  const Matrix common = scaled_both(inverse, S - candidate.estimate.W, inverse);
  const SortedEigen eigen = sorted_eigen(common);
  const Vector size = eigen.values.tail(factors).cwiseMax(0).cwiseSqrt();
  return eigen.V.bottomRows(factors).transpose() * size.asDiagonal();
}

double least_own_share(const Estimate& estimate, const Matrix& S) {
  return (estimate.W.diagonal().array() / S.diagonal().array()).minCoeff();
}

namespace {

/// The BIC of a graph given hidden factors where a loading costs `cost` of an edge.
double bic_of(const Estimate& given, double n, double cost) {
  const HiddenFactors factors = given.factors.value_or(HiddenFactors{});
  const double loadings = count_loadings(given.Theta.rows(), factors.count);
  return factors.bic - (kLoadingCost - cost) * loadings * std::log(n);
}

Estimate given_factors(const Analysis& analysis, int count) {
  const auto method = make_method(fmt::format("{},count={}", kGivenFactors, count),
                                  analysis.run.models, analysis.run.engine);
  return method->estimate(problem_of(analysis.working, analysis.working.all, nullptr));
}

/// With so many factors the variables are explained better than with `without`, and no variable is
/// the factor itself.
bool better_with(const Analysis& analysis, const Estimate& with, const Estimate& without,
                 double cost) {
  const double n = analysis.working.all.n;
  return with.status == Status::ok && bic_of(with, n, cost) < bic_of(without, n, cost) &&
         least_own_share(with, analysis.working.all.S) >= kLeastOwnShare;
}

/// Whether a few variables, too few for the graph given factors to be a candidate, are better
/// explained by one factor than by links between them: the items of one scale.
bool is_one_scale(const Analysis& analysis) {
  const std::size_t p = analysis.data.p();
  const TrainingPart& all = analysis.working.all;
  if (analysis.options.method != "auto" || p < kFewestForDoubt || p >= kFewestForFactors ||
      most_factors(all.S, all.n) < 1)
    return false;
  const Estimate without = given_factors(analysis, 0), with = given_factors(analysis, 1);
  return better_with(analysis, with, without, kLoadingCost);
}

}  // namespace

std::vector<bool> edges_despite_factors(const Analysis& analysis, const Candidate& chosen,
                                        const std::vector<EdgePlace>& edges) {
  std::vector<bool> kept(edges.size(), true);
  if (analysis.options.method != "auto" || analysis.data.p() < kFewestForDoubt ||
      analysis.data.p() > kAutoVariables)
    return kept;
  const Matrix& S = analysis.working.all.S;
  const double n = analysis.working.all.n;
  const int found = hidden_factors(chosen);
  const int most = std::min(found + kMoreFactors, int(most_factors(S, n)));
  if (most <= found) return kept;
  std::vector<Estimate> given(std::size_t(most - found) + 1);
  analysis.run.pool.run(given.size(), [&](std::size_t k, int) {
    given[k] = given_factors(analysis, found + int(k));
  });
  const bool more_factors = std::any_of(given.begin() + 1, given.end(), [&](const Estimate& each) {
    return better_with(analysis, each, given[0], kDoubtfulLoading);
  });
  for (std::size_t e = 0; e < edges.size() && more_factors; ++e) {
    const auto [i, j] = edges[e];
    kept[e] = std::all_of(given.begin() + 1, given.end(), [&, i = i, j = j](const Estimate& each) {
      return !is_sound(each.status) || each.Theta(i, j) * chosen.estimate.Theta(i, j) > 0;
    });
  }
  return kept;
}

void tell_of_hidden_factor(Analysis& analysis, const Candidate& chosen) {
  if (const int factors = hidden_factors(chosen); factors > 0)
    return analysis.note(fmt::format(
        "the graph is that of the variables given {} hidden factor{}, estimated with it: something "
        "that was not measured and moves many variables together (a general factor, a market, "
        "batches); precision and covariance are given {} too",
        factors, factors == 1 ? "" : "s", factors == 1 ? "it" : "them"));
  if (is_one_scale(analysis))
    return analysis.warn(
        "one hidden factor explains these variables better than links between them do, as it does "
        "the items of one scale: the edges may all stand for it");
  const std::optional<LeadingShares> found = find_hidden_factor(analysis);
  if (!found) return;
  analysis.warn(fmt::format(
      "one direction carries {:.0f} % of the variance (the next {:.0f} %) and {:.0f} % of the "
      "variables take part in it, more than in 19 of 20 sparse graphs of this shape: something "
      "that was not measured may move all variables together (a general factor, a market, "
      "batches); many edges, stable ones too, then stand for it and not for direct links",
      100 * found->first, 100 * found->second, 100 * found->variables));
}

}  // namespace spodnet
