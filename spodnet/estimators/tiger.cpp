#include "spodnet/estimators/tiger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/estimators/lasso.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr int kSigmaRounds = 200;          // of one lasso at a fixed sigma
constexpr double kSigmaTolerance = 1e-10;  // of sigma^2, relative
constexpr double kSmallestSigma2 = 1e-10;  // sigma^2 of a variable that the others determine

/// Correlations, rows padded.
struct Correlations {
  std::size_t p, ld;
  AlignedVector rows;

  explicit Correlations(const MatrixRef& S)
      : p(std::size_t(S.rows())), ld(padded(p)), rows(p * ld) {
    const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
    for (Eigen::Index i = 0; i < S.rows(); ++i)
      for (Eigen::Index j = 0; j < S.cols(); ++j)
        rows[std::size_t(i) * ld + std::size_t(j)] = i == j ? 1 : S(i, j) * scale[i] * scale[j];
  }
  const double* row(std::size_t j) const { return rows.data() + j * ld; }
};

/// The square-root lasso of variable j on the others, warm from one lambda to the next.
class Regression {
 public:
  Regression(const Correlations& R, std::size_t j)
      : R_(R), j_(j), b_(R.ld), penalty_(R.p), residual_(R.ld) {}

  /// For a fixed sigma the minimiser over b is a lasso with penalty lambda sigma, and the next
  /// sigma is that of its residual. While signs and zeros stay, sigma^2 of the residual is linear
  /// in sigma^2: two rounds give its fixed point.
  void solve(double lambda) {
    lambda_ = lambda;
    double before = 0, before_out = 0;
    for (int round = 0; round < kSigmaRounds; ++round) {
      leave_if_stopped();
      const double out = residual_variance(std::sqrt(variance_));
      const double slope = round > 0 ? (out - before_out) / (variance_ - before) : 0;
      before = variance_, before_out = out;
      if (std::abs(out - variance_) <= kSigmaTolerance * variance_ || out <= kSmallestSigma2) {
        variance_ = std::max(out, kSmallestSigma2);
        return;
      }
      const double at_rest = slope > 0 && slope < 1 ? (out - slope * before) / (1 - slope) : out;
      variance_ = at_rest > kSmallestSigma2 ? at_rest : out;
    }
  }

  double variance() const { return variance_; }
  const AlignedVector& b() const { return b_; }

  double violation() const {
    const double sigma = std::sqrt(variance_);
    double worst = 0;
    for (std::size_t l = 0; l < R_.p; ++l) {
      if (l == j_) continue;
      const double at = b_[l] == 0 ? std::max(std::abs(residual_[l]) - lambda_ * sigma, 0.0)
                                   : std::abs(residual_[l] - std::copysign(lambda_ * sigma, b_[l]));
      worst = std::max(worst, at / sigma);
    }
    return worst;
  }

 private:
  /// Solves the lasso at this sigma; sigma^2 of its residual.
  double residual_variance(double sigma) {
    std::fill(penalty_.begin(), penalty_.end(), lambda_ * sigma);
    penalty_[j_] = std::numeric_limits<double>::infinity();  // not on itself
    (void)lasso({R_.p, R_.rows.data(), R_.row(j_), penalty_.data()},
                kSigmaTolerance * kSigmaTolerance * sigma * sigma, b_.data(), workspace_);
    std::copy_n(R_.row(j_), R_.ld, residual_.begin());
    double explained = 0;
    for (std::size_t l = 0; l < R_.p; ++l) {
      if (b_[l] == 0) continue;
      kernels().axpy(R_.ld, -b_[l], R_.row(l), residual_.data());
      explained += b_[l] * R_.row(j_)[l];
    }
    double rest = 0;  // b'(R_j - R b)
    for (std::size_t l = 0; l < R_.p; ++l) rest += b_[l] * residual_[l];
    return 1 - explained - rest;
  }

  const Correlations& R_;
  std::size_t j_;
  double lambda_ = 0, variance_ = 1;
  AlignedVector b_, penalty_, residual_;
  LassoWorkspace workspace_;
};

Vector column_of_precision(const Regression& fit, std::size_t j, const Vector& deviations) {
  const double scale = 1 / (fit.variance() * deviations[Eigen::Index(j)]);
  Vector column(deviations.size());
  for (Eigen::Index l = 0; l < column.size(); ++l)
    column[l] = -fit.b()[std::size_t(l)] * scale / deviations[l];
  column[Eigen::Index(j)] = scale / deviations[Eigen::Index(j)];
  return column;
}

void check_tiger(const MatrixRef& S, std::span<const double> lambdas) {
  check_symmetric(S, "tiger");
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    if (!(S(i, i) > 0))
      throw Error(fmt::format("tiger: variable {} (counted from 0) is constant; drop it", i));
  for (double lambda : lambdas)
    if (!(lambda >= 0) || !std::isfinite(lambda))
      throw Error(fmt::format("tiger: lambda is {}, it must be a number of at least 0", lambda));
}

}  // namespace

std::vector<ColumnsResult> tiger_path(const MatrixRef& S, std::span<const double> lambdas,
                                      ThreadPool* pool) {
  check_tiger(S, lambdas);
  const Eigen::Index p = S.rows();
  const Correlations R(S);
  const Vector deviations = S.diagonal().cwiseSqrt();
  std::vector<Matrix> columns(lambdas.size(), Matrix(p, p));
  Matrix violations(p, Eigen::Index(lambdas.size()));
  for_each(std::size_t(p), pool, [&](std::size_t j) {
    Regression regression(R, j);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      regression.solve(lambdas[l]);
      columns[l].row(Eigen::Index(j)) = column_of_precision(regression, j, deviations).transpose();
      violations(Eigen::Index(j), Eigen::Index(l)) = regression.variance() > kSmallestSigma2
                                                         ? regression.violation()
                                                         : std::numeric_limits<double>::infinity();
    }
  });
  std::vector<ColumnsResult> out(lambdas.size());
  for_each(lambdas.size(), pool, [&](std::size_t l) {
    out[l] = join_columns(columns[l], lambdas[l]);
    out[l].violation = violations.col(Eigen::Index(l)).maxCoeff();
    if (!(out[l].violation <= kWorstOfColumns)) out[l].status = Status::not_converged;
  });
  return out;
}

ColumnsResult tiger(const MatrixRef& S, double lambda, ThreadPool* pool) {
  return tiger_path(S, {&lambda, 1}, pool).front();
}

Vector tiger_column(const MatrixRef& S, Eigen::Index j, double lambda) {
  check_tiger(S, {&lambda, 1});
  const Correlations R(S);
  Regression regression(R, std::size_t(j));
  regression.solve(lambda);
  return column_of_precision(regression, std::size_t(j), S.diagonal().cwiseSqrt());
}

double tiger_lambda(Eigen::Index p, double n) { return std::sqrt(std::log(double(p)) / n); }

ColumnsCvResult tiger_cv(const MatrixRef& X, const ColumnsCvOptions& options) {
  const Matrix S = empirical_covariance(X);
  const Vector scale = S.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  Matrix R = scale.asDiagonal() * S * scale.asDiagonal();
  R.diagonal().setZero();
  const auto path = [&](const Matrix& part, double, std::span<const double> lambdas) {
    return tiger_path(part, lambdas, options.pool);
  };
  return choose_columns(X, R.cwiseAbs().maxCoeff(), path, options);
}

}  // namespace spodnet
