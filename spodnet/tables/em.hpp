#pragma once

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

struct EmOptions {
  int max_iterations = 500;
  double tolerance = 1e-6;          ///< largest change of a correlation between two iterations
  const Matrix* S_start = nullptr;  ///< a covariance to start from, else pairwise
  const Vector* mean_start = nullptr;
};

/// Mean and covariance of Gaussian samples with missing values.
struct EmResult {
  Vector mean;
  Matrix S;                    ///< p x p, positive semidefinite
  Status status = Status::ok;  ///< not_converged: the last iterate
  int iterations = 0;
};

/// Maximum likelihood by expectation-maximisation, for values that are missing at random (whether a
/// value is missing may depend on what is observed, not on the value itself). With Theta = S^{-1},
/// the missing part of a row given its observed part is Gaussian with
///   mean  mu_m - Theta_mm^{-1} Theta_mo (x_o - mu_o),   covariance  Theta_mm^{-1},
/// and S is the mean over rows of the expected (x - mu)(x - mu)^T. With fewer than 10 p rows the
/// first step takes Theta of S shrunk towards its diagonal, by p / (n + p) up to 2 p rows and less
/// and less beyond: a nearly singular S would predict missing values almost without error. X is n x
/// p, finite or NaN, no column constant or empty. Cost per iteration: p^3 + n (p^2 + p m^2), m
/// values missing in a row.
[[nodiscard]] EmResult em_covariance(const MatrixRef& X, const EmOptions& options = {});

/// X with each missing value replaced by its expectation given the row's observed ones under
/// N(mean, S), with fewer than 2 p rows of S shrunk as above: it may be singular.
Matrix fill_missing(const MatrixRef& X, const Vector& mean, const Matrix& S);

}  // namespace spodnet
