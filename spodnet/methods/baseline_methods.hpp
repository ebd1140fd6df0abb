#pragma once

#include <memory>

#include "spodnet/methods/method.hpp"

namespace spodnet {

/// glasso (lambda or penalty=FILE, diagonal, tol, kkt, iterations), glasso-cv (folds, grid,
/// refinements), glasso-ebic (gamma, count, ratio), glasso-stars (subsamples, threshold, count,
/// ratio, seed), the last three with tol for the fits of the search. Null for any other name;
/// Error on a setting it does not know.
std::unique_ptr<Method> make_glasso_method(const MethodSpec& spec);

/// ledoit-wolf and oas, without settings. Null for any other name.
std::unique_ptr<Method> make_shrinkage_method(const MethodSpec& spec);

/// Any of the above, or null.
std::unique_ptr<Method> make_baseline_method(const MethodSpec& spec);

}  // namespace spodnet
