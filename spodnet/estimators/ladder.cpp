#include "spodnet/estimators/ladder.hpp"

#include <fmt/format.h>

#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/judge.hpp"
#include "spodnet/estimators/refit.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {
namespace {

constexpr double kSparseShare = 0.5;               ///< of the pairs that are edges
constexpr Eigen::Index kMostRefitVariables = 500;  ///< beyond, the fit takes minutes

/// What stands on a rung, and in which words.
struct Rung {
  int number = 0;
  Estimate estimate;
  std::string words;
};

bool is_sound_answer(const Estimate& estimate, const Judge& judge) {
  return estimate.status == Status::ok && judge(estimate.Theta, estimate.W).plausible &&
         judge.keeps_variances(estimate.W);
}

std::optional<Estimate> refitted(const Matrix& graph, const Problem& problem, const Judge& judge) {
  const double p = double(graph.rows()), pairs = p * (p - 1) / 2;
  if (graph.rows() > kMostRefitVariables || double(count_edges(graph)) > kSparseShare * pairs)
    return std::nullopt;
  Estimate fit = refit(graph, problem);
  if (!is_sound_answer(fit, judge) || !judge.worth_its_edges(fit.Theta)) return std::nullopt;
  return fit;
}

Rung climb(const Matrix& graph, const Problem& problem, const Judge& judge,
           const std::vector<Alternative>& others) {
  for (const Alternative& other : others) {
    Estimate estimate = other.estimate();
    if (is_sound_answer(estimate, judge)) return {1, std::move(estimate), other.words};
  }
  if (std::optional<Estimate> fit = refitted(graph, problem, judge))
    return {2, std::move(*fit), "its graph, refitted to the data"};
  const std::string words = problem.constraints ? "the variances alone, without any edge"
                                                : "shrinkage of the covariance, with all edges";
  return {3, judge.reference(), words};
}

std::string reason(const Verdict& verdict, const Problem& problem) {
  if (verdict.wide) return "all its variances are more than four times those of the data";
  return fmt::format("per row and variable its log-likelihood is {:.2g} below that of {}",
                     verdict.behind / 2,
                     problem.constraints ? "unrelated variables" : "plain shrinkage");
}

}  // namespace

Estimate judged(Estimate first, const Problem& problem, const std::string& name,
                const std::vector<Alternative>& others, Trust trust) {
  if (!is_sound(first.status)) return first;
  const Judge judge(problem);
  const Verdict verdict = judge(first.Theta, first.W, trust);
  if (verdict.plausible) return first;
  Rung rung = climb(first.Theta, problem, judge, others);
  Estimate out = std::move(rung.estimate);
  out.status = Status::replaced;
  out.message =
      fmt::format("{}: the learned estimate contradicts the data ({}) and was replaced by {}", name,
                  reason(verdict, problem), rung.words);
  out.details.emplace_back("replaced", rung.number);
  return out;
}

Estimate doubted(Estimate estimate, const Problem& problem, const std::string& name) {
  if (estimate.status != Status::ok) return estimate;
  const Verdict verdict = Judge(problem)(estimate.Theta, estimate.W, Trust::likely);
  if (!verdict.plausible)
    estimate.message = fmt::format(
        "{}: the data contradict this estimate ({}); it is left as it is: '{}:judge=true' has it "
        "replaced, 'pretrained' needs no training",
        name, reason(verdict, problem), name);
  return estimate;
}

}  // namespace spodnet
