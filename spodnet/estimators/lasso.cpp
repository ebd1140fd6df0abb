#include "spodnet/estimators/lasso.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

constexpr int kMaxRounds = 200;  // of coordinate passes followed by one exact face

constexpr double kAtRest = 1e-4;  // one pass alone does not show its rate: it must be this small

/// r <- c - H b
void compute_residual(const LassoProblem& problem, const double* b, double* r) {
  const std::size_t ld = padded(problem.k);
  const auto axpy = kernels().axpy;
  std::copy_n(problem.c, problem.k, r);
  for (std::size_t l = 0; l < problem.k; ++l)
    if (b[l] != 0) axpy(ld, -b[l], problem.H + l * ld, r);
}

double coordinate_pass(const LassoProblem& problem, const double* inverse, double* b, double* r) {
  return kernels().lasso_pass(problem.k, padded(problem.k), problem.H, problem.lambda,
                              problem.below(), inverse, b, r);
}

/// Moves b towards the minimiser over the face of its present signs, and stops where the first
/// entry reaches 0. True when so: that entry has left the face.
bool face_step(const LassoProblem& problem, double* b, LassoWorkspace& workspace) {
  const double *above = problem.lambda, *below = problem.below();
  auto& support = workspace.support;
  support.clear();
  for (std::size_t l = 0; l < problem.k; ++l)
    if (b[l] != 0) support.push_back(l);
  const std::size_t n = support.size(), ld = padded(n + 1);
  workspace.H_face.resize(n * ld);
  workspace.target.resize(ld);
  double* x = workspace.target.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t l = support[i];
    const double* row = problem.H + l * padded(problem.k);
    double* face = workspace.H_face.data() + i * ld;
    std::fill(face, face + i, 0.0);
    for (std::size_t j = i; j < n; ++j) face[j] = row[support[j]];
    face[n] = problem.c[l] - (b[l] > 0 ? above[l] : -below[l]);
    std::fill(face + n + 1, face + ld, 0.0);
  }
  if (!spd_solve(n, workspace.H_face.data(), x, workspace.scratch)) return false;
  double step = 1;
  std::size_t first = n;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t l = support[i];
    if ((above[l] == 0 && below[l] == 0) || x[i] * b[l] > 0) continue;
    const double crossing = b[l] / (b[l] - x[i]);
    if (crossing <= step) step = crossing, first = i;
  }
  for (std::size_t i = 0; i < n; ++i) b[support[i]] += step * (x[i] - b[support[i]]);
  if (first < n) b[support[first]] = 0;
  return first < n;
}

/// Minimises over the faces b passes through until one holds its own minimiser.
void settle_on_face(const LassoProblem& problem, double* b, LassoWorkspace& workspace) {
  while (face_step(problem, b, workspace)) continue;
}

}  // namespace

double lasso(const LassoProblem& problem, double tolerance, double* b, LassoWorkspace& workspace) {
  const std::size_t k = problem.k;
  workspace.residual.resize(padded(k));
  workspace.inverse.resize(k);
  double *r = workspace.residual.data(), *inverse = workspace.inverse.data();
  for (std::size_t l = 0; l < k; ++l) inverse[l] = 1 / problem.H[l * padded(k) + l];
  compute_residual(problem, b, r);
  const double first = coordinate_pass(problem, inverse, b, r);
  const double face_price = 4 + double(k) / 25;  // in passes, measured
  double previous = first;
  for (int round = 0; round < kMaxRounds && previous > kAtRest * tolerance; ++round) {
    for (double passes_left = 0; passes_left <= face_price;) {
      const double change = coordinate_pass(problem, inverse, b, r);
      const double rate = std::sqrt(change / previous);  // of a geometric series
      previous = change;
      const double left = change * rate * rate / ((1 - rate) * (1 - rate));
      if (change == 0 || (rate < 1 && left <= tolerance)) return first;
      passes_left = rate < 1 ? std::log(tolerance / left) / (2 * std::log(rate)) : 1e9;
    }
    settle_on_face(problem, b, workspace);
    compute_residual(problem, b, r);
    previous = coordinate_pass(problem, inverse, b, r);
  }
  return first;
}

}  // namespace spodnet
