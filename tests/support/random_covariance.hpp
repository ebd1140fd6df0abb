#pragma once

#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::test {

/// n x p samples of correlated variables: each leans on an earlier one.
inline Matrix correlated_samples(Eigen::Index n, Eigen::Index p, RandomStream& random) {
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  const double strength = random.uniform();
  for (Eigen::Index j = 1; j < p; ++j)
    X.col(j) += strength * X.col(Eigen::Index(random.below(std::uint64_t(j))));
  return X;
}

inline Matrix correlated_samples(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  return correlated_samples(n, p, random);
}

/// A graphical lasso problem of any kind: p = 2..31, n = 2..5p+1, lambda from lambda_max/1000 to
/// above lambda_max; every third with a duplicated column, every fourth with an isolated one, every
/// fifth with units of measure from 1e-3 to 1e3.
struct GlassoProblem {
  Matrix S;
  double lambda = 0;
  Eigen::Index n = 0;
};

inline GlassoProblem random_glasso_problem(std::uint64_t index) {
  RandomStream random(77, index);
  const Eigen::Index p = Eigen::Index(2 + random.below(30));
  GlassoProblem problem;
  problem.n = Eigen::Index(2 + random.below(std::uint64_t(5 * p)));
  const auto some = [&] { return Eigen::Index(random.below(std::uint64_t(p))); };
  Matrix X = correlated_samples(problem.n, p, random);
  if (index % 3 == 0) X.col(some()) = Matrix(X.col(some()));
  if (index % 5 == 0)
    for (Eigen::Index j = 0; j < p; ++j) X.col(j) *= std::pow(10, random.uniform(-3, 3));
  Matrix& S = problem.S = empirical_covariance(X);
  if (index % 4 == 0) {
    const Eigen::Index isolated = some();
    const double variance = S(isolated, isolated);
    S.row(isolated).setZero();
    S.col(isolated).setZero();
    S(isolated, isolated) = variance;
  }
  const double lambda_max = (S - Matrix(S.diagonal().asDiagonal())).cwiseAbs().maxCoeff();
  problem.lambda =
      lambda_max > 0 ? lambda_max * std::pow(10, random.uniform(-3, 0.1)) : S(0, 0) / 10;
  return problem;
}

/// Of n samples of p correlated variables.
inline Matrix covariance(Eigen::Index p, Eigen::Index n, std::uint64_t seed) {
  RandomStream random(seed);
  return empirical_covariance(correlated_samples(n, p, random));
}

}  // namespace spodnet::test
