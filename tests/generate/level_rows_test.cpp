// Problems of tables with levels: what many rows of them say is what they are judged by.
#include "spodnet/generate/level_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/generate/table_problem.hpp"

namespace spodnet::test {
namespace {

Matrix chain() {
  Matrix Theta = 2 * Matrix::Identity(5, 5);
  for (Eigen::Index j = 1; j < 5; ++j) Theta(j, j - 1) = Theta(j - 1, j) = j % 2 ? -0.8 : 0.8;
  return Theta;
}

/// tr(Sigma Theta) - log det(Sigma Theta) - p of the problem's S as Sigma.
double distance(const MatrixPair& pair) {
  return pair.S.cwiseProduct(pair.Theta_true).sum() - double(pair.S.rows()) - spd_log_det(pair.S) -
         spd_log_det(pair.Theta_true);
}

TEST(LevelRows, ManyRowsTellTheTruth) {
  for (std::uint64_t index = 0; index < 25; ++index) {
    RandomStream random(3, index);
    const auto pair = draw_level_problem(chain(), 4000, random);
    ASSERT_TRUE(pair) << index;
    EXPECT_LT(distance(*pair), 0.1) << "table " << index;
    EXPECT_LE(pair->n, 4000);
    EXPECT_GE(pair->n, 2);
  }
}

TEST(LevelRows, FewRowsLeaveAProblem) {
  for (std::uint64_t index = 0; index < 100; ++index) {
    RandomStream random(4, index);
    const auto pair = draw_level_problem(chain(), 20, random);
    if (!pair) continue;
    ASSERT_EQ(pair->S.rows(), pair->Theta_true.rows());
    EXPECT_GE(pair->S.rows(), 2);
    EXPECT_TRUE(pair->S.allFinite());
    EXPECT_GT(pair->S.diagonal().minCoeff(), 0);
    EXPECT_TRUE(std::isfinite(spd_log_det(pair->Theta_true)));
  }
}

TEST(LevelRows, OneOfTheProblemsOfTables) {
  const TableMix without{.p = {4, 8}, .ratio = {4, 8}, .seed = 5};
  TableMix with = without;
  with.levels = 1;
  int other = 0;
  for (std::uint64_t index = 0; index < 10; ++index) {
    const MatrixPair pair = draw_table_problem(with, index);
    EXPECT_EQ(pair.S, draw_table_problem(with, index).S);
    other += pair.S != draw_table_problem(without, index).S;
  }
  EXPECT_EQ(other, 10);
}

}  // namespace
}  // namespace spodnet::test
