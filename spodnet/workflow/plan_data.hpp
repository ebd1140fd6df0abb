#pragma once

#include "spodnet/workflow/training_plan.hpp"

namespace spodnet {

/// Matrices first, first + 1, ... of the plan's sequence: a sparse Theta_true, its variables
/// multiplied by -1 or 1 at random where the plan says so, and S of n samples; S and Theta_true
/// standardised where the plan says so. `samples` keeps X, in the units of S, about its mean.
/// Number k depends on (plan.seed, k), `samples` and Lambda alone.
/// Lambda (p x causes, for variables of variance 1; null: none; with `samples` only) are the
/// loadings of hidden causes: Theta_true is then the precision given them.
DataSet plan_data(const TrainingPlan& plan, std::size_t first, std::size_t count, bool samples,
                  ThreadPool& pool, const Matrix* Lambda = nullptr);

}  // namespace spodnet
