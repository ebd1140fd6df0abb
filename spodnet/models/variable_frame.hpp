#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// D = diag(S)^{-1/2}, each entry a mantissa in [1/2, 1) times a power of two: x d_i d_j is then
/// the same for (i, j) and (j, i), and units that change by powers of two change it exactly.
struct UnitScales {
  std::vector<double> mantissa, power;
  std::vector<bool> constant;  ///< variables without variance: d = 1, they keep their unit

  UnitScales(const double* S, std::size_t p);

  double times(double x, std::size_t i, std::size_t j) const {
    return x * (mantissa[i] * mantissa[j]) * power[i] * power[j];
  }
  double divide(double x, std::size_t i, std::size_t j) const {
    return x / (mantissa[i] * mantissa[j]) / power[i] / power[j];
  }
};

/// The way of a problem into a network that must not depend on the order of the variables (nor, if
/// standardized, on their units), and of the result out of it:
///   S_in = P D S D P',  Theta_in = P D^{-1} Theta D^{-1} P'
/// P sorts the variables by their summed squared correlations, the largest first; D = I unless
/// standardized. A variable without variance then enters as uncorrelated with variance 1. Zeros,
/// symmetry and definiteness are kept.
class VariableFrame {
 public:
  /// Reads S (p x p, contiguous, row-major). Cost: 2 p^2.
  VariableFrame(const double* S, std::size_t p, bool standardized);

  const std::vector<std::size_t>& order() const { return order_; }
  void enter_covariance(const double* S, double* S_in) const;
  void enter_precision(const double* Theta, double* Theta_in) const;
  /// Of dL/dTheta: that of dL/dTheta_in.
  void enter_gradient(const double* G, double* G_in) const;
  Matrix leave_covariance(const Matrix& W_in) const;
  Matrix leave_precision(const Matrix& Theta_in) const;

 private:
  UnitScales d_;
  bool standardized_;
  std::vector<std::size_t> order_;  ///< variable order_[k] enters as number k
};

}  // namespace spodnet
