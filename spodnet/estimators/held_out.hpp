#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// The rows of a fold made ready for a method, and how to undo it: a row x of the data is
/// (x - mean) / scale in the method's units.
struct TrainingPart {
  Matrix X;  ///< rows in the method's units; empty (0 x 0) where only S is known
  Matrix S;  ///< their covariance, p x p
  double n = 0;
  Vector mean, scale;  ///< length p, scale > 0
  /// What the rows of each column show of the variable that S is about (tables/polychoric.hpp:
  /// levels of it): a share of their variance; empty: all.
  Vector information = {};
};

/// How training rows, given by their places in X, become a TrainingPart.
using PrepareRows = std::function<TrainingPart(const std::vector<std::uint32_t>& rows)>;

/// Standard deviations (divisor n) of the observed values of each column; a constant one: Error.
Vector column_deviations(const Matrix& X);

/// Centred by the rows' own means and, when asked, divided by their own standard deviations; a
/// column constant in these rows takes its entry of `fallback` there (all positive). Complete rows
/// only. The covariance of a constant column is 1 (or its fallback's square), uncorrelated.
TrainingPart centred_part(const Matrix& rows, const Vector& fallback, bool standardize);

struct HeldOutOptions {
  int folds = 5;
  std::uint64_t seed = 0;   ///< of the order of the rows: the same folds for every method
  bool shuffle = true;      ///< false: folds of consecutive rows (successive rows depend)
  bool standardize = true;  ///< each training part by its own standard deviations
  const Constraints* constraints = nullptr;  ///< given to the method in every fold
  PrepareRows prepare = {};                  ///< null: centred_part, which needs complete rows
  ThreadPool* pool = nullptr;  ///< folds side by side; the numbers are the same without
};

/// Log-likelihood per held-out row, in the units of the data.
struct HeldOut {
  double mean = 0;             ///< over the folds
  double sd = 0;               ///< standard deviation over the folds, divisor folds - 1
  std::vector<double> folds;   ///< -infinity where Theta was not SPD
  Status status = Status::ok;  ///< the first that was not ok ...
  std::string message;         ///< ... with its line
  double seconds = 0;          ///< for all folds
};

/// How well `method` predicts rows of X (n x p) it has not seen. In each fold the method is fitted
/// to the training rows; the score is the mean over the held-out rows x of
///   log N((x - mean) / scale; 0, W) - sum_j log scale_j,
/// W = Theta^{-1} and mean and scale those of the training rows alone. Of a row with missing values
/// (NaN) the observed entries count, by their marginal. Where columns hold scores of levels W_ij is
/// times sqrt(information_i information_j), i != j: the covariance of scores, to first order. Fewer
/// than 2 folds or rows than folds, a column that is constant in all rows: Error; so is what the
/// method itself refuses.
[[nodiscard]] HeldOut held_out_likelihood(const Method& method, const Matrix& X,
                                          const HeldOutOptions& options = {});

/// Throws the Error of a number of folds that does not fit the rows.
void check_held_out(const Matrix& X, const HeldOutOptions& options);

/// The held-out rows of each fold: a permutation of 0 .. n-1 drawn from the stream (seed, 0) (or
/// the natural order) cut into parts whose sizes differ by at most one. Each part ascends.
std::vector<std::vector<std::uint32_t>> fold_rows(std::size_t n, int folds, std::uint64_t seed,
                                                  bool shuffle = true);

}  // namespace spodnet
