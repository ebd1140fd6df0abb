#include <cmath>

#include "spodnet/layer/adjoint_state.hpp"

namespace spodnet {
namespace {

constexpr double kHalf = 0.02;  ///< partial correlation that counts as half an edge

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

double AdjointState::add_support(const LayerTape& last, const double* Theta_true, double weight) {
  const std::size_t p = G_.p();
  const auto unit = [&](std::size_t r, std::size_t c) {
    return std::sqrt(Theta_true[r * p + r] * Theta_true[c * p + c]);
  };
  double found = 0, wrong = 0, edges = 0;
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t c = 0; c < r; ++c) {
      const bool edge = Theta_true[r * p + c] != 0;
      const double count = SoftEdge(last.u[r][c], unit(r, c)).count;
      (edge ? found : wrong) += count;
      edges += edge;
    }
  if (edges == 0) return 0;
  const double total = found + wrong + edges, f1 = 2 * found / total;
  const double d_wrong = 0.5 * weight * f1 / total;  // one half for each of two equal entries
  const double d_found = d_wrong - weight / total;
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t c = 0; c < r; ++c) {
      if (last.u[r][c] == 0) continue;
      const double d = Theta_true[r * p + c] != 0 ? d_found : d_wrong;
      const double g = d * SoftEdge(last.u[r][c], unit(r, c)).slope;
      G_.row(r)[c] += g;
      if (c >= r / kBlock * kBlock) G_.row(c)[r] += g;
    }
  return weight * (1 - f1);
}

}  // namespace spodnet
