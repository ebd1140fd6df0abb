#pragma once

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// glasso (lambda or penalty=FILE, diagonal, tol, kkt, iterations), glasso-cv (folds, grid,
/// refinements), glasso-ebic (gamma, count, ratio), glasso-stars (subsamples, threshold, count,
/// ratio, seed), the last three with tol for the fits of the search.
void add_glasso_methods(MethodRegistry& methods);

/// glasso-latent (lambda, gamma, tol, iterations), glasso-latent-ebic (ebic, count, ratio, tol) and
/// glasso-latent-cv (folds, count, ratio, tol): sparse plus low rank. With factors=given the answer
/// is the sparse part.
void add_latent_methods(MethodRegistry& methods);

/// clime (lambda), tiger (lambda, or that of the theory) and clime-cv, tiger-cv (folds, count,
/// ratio).
void add_columns_methods(MethodRegistry& methods);

/// ledoit-wolf, oas and nonlinear-shrinkage, without settings, and tyler (shrinkage).
void add_shrinkage_methods(MethodRegistry& methods);

/// egfm, ggfm (settings rank, lambda, nu, iterations) and egm, ggm (lambda, nu, iterations); each
/// starts from its Animals setting. A list of lambdas is written 0/0.1/0.2 and run in order.
/// They need the samples.
void add_factor_methods(MethodRegistry& methods);

}  // namespace spodnet
