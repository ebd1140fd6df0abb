#pragma once

#include <cstdint>

#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/generate/row_law.hpp"

namespace spodnet {

/// Problems like those that tables of measurements pose: graphs of all kinds but small-world, hubs
/// and the three of the plane (they are for evaluation), hidden causes, collinear variables, the
/// truths of table_truth.hpp, and rows of any law.
struct TableMix {
  SizeRange p{2, 100};
  LogRange ratio{0.1, 300};  ///< n / p; n is at least 4
  std::size_t largest_n = 20000;
  std::size_t largest_drawn = 2000;  ///< rows that are not Gaussian: n is at most this
  double dense = 0;       ///< share with dense_precision behind them; 10 / p of it beyond p = 10
  double rough = 0;       ///< share of rough tables (rough_rows.hpp)
  double levels = 0;      ///< share of tables of answers (level_rows.hpp), at least 20 rows
  double gaussian = 0.5;  ///< share of tables with Gaussian rows among the others
  std::uint64_t together = 1;  ///< successive tables that share truth, law and n
  std::uint64_t seed = 0;
};

/// Number `index` of the seed's sequence: depends on (seed, index) and the mix alone. S is about
/// the mean of the n rows. The pair's Theta_true is the precision of other rows of the same law
/// about that mean: n / (n + 1) of the law's own, which is its expectation. Rows with a constant
/// column become Gaussian (rough ones stay). Its n is n / tail_factor where the rows are not
/// Gaussian.
MatrixPair draw_table_problem(const TableMix& mix, std::uint64_t index);

}  // namespace spodnet
