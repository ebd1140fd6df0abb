#include "spodnet/tailored/plan_data.hpp"

#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/data/gaussian.hpp"
#include "spodnet/data/wishart.hpp"

namespace spodnet {
namespace {

/// Theta -> D Theta D with D = diag(+-1).
void flip_signs(Matrix& Theta, RandomStream& random) {
  Vector sign(Theta.rows());
  for (double& s : sign) s = random.below(2) == 0 ? -1 : 1;
  Theta = Matrix(sign.asDiagonal() * Theta * sign.asDiagonal());
}

void make_one(const TrainingPlan& plan, std::size_t index, std::size_t k, DataSet& data) {
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
                  ThreadPool& pool) {
  DataSet data{.S = {count, plan.p, plan.p},
               .Theta_true = {count, plan.p, plan.p},
               .X = {},
               .n = double(plan.n),
               .info = {{"alpha", to_string(plan.alpha)}}};
  if (samples) data.X = {count, plan.n, plan.p};
  pool.run(count, [&](std::size_t k, int) { make_one(plan, first + k, k, data); });
  return data;
}

}  // namespace spodnet
