#include "spodnet/core/tridiagonal.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/kernels.hpp"

namespace spodnet {

double reflector(std::size_t m, std::size_t ld, double* x) {
  std::fill(x + m, x + ld, 0.0);
  const double last = x[m - 1];
  x[m - 1] = 0;
  const double rest = kernels().dot(ld, x, x);
  if (rest < 1e-290) {  // the largest entry of A is about 1
    std::fill(x, x + m, 0.0);
    return last;
  }
  const double beta = -std::copysign(std::sqrt(last * last + rest), last);
  const double factor = 1 / std::sqrt(beta * (beta - last));
  x[m - 1] = last - beta;
  for (std::size_t j = 0; j < m; ++j) x[j] *= factor;
  return beta;
}

void rank_two_factors(std::size_t ld, const double* u, double* w, double* x1, double* x2) {
  const Kernels& run = kernels();
  run.axpy(ld, -0.5 * run.dot(ld, u, w), u, w);
  const double size = run.dot(ld, w, w);  // ||u||^2 = 2
  const double t = size > 0 ? std::sqrt(std::sqrt(0.5 * size)) : 1.0;
  for (std::size_t j = 0; j < ld; ++j) {
    x1[j] = t * u[j] + w[j] / t;
    x2[j] = t * u[j] - w[j] / t;
  }
}

void reflector_product(std::size_t ld, const double* U, std::size_t count, std::size_t width,
                       double* T) {
  std::fill(T, T + width * width, 0.0);
  double overlap[kMaxTerms];
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < k; ++i) overlap[i] = kernels().dot(ld, U + i * ld, U + k * ld);
    T[k * width + k] = 1;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = i; j < k; ++j) T[i * width + k] -= T[i * width + j] * overlap[j];
  }
}

namespace {

constexpr std::size_t kReflectors = 8;  // one block of `reflector_basis`

}  // namespace

std::size_t tridiagonal_scratch(std::size_t p) { return 3 * kReflectors * padded(p); }

void reduce_to_tridiagonal(std::size_t p, double* A, double* d, double* e, double* scratch) {
  const Kernels& run = kernels();
  const std::size_t ld = padded(p);
  double *w = scratch, *x1 = w + ld, *x2 = x1 + ld;
  std::fill(scratch, scratch + 3 * ld, 0.0);
  for (std::size_t m = p; m-- > 2;) {
    double* u = A + m * ld;  // row m still lacks the update by x1, x2
    for (std::size_t j = 0; j <= m; ++j) u[j] += 0.5 * (x2[m] * x2[j] - x1[m] * x1[j]);
    d[m] = u[m];
    e[m - 1] = reflector(m, ld, u);
    std::fill(x1 + m, x1 + ld, 0.0);
    std::fill(x2 + m, x2 + ld, 0.0);
    run.update_product(m, ld, A, x1, -0.5, x2, 0.5, u, w);
    std::fill(w + m, w + ld, 0.0);
    rank_two_factors(ld, u, w, x1, x2);
  }
  const auto entry = [&](std::size_t i, std::size_t j) {
    return A[i * ld + j] + 0.5 * (x2[i] * x2[j] - x1[i] * x1[j]);
  };
  if (p > 1) {
    e[0] = entry(1, 0);
    d[1] = entry(1, 1);
  }
  d[0] = entry(0, 0);
}

void reflector_basis(std::size_t p, const double* A, double* M, double* scratch) {
  const Kernels& run = kernels();
  const std::size_t ld = padded(p);
  double *U_columns = scratch, *MU = U_columns + kReflectors * ld, *MUT = MU + kReflectors * ld;
  std::fill(M, M + p * ld, 0.0);
  for (std::size_t i = 0; i < p; ++i) M[i * ld + i] = 1;
  for (std::size_t first = 2; first < p; first += kReflectors) {
    const std::size_t count = std::min(kReflectors, p - first), rows = first + count - 1;
    const double* U = A + first * ld;
    double T[kReflectors * kReflectors];
    reflector_product(ld, U, count, kReflectors, T);
    for (double& t : T) t = -t;
    std::fill(scratch, scratch + 3 * kReflectors * ld, 0.0);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t j = 0; j < rows; ++j) U_columns[j * kReflectors + k] = U[k * ld + j];
    run.gemm(rows, kReflectors, rows, M, ld, 1, U_columns, kReflectors, MU, kReflectors);
    run.gemm(rows, kReflectors, kReflectors, MU, kReflectors, 1, T, kReflectors, MUT, kReflectors);
    run.gemm(rows, padded(rows), count, MUT, kReflectors, 1, U, ld, M, ld);
  }
}

}  // namespace spodnet
