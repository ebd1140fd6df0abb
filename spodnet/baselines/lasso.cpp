#include "spodnet/baselines/lasso.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr int kMaxRounds = 200;  // of coordinate passes followed by one exact face

constexpr double kAtRest = 1e-4;  // one pass alone does not show its rate: it must be this small

double soft_threshold(double x, double t) { return x > t ? x - t : (x < -t ? x + t : 0); }

/// r <- c - H b
void compute_residual(const LassoProblem& problem, const double* b, double* r) {
  std::copy_n(problem.c, problem.k, r);
  for (std::size_t l = 0; l < problem.k; ++l) {
    if (b[l] == 0) continue;
    const double* h = problem.H + l * problem.ld;
    for (std::size_t m = 0; m < problem.k; ++m) r[m] -= b[l] * h[m];
  }
}

/// One cycle of exact coordinate minimisations; returns sum_l H_ll (change of b_l)^2.
double coordinate_pass(const LassoProblem& problem, double* b, double* r) {
  double change = 0;
  for (std::size_t l = 0; l < problem.k; ++l) {
    const double* h = problem.H + l * problem.ld;
    const double next = soft_threshold(b[l] * h[l] + r[l], problem.lambda[l]) / h[l];
    const double step = next - b[l];
    if (step == 0) continue;
    b[l] = next;
    for (std::size_t m = 0; m < problem.k; ++m) r[m] -= step * h[m];
    change += h[l] * step * step;
  }
  return change;
}

/// L (n x n, packed rows of stride n) <- Cholesky factor of L, x <- solution of L L' x = x;
/// false when not positive definite.
bool solve_in_place(std::size_t n, double* L, double* x) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = L + i * n;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = row[j];
      for (std::size_t m = 0; m < j; ++m) sum -= row[m] * L[j * n + m];
      row[j] = sum / L[j * n + j];
    }
    double pivot = row[i];
    for (std::size_t m = 0; m < i; ++m) pivot -= row[m] * row[m];
    if (!(pivot > 0)) return false;
    row[i] = std::sqrt(pivot);
    for (std::size_t m = 0; m < i; ++m) x[i] -= row[m] * x[m];
    x[i] /= row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    x[i] /= L[i * n + i];
    for (std::size_t m = 0; m < i; ++m) x[m] -= L[i * n + m] * x[i];
  }
  return true;
}

enum class Face { reached, shrunk, not_definite };

/// Moves b towards the minimiser over the face of its present signs, and stops where the first
/// entry reaches 0: that entry leaves the face.
Face face_step(const LassoProblem& problem, double* b, LassoWorkspace& workspace) {
  auto& support = workspace.support;
  support.clear();
  for (std::size_t l = 0; l < problem.k; ++l)
    if (b[l] != 0) support.push_back(l);
  const std::size_t n = support.size();
  workspace.factor.resize(n * n);
  workspace.target.resize(n);
  double* x = workspace.target.data();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t l = support[i];
    for (std::size_t j = 0; j <= i; ++j)
      workspace.factor[i * n + j] = problem.H[l * problem.ld + support[j]];
    x[i] = problem.c[l] - std::copysign(problem.lambda[l], b[l]);
  }
  if (!solve_in_place(n, workspace.factor.data(), x)) return Face::not_definite;
  double step = 1;
  std::size_t first = n;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t l = support[i];
    if (problem.lambda[l] == 0 || x[i] * b[l] > 0) continue;
    const double crossing = b[l] / (b[l] - x[i]);
    if (crossing <= step) step = crossing, first = i;
  }
  for (std::size_t i = 0; i < n; ++i) b[support[i]] += step * (x[i] - b[support[i]]);
  if (first < n) b[support[first]] = 0;
  return first < n ? Face::shrunk : Face::reached;
}

/// Minimises over the faces b passes through until one holds its own minimiser.
bool settle_on_face(const LassoProblem& problem, double* b, LassoWorkspace& workspace) {
  Face face = Face::shrunk;
  while (face == Face::shrunk) face = face_step(problem, b, workspace);
  return face == Face::reached;
}

}  // namespace

double lasso(const LassoProblem& problem, double tolerance, double* b, LassoWorkspace& workspace) {
  workspace.residual.resize(problem.k);
  double* r = workspace.residual.data();
  compute_residual(problem, b, r);
  const double first = coordinate_pass(problem, b, r);
  double previous = first;
  const int passes = 2 + int(problem.k / 6);  // about the price of one exact face
  for (int round = 0; round < kMaxRounds && previous > kAtRest * tolerance; ++round) {
    for (int pass = 0; pass < passes; ++pass) {
      const double change = coordinate_pass(problem, b, r);
      const double rate = std::sqrt(change / previous);
      previous = change;
      // Geometric series: what is left is about change * (rate / (1 - rate))^2.
      if (change == 0 || (rate < 1 && change * rate * rate <= tolerance * (1 - rate) * (1 - rate)))
        return first;
    }
    if (!settle_on_face(problem, b, workspace)) continue;
    compute_residual(problem, b, r);
    previous = coordinate_pass(problem, b, r);
  }
  return first;
}

}  // namespace spodnet
