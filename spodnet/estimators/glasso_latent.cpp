#include "spodnet/estimators/glasso_latent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/core/spectral_products.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr int kBetweenChecks = 10;   ///< iterations
constexpr double kUnbalanced = 5;    ///< ratio of residuals from which the step changes
constexpr double kStepChange = 1.5;  ///< by which factor
constexpr double kInfinite = std::numeric_limits<double>::infinity();

void check(const MatrixRef& S, const GlassoLatentOptions& options) {
  check_symmetric(S, "glasso-latent");
  if (!(S.diagonal().array() > 0).all())
    throw Error("glasso-latent: a variance is 0: leave out the constant column");
  if (!(options.lambda > 0) || !(options.gamma > 0) || !std::isfinite(options.lambda) ||
      !std::isfinite(options.gamma))
    throw Error("glasso-latent: lambda and gamma must be positive numbers");
}

/// Functions of a symmetric matrix by its eigenvalues.
class Spectral {
 public:
  explicit Spectral(Eigen::Index p) : lower_(packed_size(std::size_t(p))), f_(std::size_t(p)) {
    eigen_.resize(std::size_t(p));
    products_.resize(std::size_t(p));
  }

  /// A <- V' f(y) V, exactly symmetric; false where A is not finite.
  template <class F>
  bool map(Matrix& A, F f) {
    if (!decompose(A)) return false;
    for (std::size_t k = 0; k < f_.size(); ++k) f_[k] = f(eigen_.y[k]);
    products_.assemble(eigen_, f_.data(), lower_.data());
    unpack_symmetric(lower_.data(), f_.size(), f_.size(), A.data());
    return true;
  }

  double largest(const Matrix& A) {
    if (!decompose(A)) return kInfinite;
    return *std::max_element(eigen_.y.begin(), eigen_.y.begin() + std::ptrdiff_t(f_.size()));
  }

  int positive() const {  ///< values of f above 0, of the last map
    return int(std::count_if(f_.begin(), f_.end(), [](double f) { return f > 0; }));
  }

 private:
  bool decompose(const Matrix& A) {
    pack_lower(A.data(), f_.size(), f_.size(), lower_.data());
    return symmetric_eigen(lower_.data(), eigen_) == Status::ok;
  }

  SymmetricEigen eigen_;
  SpectralProducts products_;
  AlignedVector lower_, f_;
};

void soften(Matrix& A, double threshold) {
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (i != j)
        A(i, j) = std::copysign(std::max(std::abs(A(i, j)) - threshold, 0.0), A(i, j)) + 0.0;
}

/// A - L, A and L with their agreeing copies and multipliers (scaled by 1 / rho).
class Alternating {
 public:
  Alternating(const MatrixRef& S, const GlassoLatentOptions& options)
      : S_(S), options_(options), spectral_(S.rows()) {
    const Eigen::Index p = S.rows();
    symmetrise(S_);
    rho_ = std::pow(S_.diagonal().mean(), 2);  // Theta is measured in units of 1 / S
    copy_A_ = S_.diagonal().cwiseInverse().asDiagonal();
    copy_L_ = Matrix::Zero(p, p);
    consider(copy_A_, copy_L_, 0);
    if (options.start && options.start->A.rows() == p) {
      copy_A_ = options.start->A, copy_L_ = options.start->L;
      consider(copy_A_, copy_L_, options.start->factors);
    }
    copy_R_ = copy_A_ - copy_L_;
    y_R_ = y_A_ = y_L_ = Matrix::Zero(p, p);
  }

  GlassoLatentResult run() {
    int k = 0;
    for (best_.status = Status::not_converged; k < options_.max_iterations;) {
      leave_if_stopped();
      if (!iterate()) break;
      if (++k % kBetweenChecks) continue;
      consider(A_, L_, factors_);
      raise_bound();
      if (best_.objective - bound_ <= options_.tolerance * double(S_.rows())) {
        best_.status = Status::ok;
        break;
      }
      balance();
    }
    best_.duality_gap = best_.objective - bound_;
    best_.iterations = k;
    best_.residual = inverse_residual(best_.Theta, best_.W);
    return std::move(best_);
  }

 private:
  bool iterate() {
    R_ = rho_ * (copy_R_ - y_R_) - S_;
    const bool finite = spectral_.map(
        R_, [this](double d) { return (d + std::hypot(d, 2 * std::sqrt(rho_))) / (2 * rho_); });
    A_ = copy_A_ - y_A_;
    subgradient_ = rho_ * A_;
    soften(A_, options_.lambda / rho_);
    subgradient_ -= rho_ * A_;  // of lambda |A|, exactly
    L_ = copy_L_ - y_L_;
    const double shift = options_.gamma / rho_;
    if (!finite || !spectral_.map(L_, [=](double d) { return std::max(d - shift, 0.0); }))
      return false;
    factors_ = spectral_.positive();
    agree();
    return true;
  }

  /// The nearest copies with copy_R = copy_A - copy_L, then the multipliers.
  void agree() {
    y_R_ += R_, y_A_ += A_, y_L_ += L_;
    const Matrix third = (y_R_ - y_A_ + y_L_) / 3;
    moved_ = 0;
    const auto settle = [this](Matrix& copy, Matrix& y, const Matrix& step) {
      const Matrix next = y + step;
      moved_ += (next - copy).squaredNorm();
      copy = next;
      y -= next;
    };
    settle(copy_R_, y_R_, -third);
    settle(copy_A_, y_A_, third);
    settle(copy_L_, y_L_, -third);
    apart_ =
        (R_ - copy_R_).squaredNorm() + (A_ - copy_A_).squaredNorm() + (L_ - copy_L_).squaredNorm();
  }

  void balance() {
    const double ratio = std::sqrt(apart_ / std::max(moved_, 1e-300)) / rho_;
    const double factor = ratio > kUnbalanced       ? kStepChange
                          : ratio < 1 / kUnbalanced ? 1 / kStepChange
                                                    : 1;
    rho_ *= factor;
    for (Matrix* y : {&y_R_, &y_A_, &y_L_}) *y /= factor;
  }

  /// Takes a pair that is better than the best so far.
  void consider(const Matrix& A, const Matrix& L, int factors) {
    const Matrix Theta = A - L;
    Matrix W;
    const double log_det = spd_inverse(Theta, W);
    if (!std::isfinite(log_det) || !std::isfinite(spd_log_det(A))) return;
    const double penalty =
        options_.lambda * (A.cwiseAbs().sum() - A.diagonal().sum()) + options_.gamma * L.trace();
    const double objective = S_.cwiseProduct(Theta).sum() - log_det + penalty;
    if (best_.A.size() > 0 && !(objective < best_.objective)) return;
    best_.A = A, best_.L = L, best_.Theta = Theta, best_.W = std::move(W);
    best_.objective = objective, best_.log_det = log_det, best_.factors = factors;
  }

  /// From W = S + U, U the penalty's subgradient at A, drawn back to S until it is feasible.
  void raise_bound() {
    const double excess = spectral_.largest(-subgradient_);
    const double share = excess > options_.gamma ? options_.gamma / excess : 1;
    Matrix U = share * subgradient_;
    U.diagonal().setZero();
    bound_ = std::max(bound_, spd_log_det(S_ + U) + double(S_.rows()));
  }

  Matrix S_;
  const GlassoLatentOptions& options_;
  Spectral spectral_;
  double rho_ = 1, moved_ = 0, apart_ = 0, bound_ = -kInfinite;
  int factors_ = 0;
  Matrix R_, A_, L_, copy_R_, copy_A_, copy_L_, y_R_, y_A_, y_L_, subgradient_;
  GlassoLatentResult best_;
};

}  // namespace

GlassoLatentResult glasso_latent(const MatrixRef& S, const GlassoLatentOptions& options) {
  check(S, options);
  return Alternating(S, options).run();
}

}  // namespace spodnet
