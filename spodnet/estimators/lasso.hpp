#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/aligned.hpp"

namespace spodnet {

/// A small lasso in covariance form: minimise over b in R^k
///   1/2 b'H b - c'b + sum_l lambda_l |b_l|,   of negative b_l with a penalty of their own,
/// H symmetric positive definite, row-major, its rows padded(k) apart with zeros as padding;
/// penalties >= 0; infinity keeps b_l from that side.
struct LassoProblem {
  std::size_t k = 0;
  const double* H = nullptr;
  const double* c = nullptr;
  const double* lambda = nullptr;
  const double* lambda_negative = nullptr;  ///< null: the same

  const double* below() const { return lambda_negative ? lambda_negative : lambda; }
};

/// Scratch, kept between calls.
struct LassoWorkspace {
  AlignedVector residual, inverse, target, H_face, scratch;
  std::vector<std::size_t> support;
};

/// Minimises from the start b (overwritten, exact zeros) until the estimated remaining descent is
/// below `tolerance`. Cyclic coordinate descent; where it crawls (H badly conditioned), the face of
/// the current signs is solved exactly by Cholesky, as far as no sign changes. Returns
/// sum_l H_ll (change of b_l)^2 over the first pass: how far the start was from the solution.
/// Cost: 2 k^2 flops a pass, k^3 / 3 an exact face.
double lasso(const LassoProblem& problem, double tolerance, double* b, LassoWorkspace& workspace);

}  // namespace spodnet
