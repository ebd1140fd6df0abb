#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// The rows of X with these numbers, in their order.
Matrix rows_of(const MatrixRef& X, std::span<const std::uint32_t> rows);

/// Covariance of X about its mean, except that a column constant in X, which would leave the
/// graphical lasso without a solution, takes its entry of `variances` and stays uncorrelated.
Matrix covariance_with_fallback(const MatrixRef& X, const Vector& variances);

/// body(k) for k in [0, count), on the pool or, without one, here.
void for_each(std::size_t count, ThreadPool* pool, const std::function<void(std::size_t)>& body);

}  // namespace spodnet
