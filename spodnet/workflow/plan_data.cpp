#include "spodnet/workflow/plan_data.hpp"

#include <cmath>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/wishart.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kLeastOwn = 0.02;  // variance of a variable beside hidden causes

/// Theta -> D Theta D with D = diag(+-1).
void flip_signs(Matrix& Theta, RandomStream& random) {
  Vector sign(Theta.rows());
  for (double& s : sign) s = random.below(2) == 0 ? -1 : 1;
  Theta = Matrix(sign.asDiagonal() * Theta * sign.asDiagonal());
}

/// x = Lambda f + e: the rows of X become e, their variables scaled to what is left of a variance
/// of
/// 1. Theta, e's precision, is scaled with them. The loadings go to the variables in random order.
void add_hidden_causes(const Matrix& Lambda, Matrix& Theta, Matrix& X, RandomStream& random) {
  std::vector<std::uint32_t> order(std::size_t(Lambda.rows()));
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  Matrix loadings(Lambda.rows(), Lambda.cols()), Sigma;
  for (Eigen::Index j = 0; j < Lambda.rows(); ++j)
    loadings.row(j) = Lambda.row(order[std::size_t(j)]);
  spd_inverse(Theta, Sigma);
  const Vector own = (1 - loadings.rowwise().squaredNorm().array()).max(kLeastOwn);
  const Vector scale = (own.array() / Sigma.diagonal().array()).sqrt();
  Matrix f(X.rows(), Lambda.cols());
  for (double& each : f.reshaped()) each = random.normal();
  X = X * scale.asDiagonal() + times_transpose(f, loadings);
  Theta = scaled_both(scale.cwiseInverse(), Theta, scale.cwiseInverse());
}

void make_one(const TrainingPlan& plan, const Matrix* Lambda, std::size_t index, std::size_t k,
              DataSet& data) {
  RandomStream random(plan.seed, index);
  const double alpha = plan.alpha.at(index, random);
  const PrecisionDraw kind = draw_precision_kind(plan.generator, random);
  Matrix Theta = make_precision(kind, plan.p, alpha, random);
  if (plan.random_signs) flip_signs(Theta, random);
  Matrix S, X;
  if (data.X.empty()) {
    S = sample_covariance(Theta, plan.n, random);
  } else {
    X = sample_gaussian(Theta, plan.n, random);
    if (Lambda) add_hidden_causes(*Lambda, Theta, X, random);
    X.rowwise() -= column_means(X).transpose();
    S = empirical_covariance(X);
  }
  if (plan.standardized) {
    const Vector scale = S.diagonal().cwiseSqrt(), inverse = scale.cwiseInverse();
    S = Matrix(inverse.asDiagonal() * S * inverse.asDiagonal());
    S.diagonal().setOnes();
    symmetrise(S);
    Theta = Matrix(scale.asDiagonal() * Theta * scale.asDiagonal());
    symmetrise(Theta);
    if (X.size() > 0) X = Matrix(X * inverse.asDiagonal());
  }
  data.S[k] = S;
  data.Theta_true[k] = Theta;
  if (!data.X.empty()) data.X[k] = X;
}

}  // namespace

DataSet plan_data(const TrainingPlan& plan, std::size_t first, std::size_t count, bool samples,
                  ThreadPool& pool, const Matrix* Lambda) {
  DataSet data{.S = {count, plan.p, plan.p},
               .Theta_true = {count, plan.p, plan.p},
               .X = {},
               .n = double(plan.n),
               .info = {{"alpha", to_string(plan.alpha)}}};
  if (samples) data.X = {count, plan.n, plan.p};
  pool.run(count, [&](std::size_t k, int) { make_one(plan, Lambda, first + k, k, data); });
  return data;
}

}  // namespace spodnet
