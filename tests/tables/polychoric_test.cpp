#include "spodnet/tables/polychoric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/bivariate_normal.hpp"
#include "spodnet/tables/mixed_correlation.hpp"

namespace spodnet::test {
namespace {

/// P(X <= h, Y <= k) = int_-inf^h phi(x) Phi((k - rho x) / sqrt(1 - rho^2)) dx, by Simpson's rule.
double integrated(double h, double k, double rho) {
  constexpr int kPieces = 20000;
  const double low = -9, high = std::min(h, 9.0), step = (high - low) / kPieces;
  if (high <= low) return 0;
  double sum = 0;
  for (int i = 0; i <= kPieces; ++i) {
    const double x = low + i * step;
    const double f = normal_density(x) * normal_cdf((k - rho * x) / std::sqrt(1 - rho * rho));
    sum += f * (i == 0 || i == kPieces ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return sum * step / 3;
}

TEST(BivariateNormal, IsItsIntegralWhereverItCameFrom) {
  const std::vector<double> h = {-2.5, -0.4, 0.0, 1.1}, k = {-1.7, 0.2, 0.0, 3.0};
  BivariateNormal walking(h, k);
  for (const double rho : {-0.9995, -0.95, -0.6, 0.0, 0.3, 0.301, 0.899, 0.93, 0.99, 0.9999}) {
    walking.move_to(rho);
    BivariateNormal direct(h, k);
    direct.move_to(rho);
    EXPECT_LT((walking.P() - direct.P()).abs().maxCoeff(), 1e-11) << rho;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        EXPECT_NEAR(direct.P()[Eigen::Index(a + 4 * b)], integrated(h[a], k[b], rho), 2e-9)
            << rho << " " << h[a] << " " << k[b];
  }
}

TEST(BivariateNormal, KnowsItsDerivativesInRho) {
  const double step = 1e-5;
  for (const double rho : {-0.7, 0.2, 0.95}) {
    BivariateNormal left({0.3}, {-0.8}), middle = left, right = left;
    left.move_to(rho - step);
    middle.move_to(rho);
    right.move_to(rho + step);
    EXPECT_NEAR(middle.d_P()[0], (right.P()[0] - left.P()[0]) / (2 * step), 1e-7);
    EXPECT_NEAR(middle.dd_P()[0], (right.d_P()[0] - left.d_P()[0]) / (2 * step), 1e-5);
  }
}

/// Rows with these counts.
Matrix rows_of_counts(const Matrix& counts) {
  std::vector<std::pair<double, double>> rows;
  for (Eigen::Index a = 0; a < counts.rows(); ++a)
    for (Eigen::Index b = 0; b < counts.cols(); ++b)
      for (int k = 0; k < int(counts(a, b)); ++k) rows.emplace_back(1.5 * double(a), double(b * b));
  Matrix X(Eigen::Index(rows.size()), 2);
  for (std::size_t i = 0; i < rows.size(); ++i)
    X.row(Eigen::Index(i)) << rows[i].first, rows[i].second;
  return X;
}

double of_counts(const Matrix& counts) {
  return mixed_correlation(rows_of_counts(counts), {ColumnKind::ordinal, ColumnKind::ordinal})
      .R(0, 1);
}

const Matrix kThree{{20, 12, 5}, {8, 30, 15}, {3, 9, 28}};
const Matrix kFive{
    {5, 2, 1, 0, 0}, {7, 15, 8, 2, 1}, {3, 9, 21, 14, 4}, {1, 4, 13, 25, 12}, {0, 1, 3, 10, 24}};

/// First the maximum of the likelihood by R's mvtnorm 1.1-3, to 1e-10; then polychor of polycor
/// 0.8-1, which stops within 1e-4 of it, as do psych's polychoric and tetrachoric (2.2.9).
TEST(Polychoric, IsWhatRGives) {
  const Matrix two{{40, 15}, {10, 35}}, uneven{{30, 12, 3, 1}, {6, 10, 14, 22}};
  EXPECT_NEAR(of_counts(kThree), 0.6260655634459, 2e-8);
  EXPECT_NEAR(of_counts(kFive), 0.7315027111354, 2e-8);
  EXPECT_NEAR(of_counts(two), 0.7127269200842, 2e-8);
  EXPECT_NEAR(of_counts(uneven), 0.8124970645844, 2e-8);
  EXPECT_NEAR(of_counts(kThree), 0.626068863833, 3e-5);
  EXPECT_NEAR(of_counts(kFive), 0.731517354329, 3e-5);
  EXPECT_NEAR(of_counts(two), 0.712731857262, 3e-5);
  EXPECT_NEAR(of_counts(uneven), 0.812515998554, 3e-5);
}

TEST(Polychoric, MaximisesTheLikelihoodOfItsDefinition) {
  const Matrix X = rows_of_counts(kFive);
  const OrderedColumn a = ordered_column(X.col(0)), b = ordered_column(X.col(1));
  const auto below = [&](std::size_t i, std::size_t j, double rho) {
    if (std::isinf(b.cut[j])) return b.cut[j] < 0 ? 0.0 : normal_cdf(a.cut[i]);
    return integrated(a.cut[i], b.cut[j], rho);
  };
  const auto likelihood = [&](double rho) {
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        const double P = below(i + 1, j + 1, rho) - below(i, j + 1, rho) - below(i + 1, j, rho) +
                         below(i, j, rho);
        if (kFive(Eigen::Index(i), Eigen::Index(j)) > 0)
          sum += kFive(Eigen::Index(i), Eigen::Index(j)) * std::log(P);
      }
    return sum;
  };
  const double rho = of_counts(kFive);
  EXPECT_GT(likelihood(rho), likelihood(rho - 2e-3));
  EXPECT_GT(likelihood(rho), likelihood(rho + 2e-3));
}

TEST(Polychoric, AnEmptyCellOfTwoBinaryColumnsIsNotACorrelationOfOne) {
  const double rho = of_counts(Matrix{{40, 0}, {10, 35}});
  EXPECT_GT(rho, 0.8);
  EXPECT_LT(rho, 0.99);
  EXPECT_NEAR(of_counts(Matrix{{30, 0}, {0, 30}}), of_counts(Matrix{{30, 0}, {0, 30}}), 0);
}

/// No row has a rare level in both columns: without a correction rho is -0.9999.
TEST(Polychoric, AnEmptyCornerOfMoreLevelsIsNoneEither) {
  const Matrix counts{{700, 20, 9, 9}, {22, 0, 0, 0}, {8, 0, 0, 0}, {8, 0, 0, 0}};
  EXPECT_GT(of_counts(counts), -0.7);
  EXPECT_LT(of_counts(counts), 0);
  EXPECT_NEAR(of_counts(counts.transpose()), of_counts(counts), 1e-7);
  // Where hardly half a row is expected, the corner says nothing.
  EXPECT_NEAR(of_counts(Matrix{{390, 5}, {5, 0}}), 0, 0.01);
}

TEST(Polychoric, NamesPairsThatRestOnAnEmptyCorner) {
  const std::vector<ColumnKind> kinds(2, ColumnKind::ordinal);
  const auto rests = [&](const Matrix& counts) {
    return pairs_with_empty_corners(rows_of_counts(counts), kinds).size() == 1;
  };
  EXPECT_TRUE(rests(Matrix{{340, 30}, {30, 0}}));
  EXPECT_TRUE(rests(Matrix{{360, 20, 4}, {14, 0, 0}, {2, 0, 0}}));
  EXPECT_FALSE(rests(Matrix{{340, 30}, {29, 1}}));
  EXPECT_FALSE(rests(Matrix{{100, 50}, {50, 0}}));  // 12.5 are expected: that is no chance
  EXPECT_FALSE(rests(kFive));                       // its empty cells are no whole corner
}

/// Rows are counted by their bits, rows with weights one by one.
TEST(Polychoric, CountsRowsAsIfEachHadAWeight) {
  RandomStream random(12);
  Matrix X(150, 4);
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double mood = random.normal();
    for (Eigen::Index j = 0; j < 4; ++j)
      X(i, j) = std::floor(1.5 * (mood + random.normal()) + double(j) / 3);
  }
  X(7, 1) = X(8, 2) = X(149, 3) = std::nan("");
  const std::vector<ColumnKind> kinds(4, ColumnKind::ordinal);
  const MixedCorrelation plain = mixed_correlation(X, kinds);
  const MixedCorrelation weighted = mixed_correlation(X, kinds, Vector::Ones(150));
  EXPECT_LT((plain.R - weighted.R).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(plain.counts, weighted.counts);
  EXPECT_GT(plain.R(0, 1), 0.2);
}

TEST(OrderedColumn, KeepsLessOfTheGaussianVariableTheFewerLevelsItHas) {
  Vector halves(100);
  for (Eigen::Index i = 0; i < 100; ++i) halves[i] = double(i % 2);
  EXPECT_NEAR(ordered_column(halves).information, 2 / M_PI, 1e-12);  // E|Z|^2
  Vector many(100);
  for (Eigen::Index i = 0; i < 100; ++i) many[i] = double(i);
  EXPECT_GT(ordered_column(many).information, 0.98);
  halves[3] = std::nan("");
  EXPECT_EQ(ordered_column(halves).level[3], -1);
}

/// Latent correlation 0.5, cut into levels by the first two numbers; 0: left continuous.
Matrix cut_pairs(int levels_a, int levels_b, std::size_t n, RandomStream& random) {
  Matrix X(Eigen::Index(n), 2);
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double x = random.normal(), y = 0.5 * x + std::sqrt(0.75) * random.normal();
    const auto cut = [](double z, int levels) {  // uneven: the first level is the largest
      return levels == 0 ? z : std::floor(double(levels) * std::pow(normal_cdf(z), 1.5));
    };
    X.row(i) << cut(x, levels_a), cut(y, levels_b);
  }
  return X;
}

TEST(MixedCorrelation, IsUnbiasedWhereTheTruthIsKnown) {
  const auto kind = [](int levels) {
    return levels == 0 ? ColumnKind::gaussian : ColumnKind::ordinal;
  };
  for (const auto& [a, b] :
       std::vector<std::pair<int, int>>{{5, 5}, {2, 2}, {2, 4}, {3, 0}, {0, 2}}) {
    double sum = 0, squares = 0;
    constexpr int kTimes = 60;
    for (int k = 0; k < kTimes; ++k) {
      RandomStream random(11, std::uint64_t(k));
      const double rho =
          mixed_correlation(cut_pairs(a, b, 800, random), {kind(a), kind(b)}).R(0, 1);
      sum += rho, squares += rho * rho;
    }
    const double mean = sum / kTimes, error = std::sqrt((squares / kTimes - mean * mean) / kTimes);
    EXPECT_NEAR(mean, 0.5, 3.5 * error + 0.002) << a << " x " << b;
    EXPECT_LT(error, 0.01);
  }
}

TEST(MixedCorrelation, IsTheSameForAnyNumberOfThreads) {
  RandomStream random(3);
  Matrix X(120, 6);
  for (Eigen::Index i = 0; i < 120; ++i)
    for (Eigen::Index j = 0; j < 6; ++j) {
      const double z = random.normal() + (j > 0 ? X(i, 0) / 3 : 0);
      X(i, j) = j < 4 ? std::floor(z * 1.5) : z;
      if ((i + 3 * j) % 17 == 0) X(i, j) = std::nan("");
    }
  const std::vector<ColumnKind> kinds = {ColumnKind::ordinal,  ColumnKind::ordinal,
                                         ColumnKind::ordinal,  ColumnKind::ordinal,
                                         ColumnKind::gaussian, ColumnKind::ranks};
  ThreadPool pool(3);
  const Matrix one = mixed_correlation(X, kinds).R;
  EXPECT_EQ(one, mixed_correlation(X, kinds, {}, &pool).R);
  EXPECT_EQ(one, one.transpose());
  EXPECT_GT(one(0, 1), 0.1);
}

TEST(MixedCorrelation, WeightsCountAsRepeatedRows) {
  RandomStream random(9);
  const Matrix X = cut_pairs(4, 3, 60, random), mixed = cut_pairs(0, 3, 60, random);
  Vector weight(60);
  Matrix repeated(0, 2), repeated_mixed(0, 2);
  for (Eigen::Index i = 0; i < 60; ++i) {
    weight[i] = double(i % 3);
    for (int k = 0; k < i % 3; ++k) {
      repeated.conservativeResize(repeated.rows() + 1, 2);
      repeated.row(repeated.rows() - 1) = X.row(i);
      repeated_mixed.conservativeResize(repeated_mixed.rows() + 1, 2);
      repeated_mixed.row(repeated_mixed.rows() - 1) = mixed.row(i);
    }
  }
  const std::vector<ColumnKind> both = {ColumnKind::ordinal, ColumnKind::ordinal},
                                one = {ColumnKind::gaussian, ColumnKind::ordinal};
  EXPECT_NEAR(mixed_correlation(X, both, weight).R(0, 1), mixed_correlation(repeated, both).R(0, 1),
              1e-7);
  EXPECT_NEAR(mixed_correlation(mixed, one, weight).R(0, 1),
              mixed_correlation(repeated_mixed, one).R(0, 1), 1e-10);
}

/// Near 0 the shares that the levels keep, and (1 - rho^2)^2 over the variance of many estimates.
TEST(Polychoric, RowsToldAreThoseOfTheAsymptoticVariance) {
  const Vector none;
  Polychoric polychoric(none);
  for (const double rho : {0.0, 0.6}) {
    double mean = 0, squares = 0, effective = 0;
    constexpr int kDraws = 300, kRows = 500;
    for (int draw = 0; draw < kDraws; ++draw) {
      RandomStream random(17, std::uint64_t(draw));
      Vector x(kRows), y(kRows);
      for (int i = 0; i < kRows; ++i) {
        const double a = random.normal(), b = rho * a + std::sqrt(1 - rho * rho) * random.normal();
        x[i] = (a > -0.5) + (a > 0.8), y[i] = b > 0.3;
      }
      const double r = polychoric(ordered_column(x), ordered_column(y));
      mean += r / kDraws, squares += r * r / kDraws,
          effective += polychoric.effective_rows() / kDraws;
    }
    const double variance = squares - mean * mean;
    EXPECT_NEAR(effective, std::pow(1 - rho * rho, 2) / variance, 0.2 * effective) << rho;
  }
}

}  // namespace
}  // namespace spodnet::test
