#pragma once

#include <vector>

#include "spodnet/tables/diagnose.hpp"
#include "spodnet/workflow/training_plan.hpp"

namespace spodnet {

/// What is compared between a table and the matrices a model was trained on.
struct ShapeNumbers {
  double scale = 0;      ///< mean variance: tr(S) / p
  double spread = 0;     ///< largest variance over the smallest
  double strongest = 0;  ///< share of the variance along the first principal component of the
                         ///< correlations
  double density = 0;    ///< of the estimated graph
};

ShapeNumbers shape_numbers(const Matrix& S, const Matrix& Theta);

struct ShapeRange {
  ShapeNumbers low, high;
};

/// Smallest and largest numbers over `count` fresh matrices like those of the model's training, as
/// the model estimates them.
ShapeRange training_range(const Model& model, const TrainingPlan& plan, std::size_t count,
                          ThreadPool& pool);

/// One sentence for each way in which a table of n samples lies outside of it; none: it does not.
std::vector<DataNote> range_warnings(const ShapeNumbers& numbers, double n, const ShapeRange& range,
                                     const TrainingPlan& plan);

}  // namespace spodnet
