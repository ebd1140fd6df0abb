#include "spodnet/metrics/scores.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <set>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/generate/sparse_precision.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/metrics/modularity.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/metrics/support.hpp"

namespace spodnet {
namespace {

Matrix precision(std::uint64_t index) {
  RandomStream random(17, index);
  return make_sparse_precision({.p = 12, .alpha = 0.8}, random);
}

TEST(Scores, CollectsEveryMetric) {
  const Matrix truth = precision(0), Theta = precision(1), W = truth.inverse();
  const Matrix S_test = Matrix::Identity(12, 12);
  const MatrixScores s =
      score(Theta, truth, {.W = &W, .S_test = &S_test, .louvain_restarts = 3, .seed = 5});
  const SupportScores support = support_scores(Theta, truth);
  const Spectrum spectrum_of = spectrum(Theta);
  const Communities communities = louvain(graph_of(Theta), {.restarts = 3, .seed = 5});
  EXPECT_EQ(s.nmse, nmse(Theta, truth));
  EXPECT_EQ(s.f1, support.f1);
  EXPECT_EQ(s.f1_offdiag, support.f1_offdiag);
  EXPECT_EQ(s.precision, support.precision);
  EXPECT_EQ(s.recall, support.recall);
  EXPECT_EQ(s.matthews, support.matthews);
  EXPECT_EQ(s.hamming, support.hamming);
  EXPECT_EQ(s.density, density(Theta));
  EXPECT_EQ(s.eig_min, spectrum_of.eig_min);
  EXPECT_EQ(s.eig_max, spectrum_of.eig_max);
  EXPECT_EQ(s.condition, spectrum_of.condition);
  EXPECT_EQ(s.is_spd, 1);
  EXPECT_EQ(s.rank, 12);
  EXPECT_EQ(s.residual, inverse_residual(Theta, W));
  EXPECT_EQ(s.log_likelihood, log_likelihood(S_test, Theta));
  EXPECT_EQ(s.modularity, communities.modularity);
  EXPECT_EQ(s.communities, double(communities.count));
}

TEST(Scores, WhatWasNotAskedForIsNaN) {
  const MatrixScores s = score(precision(1), Matrix());
  for (double missing : {s.nmse, s.f1, s.hamming, s.residual, s.log_likelihood, s.modularity})
    EXPECT_TRUE(std::isnan(missing));
  EXPECT_FALSE(std::isnan(s.density) || std::isnan(s.eig_min));
}

TEST(Scores, ATruthOfZeroHasNoRelativeError) {
  EXPECT_TRUE(std::isnan(nmse(Matrix::Identity(3, 3), Matrix::Zero(3, 3)))) << "not infinite";
  EXPECT_EQ(nmse(Matrix::Zero(3, 3), Matrix::Identity(3, 3)), 1);
}

TEST(Scores, ABrokenEstimateIsScoredNotRefused) {
  const MatrixScores s =
      score(Matrix::Constant(12, 12, NAN), precision(0), {.louvain_restarts = 2});
  EXPECT_TRUE(std::isnan(s.nmse) && std::isnan(s.eig_min) && std::isnan(s.modularity));
  EXPECT_EQ(s.is_spd, 0);
}

TEST(Scores, MeanIsFieldByField) {
  std::vector<MatrixScores> all;
  for (std::uint64_t k = 0; k < 3; ++k) all.push_back(score(precision(k), precision(9)));
  all.push_back(score(-precision(3), precision(9)));
  const MatrixScores average = mean(all);
  EXPECT_EQ(average.is_spd, 0.75);
  EXPECT_DOUBLE_EQ(average.nmse, (all[0].nmse + all[1].nmse + all[2].nmse + all[3].nmse) / 4);
  EXPECT_TRUE(std::isnan(average.residual));
  EXPECT_THROW(mean({}), Error);
}

TEST(Scores, FieldNamesAreDistinct) {
  std::set<std::string_view> names;
  for (const ScoreField& field : score_fields()) names.insert(field.name);
  EXPECT_EQ(names.size(), score_fields().size());
  EXPECT_EQ(score_fields().size() * sizeof(double), sizeof(MatrixScores));
}

}  // namespace
}  // namespace spodnet
