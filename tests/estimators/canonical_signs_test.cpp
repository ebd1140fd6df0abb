// Recoding variables x -> -x changes signs of an estimate and nothing else, bit for bit.
#include "spodnet/estimators/canonical_signs.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::test {
namespace {

/// Correlations with common causes, so that all pairs are dependent.
Matrix drawn_covariance(Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(4 * p, p), load(2, p);
  for (double& each : load.reshaped()) each = random.normal();
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double f = random.normal(), g = random.normal();
    for (Eigen::Index j = 0; j < p; ++j)
      X(i, j) = random.normal() + 0.7 * (f * load(0, j) + g * load(1, j));
  }
  return empirical_covariance(X);
}

Vector random_signs(Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Vector out(p);
  for (double& each : out) each = random.below(2) == 0 ? -1 : 1;
  return out;
}

Matrix recoded_by(const Matrix& A, const Vector& signs) {
  return signs.asDiagonal() * A * signs.asDiagonal();
}

TEST(CanonicalSigns, TheSameMatrixHoweverVariablesAreCoded) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Matrix S = drawn_covariance(9, seed);
    const Matrix canonical = recoded_by(S, canonical_signs(S));
    for (std::uint64_t k = 0; k < 8; ++k) {
      const Matrix other = recoded_by(S, random_signs(9, 10 * seed + k));
      EXPECT_EQ(recoded_by(other, canonical_signs(other)), canonical);
    }
  }
}

TEST(CanonicalSigns, TheSameForOtherOrdersAndUnits) {
  const Matrix S = drawn_covariance(10, 7);
  const Matrix canonical = recoded_by(S, canonical_signs(S));
  std::vector<std::uint32_t> order(10);
  std::iota(order.begin(), order.end(), 0u);
  RandomStream random(8);
  for (int k = 0; k < 8; ++k) {
    random.shuffle(order);
    const Matrix permuted = S(order, order);
    EXPECT_EQ(recoded_by(permuted, canonical_signs(permuted)), canonical(order, order));
  }
  const Vector unit = Vector::LinSpaced(10, 0.25, 40);
  const Matrix scaled = recoded_by(S, unit);
  EXPECT_EQ(recoded_by(scaled, canonical_signs(scaled)).array().sign().matrix(),
            canonical.array().sign().matrix());
}

TEST(CanonicalSigns, NoVariableIsMostlyNegative) {
  for (std::uint64_t seed = 20; seed < 40; ++seed) {
    const Matrix S = drawn_covariance(12, seed);
    const Vector inverse = S.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix R = recoded_by(recoded_by(S, inverse), canonical_signs(S));
    for (Eigen::Index j = 0; j < 12; ++j) EXPECT_GE(R.col(j).sum() - R(j, j), -1e-7);
  }
}

TEST(CanonicalSigns, AllPositiveStaysAsItIs) {
  Matrix S = drawn_covariance(6, 3).cwiseAbs();
  const Vector signs = canonical_signs(S);
  EXPECT_EQ(signs.cwiseAbs().sum(), std::abs(signs.sum()));  // all alike
}

TEST(CanonicalSigns, NoVariableOneAndConstantOnes) {
  EXPECT_EQ(canonical_signs(Matrix(0, 0)).size(), 0);
  EXPECT_EQ(canonical_signs(Matrix::Ones(1, 1)), Vector::Ones(1));
  EXPECT_TRUE(canonical_signs(Matrix::Zero(4, 4)).allFinite());
}

class RecodedMethods : public ::testing::TestWithParam<const char*> {};

TEST_P(RecodedMethods, FlipSignsOfTheEstimateBitForBit) {
  const auto method = make_method(GetParam(), builtin_models());
  const Matrix S = drawn_covariance(14, 5);
  const Estimate given = method->estimate({.S = S, .n = 56});
  ASSERT_EQ(given.status, Status::ok);
  for (std::uint64_t k = 0; k < 4; ++k) {
    const Vector signs = random_signs(14, k);
    const Estimate other = method->estimate({.S = recoded_by(S, signs), .n = 56});
    EXPECT_EQ(recoded_by(other.Theta, signs), given.Theta);
    EXPECT_EQ(recoded_by(other.W, signs), given.W);
    EXPECT_EQ(other.details, given.details);
  }
}

INSTANTIATE_TEST_SUITE_P(Pretrained, RecodedMethods,
                         ::testing::Values("pretrained:form=standardized", "pretrained:form=tables",
                                           "pretrained:form=standardized,target=precision",
                                           "pretrained:factors=given",
                                           "pretrained:factors=included"));

TEST(RecodedConstraints, AreRecodedToo) {
  const auto method = make_method("pretrained:form=tables", builtin_models());
  const Matrix S = drawn_covariance(8, 6);
  const Vector signs = random_signs(8, 2);
  Constraints rules(8), recoded(8);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool turned = signs[Eigen::Index(i)] != signs[Eigen::Index(j)];
      rules.narrow(i, j, PairRule::not_negative);
      recoded.narrow(i, j, turned ? PairRule::not_positive : PairRule::not_negative);
    }
  rules.narrow(3, 1, PairRule::zero);
  recoded.narrow(3, 1, PairRule::zero);
  const Estimate one = method->estimate({.S = S, .n = 32, .constraints = &rules});
  const Estimate other =
      method->estimate({.S = recoded_by(S, signs), .n = 32, .constraints = &recoded});
  EXPECT_TRUE(rules.hold(one.Theta));
  EXPECT_EQ(recoded_by(other.Theta, signs), one.Theta);
}

}  // namespace
}  // namespace spodnet::test
