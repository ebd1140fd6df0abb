#include <cmath>

#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

constexpr double kEdgesOfSupport = 0.05;  ///< weight of 1 - F1
constexpr double kHalf = 0.02;            ///< partial correlation that counts as half an edge

class Support final : public Loss {
 public:
  std::string name() const override { return "support"; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double unit = Theta_true.squaredNorm();
    const double error = squared_error(Theta, Theta_true, 2 * weight / unit, G).difference / unit;
    return error + kEdgesOfSupport * weight *
                       add_missed_edges(Theta, Theta_true, kEdgesOfSupport * weight, G) / weight;
  }
};

/// How much of an edge an entry is, t / (t + kHalf) with t = |theta| / m, and its slope in theta.
struct SoftEdge {
  double count = 0, slope = 0;

  SoftEdge(double theta, double m) {
    const double t = std::abs(theta) / m, total = t + kHalf;
    count = t / total;
    slope = std::copysign(kHalf / (total * total * m), theta);
  }
};

}  // namespace

LossPtr make_support() { return std::make_shared<Support>(); }

double add_missed_edges(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true,
                        double weight, MatrixMap G) {
  const auto unit = [&](Eigen::Index r, Eigen::Index c) {
    return std::sqrt(Theta_true(r, r) * Theta_true(c, c));
  };
  double found = 0, wrong = 0, edges = 0;
  for (Eigen::Index r = 0; r < Theta.rows(); ++r)
    for (Eigen::Index c = 0; c < r; ++c) {
      const bool edge = Theta_true(r, c) != 0;
      (edge ? found : wrong) += SoftEdge(Theta(r, c), unit(r, c)).count;
      edges += edge;
    }
  if (edges == 0) return 0;
  const double total = found + wrong + edges, f1 = 2 * found / total;
  const double d_wrong = 0.5 * weight * f1 / total;  // one half for each of two equal entries
  const double d_found = d_wrong - weight / total;
  for (Eigen::Index r = 0; r < Theta.rows(); ++r)
    for (Eigen::Index c = 0; c < r; ++c) {
      if (Theta(r, c) == 0) continue;
      const double d = Theta_true(r, c) != 0 ? d_found : d_wrong;
      G(r, c) += d * SoftEdge(Theta(r, c), unit(r, c)).slope;
      G(c, r) = G(r, c);
    }
  return 1 - f1;
}

}  // namespace spodnet
