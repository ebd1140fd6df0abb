#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

constexpr double kEdgesOfLikelihood = 0.05;  ///< weight of 1 - F1
constexpr double kLeastLoss = 1e-3;          ///< smaller losses hardly count as better

/// Stein's loss per variable, (tr(Sigma_true Theta) - log det(Sigma_true Theta) - p) / p: twice
/// what the estimate loses in expected log-likelihood. G = weight (Sigma_true - W) / p. NaN when a
/// matrix has no Cholesky decomposition. Cost: O(p^3).
double stein(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
             MatrixMap G) {
  Matrix Sigma, W;  // the true covariance and the estimate's
  const double log_det_true = spd_inverse(Theta_true, Sigma), log_det = spd_inverse(Theta, W);
  if (!std::isfinite(log_det_true) || !std::isfinite(log_det)) {
    G.setZero();
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double p = double(Theta.rows()), share = weight / p;
  G = share * (Sigma - W);
  const double trace = Sigma.cwiseProduct(Theta).sum();  // both symmetric
  return share * (trace - p + log_det_true - log_det) / weight;
}

class Likelihood final : public Loss {
 public:
  std::string name() const override { return "likelihood"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double loss = stein(Theta, Theta_true, weight, G);
    return loss + kEdgesOfLikelihood * weight *
                      add_missed_edges(Theta, Theta_true, kEdgesOfLikelihood * weight, G) / weight;
  }
};

class LogStein final : public Loss {
 public:
  std::string name() const override { return "log-stein"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double loss = stein(Theta, Theta_true, weight, G);
    G *= 1 / (loss + kLeastLoss);
    double edges = 0;
    if ((Theta_true.array() == 0).any())
      edges = add_missed_edges(Theta, Theta_true, kEdgesOfLikelihood * weight, G);
    return std::log(loss + kLeastLoss) + kEdgesOfLikelihood * edges;
  }
};

}  // namespace

LossPtr make_log_stein() { return std::make_shared<LogStein>(); }
LossPtr make_likelihood() { return std::make_shared<Likelihood>(); }

}  // namespace spodnet
