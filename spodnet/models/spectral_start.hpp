#pragma once

#include <vector>

#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/layer/adjoint_state.hpp"
#include "spodnet/models/column_mlp.hpp"
#include "spodnet/problem/sample.hpp"
#include "spodnet/tables/nonlinear_spectrum.hpp"

namespace spodnet {

/// A learned start of a network: the correlation matrix with its eigenvalues shrunk one by one,
///   W_in = sum_k h_k u_k u_k',   h_k = d_k exp(tau 3 phi(a_k / 3)) + c^2 e exp(4 phi(b_k / 4)),
/// with d_k those of analytical nonlinear shrinkage, c = min(1, p / n) (1 for eigenvalues that are
/// 0), tau = min(1, 2 p / n), e the level of the small eigenvalues that n samples show and
/// (a_k, b_k) = MLP(features of eigenvalue k). SPD by construction; W_in = S in the limit of n /
/// p, whatever the weights.
class SpectralStart {
 public:
  static constexpr std::size_t kFeatures = 17;

  /// One matrix: its eigenvalues and what the network made of them.
  struct Tape {
    ColumnMlp::Prepared weights;
    SymmetricEigen eigen;
    AlignedVector lower, W;  ///< scratch; W_in, p x p
    AlignedVector x, h, out, d_out, d_x;
    std::vector<double> value, first, second;  ///< h_k and its two terms
    ColumnMlp::Pending pending;
  };

  SpectralStart();

  const ParameterLayout& layout() const { return layout_; }

  /// W_in of a sample's S, from the weights (in the order of the layout); the pointer is into the
  /// tape. `summary` has kSummaryNumbers. A matrix that is not finite gives one that is not.
  const double* forward(const double* weights, const Sample& sample, const double* summary,
                        Tape& tape, ThreadPool* pool = nullptr) const;
  /// From the adjoint G of Theta_in = W_in^{-1}, adds to d_weights: the eigenvalue h_k has
  /// d_h_k = -u_k' G u_k / h_k^2.
  void backward(AdjointState& adjoint, const Sample& sample, Tape& tape, double* d_weights) const;

 private:
  void set_features(const Sample& sample, const double* summary, const NonlinearSpectrum& shrunk,
                    double level, Tape& tape) const;

  ParameterLayout layout_;
  ColumnMlp mlp_;
};

}  // namespace spodnet
