#include "spodnet/estimators/judge.hpp"

#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/estimators/effective_samples.hpp"
#include "spodnet/estimators/nonlinear_shrinkage.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kOfGood = 0.1;      ///< above the reference, at most; twice per row and variable
constexpr double kOfAbsurd = 1;      ///< at least
constexpr double kOfLikely = 3;      ///< at most 2.3 on the paper's matrices of 5 to 450 variables
constexpr double kMostVariance = 4;  ///< of W over S, and of S over W
constexpr double kManyRows = 2;      ///< for each variable: nonlinear shrinkage is safe

ShrinkageResult plain_or_nonlinear(const Matrix& R, double n) {
  ShrinkageResult nonlinear = nonlinear_shrinkage(R, n);
  return nonlinear.status == Status::ok ? nonlinear : oas(R, n);
}

}  // namespace

Judge::Judge(const Problem& problem) : problem_(problem), scale_(problem.S.diagonal().cwiseSqrt()) {
  able_ = problem.S.rows() > 1 && problem.n >= 2 && std::isfinite(problem.n) &&
          scale_.minCoeff() > 0 && problem.S.allFinite();
  if (!able_) return;
  if (problem.constraints) return;
  Matrix M = correlations();
  M *= 1 - oas_intensity(M, problem.n);
  M.diagonal().setOnes();
  promised_ = -spd_log_det(M) / double(M.rows()) - 1;
}

Matrix Judge::correlations() const {
  const Vector inverse = scale_.cwiseInverse();
  return scaled_both(inverse, problem_.S, inverse);
}

double Judge::behind(const Matrix& Theta) const {
  const double log_det = spd_log_det(Theta) + 2 * scale_.array().log().sum();
  return promised_ + (problem_.S.cwiseProduct(Theta).sum() - log_det) / double(scale_.size());
}

double Judge::noise_of(double n) const { return std::sqrt(2 / (n * double(scale_.size()))); }

double Judge::expected_loss(const Matrix& Theta) const {
  const ShrinkageResult stand_in = plain_or_nonlinear(correlations(), problem_.n);
  const Matrix standard = scaled_both(scale_, Theta, scale_);
  const double trace = stand_in.W.cwiseProduct(standard).sum();
  return (trace - spd_log_det(standard) - spd_log_det(stand_in.W)) / double(scale_.size()) - 1;
}

Verdict Judge::operator()(const Matrix& Theta, const Matrix& W, Trust trust) const {
  Verdict out;
  if (!able_) return out;
  out.behind = out.loss = behind(Theta);
  out.wide = (W.diagonal().array() > kMostVariance * scale_.array().square()).all();
  const auto doubtful = [&](double n) { return out.behind > kOfGood + noise_of(n); };
  if (doubtful(problem_.n)) {
    const double n = effective_samples(problem_);
    if (doubtful(n) && !problem_.constraints) out.loss = expected_loss(Theta);
    const double both = std::min(out.behind, out.loss) - noise_of(n);
    const double mean = (out.behind + out.loss) / 2 - noise_of(n);
    out.plausible = trust == Trust::likely ? both <= kOfLikely
                                           : both <= kOfGood || mean <= (kOfGood + kOfAbsurd) / 2;
  }
  out.plausible = out.plausible && !out.wide;
  return out;
}

bool Judge::worth_its_edges(const Matrix& Theta) const {
  const double edges = double(count_edges(Theta));
  return behind(Theta) + 2 * edges / (problem_.n * double(scale_.size())) <= 0;
}

bool Judge::keeps_variances(const Matrix& W) const {
  const Vector ratio = W.diagonal().array() / scale_.array().square();
  return ratio.minCoeff() >= 1 / kMostVariance && ratio.maxCoeff() <= kMostVariance;
}

Estimate Judge::reference() const {
  Estimate out;
  if (problem_.constraints) {
    out.W = problem_.S.diagonal().asDiagonal();
    out.Theta = problem_.S.diagonal().cwiseInverse().asDiagonal();
    return out;
  }
  const Matrix R = correlations();
  const bool many = effective_samples(problem_) >= kManyRows * double(R.rows());
  const ShrinkageResult fit = many ? plain_or_nonlinear(R, problem_.n) : oas(R, problem_.n);
  const Vector inverse = scale_.cwiseInverse();
  out.Theta = scaled_both(inverse, fit.Theta, inverse);
  out.W = scaled_both(scale_, fit.W, scale_);
  symmetrise(out.Theta);
  symmetrise(out.W);
  out.residual = inverse_residual(out.Theta, out.W);
  return out;
}

}  // namespace spodnet
