#include "spodnet/metrics/scores.hpp"

#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/metrics/support.hpp"

namespace spodnet {
namespace {

constexpr ScoreField kFields[] = {
    {"nmse", &MatrixScores::nmse},
    {"f1", &MatrixScores::f1},
    {"f1_offdiag", &MatrixScores::f1_offdiag},
    {"precision", &MatrixScores::precision},
    {"recall", &MatrixScores::recall},
    {"matthews", &MatrixScores::matthews},
    {"hamming", &MatrixScores::hamming},
    {"density", &MatrixScores::density},
    {"eig_min", &MatrixScores::eig_min},
    {"eig_max", &MatrixScores::eig_max},
    {"condition", &MatrixScores::condition},
    {"is_spd", &MatrixScores::is_spd},
    {"rank", &MatrixScores::rank},
    {"residual", &MatrixScores::residual},
    {"log_likelihood", &MatrixScores::log_likelihood},
    {"modularity", &MatrixScores::modularity},
    {"communities", &MatrixScores::communities},
};
static_assert(sizeof(MatrixScores) == std::size(kFields) * sizeof(double), "a score has no name");

void score_against_truth(const MatrixRef& Theta, const MatrixRef& Theta_true,
                         MatrixScores& scores) {
  scores.nmse = nmse(Theta, Theta_true);
  const SupportScores support = support_scores(Theta, Theta_true);
  scores.f1 = support.f1;
  scores.f1_offdiag = support.f1_offdiag;
  scores.precision = support.precision;
  scores.recall = support.recall;
  scores.matthews = support.matthews;
  scores.hamming = support.hamming;
}

void score_spectrum(const MatrixRef& Theta, MatrixScores& scores) {
  const Spectrum s = spectrum(Theta);
  scores.eig_min = s.eig_min;
  scores.eig_max = s.eig_max;
  scores.condition = s.condition;
  scores.is_spd = s.is_spd;
  scores.rank = s.rank;
}

}  // namespace

std::span<const ScoreField> score_fields() { return kFields; }

MatrixScores::MatrixScores() {
  for (const ScoreField& field : kFields)
    this->*field.member = std::numeric_limits<double>::quiet_NaN();
}

MatrixScores score(const MatrixRef& Theta, const MatrixRef& Theta_true, const ScoreInputs& inputs) {
  MatrixScores scores;
  score_spectrum(Theta, scores);
  scores.density = density(Theta);
  if (Theta_true.size() > 0) score_against_truth(Theta, Theta_true, scores);
  if (inputs.W) scores.residual = inverse_residual(Theta, *inputs.W);
  if (inputs.S_test) scores.log_likelihood = log_likelihood(*inputs.S_test, Theta);
  if (inputs.louvain_restarts > 0 && Theta.allFinite()) {
    const Communities found =
        louvain(graph_of(Theta), {.restarts = inputs.louvain_restarts, .seed = inputs.seed});
    scores.modularity = found.modularity;
    scores.communities = double(found.count);
  }
  return scores;
}

MatrixScores mean(std::span<const MatrixScores> all) {
  if (all.empty()) throw Error("mean of scores: the test set is empty");
  MatrixScores average;
  for (const ScoreField& field : kFields) {
    double sum = 0;
    for (const MatrixScores& scores : all) sum += scores.*field.member;
    average.*field.member = sum / double(all.size());
  }
  return average;
}

}  // namespace spodnet
