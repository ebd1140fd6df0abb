#include "spodnet/generate/precision_family.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/generate/graph_precision.hpp"
#include "spodnet/generate/sparse_precision.hpp"

namespace spodnet {
namespace {

double condition_of(const Matrix& Theta) {
  const Vector eig = Eigen::SelfAdjointEigenSolver<Matrix>(Theta).eigenvalues();
  return eig[eig.size() - 1] / eig[0];
}

/// Smallest and largest off-diagonal entry.
std::pair<double, double> offdiagonal_range(Matrix Theta) {
  Theta.diagonal().setZero();
  return {Theta.minCoeff(), Theta.maxCoeff()};
}

TEST(PrecisionFamily, SymmetricPositiveDefiniteOfTheConditionAskedFor) {
  std::vector<PrecisionFamily> families = sparse_families();
  for (const char* name : {"grid", "plane", "tree"}) families.push_back(families_from(name)[0]);
  for (const PrecisionFamily family : families)
    for (const Signs signs : {Signs::positive, Signs::negative, Signs::mixed})
      for (std::size_t p : {1, 2, 3, 20, 60})
        for (double condition : {1.5, 30.0, 1e4}) {
          RandomStream random(1, p);
          const Matrix Theta = make_precision(
              {.family = family, .signs = signs, .condition = condition}, p, 0.8, random);
          EXPECT_EQ(Theta, Matrix(Theta.transpose()));
          EXPECT_EQ(Eigen::LLT<Matrix>(Theta).info(), Eigen::Success);
          const bool diagonal = offdiagonal_range(Theta) == std::pair(0.0, 0.0);
          EXPECT_NEAR(condition_of(Theta) / (diagonal ? 1.0 : condition), 1, 1e-9)
              << to_string(family) << " p = " << p;
        }
}

TEST(PrecisionFamily, SignsOfThePartialCorrelations) {
  for (const PrecisionFamily family : sparse_families()) {
    const auto range = [&](Signs signs) {
      RandomStream random(2, 0);
      return offdiagonal_range(
          make_precision({.family = family, .signs = signs, .condition = 20}, 40, 0.9, random));
    };
    const auto [positive_low, positive_high] = range(Signs::positive);
    EXPECT_LT(positive_low, 0);
    EXPECT_TRUE(positive_high == 0 || family == PrecisionFamily::sparse_cholesky);
    const auto [negative_low, negative_high] = range(Signs::negative);
    EXPECT_EQ(negative_low, 0);
    EXPECT_GT(negative_high, 0);
    const auto [mixed_low, mixed_high] = range(Signs::mixed);
    EXPECT_LT(mixed_low, 0);
    EXPECT_GT(mixed_high, 0);
  }
}

TEST(PrecisionFamily, SparsityIsThatOfTheGraph) {
  for (const PrecisionFamily family : sparse_families()) {
    if (family == PrecisionFamily::sparse_cholesky) continue;  // its own test
    for (double alpha : {0.9, 0.6}) {
      double edges = 0;
      const int count = 200;
      for (std::uint64_t k = 0; k < count; ++k) {
        RandomStream random(3, k);
        const Matrix Theta = make_precision({.family = family, .condition = 10}, 30, alpha, random);
        edges += (double((Theta.array() != 0).count()) - 30) / (30 * 29.0 * count);
      }
      EXPECT_NEAR(edges, 1 - alpha, 0.02) << to_string(family);
    }
  }
}

TEST(PrecisionFamily, BandsAreConstantAlongTheDiagonalsAndEnd) {
  RandomStream random(4, 0);
  const Matrix Theta =
      make_precision({.family = PrecisionFamily::bands, .condition = 50}, 40, 0.85, random);
  Eigen::Index bandwidth = 0;
  for (Eigen::Index lag = 1; lag < 40; ++lag) {
    EXPECT_EQ(Theta.diagonal(lag).minCoeff(), Theta.diagonal(lag).maxCoeff());
    if (Theta(0, lag) == 0) continue;
    EXPECT_EQ(bandwidth + 1, lag) << "a gap in the band";
    bandwidth = lag;
  }
  EXPECT_GE(bandwidth, 2);
  EXPECT_LE(bandwidth, 4);
}

TEST(PrecisionFamily, ShuffledMatricesAreTheSameUpToTheOrder) {
  const PrecisionDraw ordered{.family = PrecisionFamily::bands, .condition = 10};
  PrecisionDraw shuffled = ordered;
  shuffled.shuffle = true;
  RandomStream one(5, 0), two(5, 0);
  const Matrix A = make_precision(ordered, 25, 0.9, one),
               B = make_precision(shuffled, 25, 0.9, two);
  EXPECT_NE(A, B);
  Vector a = A.reshaped(), b = B.reshaped();
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
}

TEST(PrecisionFamily, DefaultIsThePapersMatrixNumberForNumber) {
  RandomStream kinds(9, 3), one(9, 3), two(9, 3);
  const PrecisionDraw kind = draw_precision_kind({}, kinds);
  EXPECT_EQ(make_precision(kind, 20, 0.8, one),
            make_sparse_precision({.p = 20, .alpha = 0.8}, two));
  EXPECT_EQ(one.uniform(), two.uniform());
}

TEST(PrecisionFamily, AMixDrawsEveryKindAlike) {
  std::map<std::string, int> families, signs;
  const int count = 7000;
  double low = 1e9, high = 0, middle = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    RandomStream random(6, k);
    const PrecisionDraw kind = draw_precision_kind(
        {.families = families_from("mix"), .condition = LogRange{10, 1000}}, random);
    ++families[to_string(kind.family)];
    if (kind.family != PrecisionFamily::sparse_cholesky) ++signs[to_string(kind.signs)];
    low = std::min(low, *kind.condition), high = std::max(high, *kind.condition);
    middle += *kind.condition < 100;
  }
  EXPECT_EQ(families.size(), 7u);
  for (const auto& [name, times] : families) EXPECT_NEAR(times, 1000, 150) << name;
  EXPECT_EQ(signs.size(), 3u);
  for (const auto& [name, times] : signs) EXPECT_NEAR(times, 2000, 200) << name;
  EXPECT_GE(low, 10);
  EXPECT_LT(high, 1000);
  EXPECT_NEAR(middle / count, 0.5, 0.03);  // log-uniform
}

TEST(PrecisionFamily, ADataSetOfAMixIsTheSameForAnyThreadsAndSaysHowItWasMade) {
  DataSetOptions options{.p = 12, .n = 15, .count = 60, .seed = 3};
  options.generator = {.families = families_from("mix"), .condition = LogRange{2, 50}};
  ThreadPool one(1), three(3);
  const DataSet a = generate_dataset(options, one), b = generate_dataset(options, three);
  EXPECT_EQ(a.S.values, b.S.values);
  EXPECT_EQ(a.Theta_true.values, b.Theta_true.values);
  EXPECT_EQ(a.info.at("generator"), "mix");
  EXPECT_EQ(a.info.at("condition"), "2:50");
  EXPECT_FALSE(a.info.contains("signs"));
}

TEST(PrecisionFamily, NamesReadBack) {
  for (const PrecisionFamily family : all_families())
    EXPECT_EQ(families_from(to_string(family)), std::vector{family});
  EXPECT_EQ(families_from("hubs,bands"),
            (std::vector{PrecisionFamily::hubs, PrecisionFamily::bands}));
  EXPECT_EQ(to_string(families_from("mix")), "mix");
  EXPECT_EQ(to_string(families_from("bands,hubs")), "bands,hubs");
  for (const char* wrong : {"", "stars", "hubs,", "hubs bands", "mix,hubs"})
    EXPECT_THROW(families_from(wrong), Error) << wrong;
  for (const Signs signs : {Signs::positive, Signs::negative, Signs::mixed})
    EXPECT_EQ(signs_from(to_string(signs)), signs);
  EXPECT_THROW(signs_from("both"), Error);
}

TEST(PrecisionFamily, RefusesBadMixes) {
  EXPECT_THROW(check_mix({.families = {}}), Error);
  EXPECT_THROW(check_mix({.condition = LogRange{1, 10}}), Error);
  EXPECT_THROW(check_mix({.condition = LogRange{10, 2}}), Error);
  EXPECT_THROW(shift_to_condition(Matrix::Zero(2, 2), 1.0), Error);
}

TEST(LogRange, ReadsWritesAndDrawsBothEnds) {
  EXPECT_EQ(to_string(log_range_from("2.5", "x")), "2.5");
  EXPECT_EQ(to_string(log_range_from("2:300", "x")), "2:300");
  EXPECT_EQ(to_string(size_range_from("7", "x")), "7");
  EXPECT_EQ(to_string(size_range_from("5:100", "x")), "5:100");
  for (const char* wrong : {"", "a", "1:", ":3", "0", "-1:4", "5:2", "1:2:3", "nan", "inf"}) {
    EXPECT_THROW(log_range_from(wrong, "x"), Error) << wrong;
    EXPECT_THROW(size_range_from(wrong, "x"), Error) << wrong;
  }
  const SizeRange range(5, 8);
  std::map<std::size_t, double> drawn;
  RandomStream random(1, 0);
  for (int k = 0; k < 20000; ++k) drawn[range.at(random.uniform())] += 1.0 / 20000;
  ASSERT_EQ(drawn.size(), 4u);
  for (const auto& [k, share] : drawn)
    EXPECT_NEAR(share, std::log((double(k) + 1) / double(k)) / std::log(9.0 / 5), 0.015);
  EXPECT_EQ(range.at(0), 5u);
  EXPECT_EQ(range.at(1 - 1e-16), 8u);
}

}  // namespace
}  // namespace spodnet
