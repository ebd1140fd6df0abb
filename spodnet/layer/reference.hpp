#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/layer/options.hpp"

/// Algorithm 1 as the paper writes it: dense matrices, every block by its name. Read this first.
/// SpodLayer (spod_layer.hpp) computes the same fast, and its gradient; tests/layer/oracle_test
/// compares the two.
namespace spodnet::reference {

/// What a rule may read of column i. "1" are the other variables, "2" is variable i, Eq. (1).
struct Column {
  Eigen::Index i = 0;
  std::vector<Eigen::Index> others;
  Vector theta_12, w_12, s_12;
  double theta_22 = 0, w_22 = 0, s_22 = 0;
  Matrix inv_theta_11;
};

/// The learned functions: f, which gives z and the thresholds, and g.
struct Rule {
  std::function<Vector(const Column&)> z;                        ///< before scaling
  std::function<Vector(const Column&, const Vector& z)> lambda;  ///< >= 0, from the scaled z
  std::function<double(const Column&, double q)> g;              ///< > 0
};

/// A column and what replaces it.
struct Step : Column {
  Vector z, scaled, lambda, theta_12_next, y;
  double q0 = 0, scale = 1, q = 0, v_raw = 0, v = 0;
};

inline Column read_column(Eigen::Index i, const MatrixRef& S, const Matrix& Theta,
                          const Matrix& W) {
  Column c{.i = i};
  for (Eigen::Index j = 0; j < S.rows(); ++j)
    if (j != i) c.others.push_back(j);
  c.theta_12 = Theta(c.others, i), c.w_12 = W(c.others, i), c.s_12 = S(c.others, i);
  c.theta_22 = Theta(i, i), c.w_22 = W(i, i), c.s_22 = S(i, i);
  c.inv_theta_11 = W(c.others, c.others) - c.w_12 * c.w_12.transpose() / c.w_22;  // Alg. 1, line 4
  return c;
}

/// c of z^ = c z (core/scaling.hpp), q0 = z' inv_theta_11 z.
inline double scale(const LayerOptions& options, double q0, double theta_22) {
  switch (options.scaling) {
    case Scaling::normalize:
      return q0 > 1e-24 * theta_22 ? std::sqrt(options.zeta / q0) : 0.0;
    case Scaling::clip:
      return q0 > options.zeta ? std::sqrt(options.zeta / q0) : 1.0;
    case Scaling::relative:
      return q0 > options.zeta * theta_22 ? std::sqrt(options.zeta * theta_22 / q0) : 1.0;
    case Scaling::none:
      break;
  }
  return 1.0;
}

/// sign(z) max(|z| - lambda, 0), entry by entry.
inline Vector soft_threshold(const Vector& z, const Vector& lambda) {
  Vector out = Vector::Zero(z.size());
  for (Eigen::Index j = 0; j < z.size(); ++j)
    if (std::abs(z[j]) > lambda[j]) out[j] = std::copysign(std::abs(z[j]) - lambda[j], z[j]);
  return out;
}

/// Rewrites column and row i of Theta (SPD) and of W = Theta^{-1}; they stay SPD and inverses.
inline Step rewrite_column(Eigen::Index i, const MatrixRef& S, const Rule& rule,
                           const LayerOptions& options, Matrix& Theta, Matrix& W) {
  Step s{read_column(i, S, Theta, W)};
  s.z = rule.z(s);  // line 5
  s.q0 = s.z.dot(s.inv_theta_11 * s.z);
  s.scale = scale(options, s.q0, s.theta_22);
  s.scaled = s.scale * s.z;
  s.lambda = rule.lambda(s, s.scaled);
  s.theta_12_next = soft_threshold(s.scaled, s.lambda);
  s.y = s.inv_theta_11 * s.theta_12_next;
  s.q = s.theta_12_next.dot(s.y);
  s.v_raw = rule.g(s, s.q);                                     // line 6
  s.v = std::max(s.v_raw, options.v_min * std::max(1.0, s.q));  // Differs: strict positivity
  for (std::size_t k = 0; k < s.others.size(); ++k) {           // line 7
    const Eigen::Index j = s.others[k];
    Theta(i, j) = Theta(j, i) = s.theta_12_next[Eigen::Index(k)];
    W(i, j) = W(j, i) = -s.y[Eigen::Index(k)] / s.v;
  }
  Theta(i, i) = s.v + s.q;                                               // Eq. (2)
  W(s.others, s.others) = s.inv_theta_11 + s.y * s.y.transpose() / s.v;  // Eq. (3)
  W(i, i) = 1 / s.v;
  return s;
}

/// One layer: every column once.
inline void layer(const MatrixRef& S, const Rule& rule, const LayerOptions& options, Matrix& Theta,
                  Matrix& W) {
  for (Eigen::Index i = 0; i < S.rows(); ++i) rewrite_column(i, S, rule, options, Theta, W);
}

}  // namespace spodnet::reference
