#pragma once

#include "reproduce/study.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet::figures {

/// Theta before the first and after every column update of the first layer of a ubg, pnp or e2e
/// model, on one covariance: p + 1 matrices, or fewer when the numbers became unusable.
std::vector<Matrix> column_updates(const Model& model, const MatrixRef& S, double n);

/// Trains a model with one scaling (normalize or none) on a cell, without choosing an epoch, and
/// follows the first test matrix through the column updates. Result: training_record and
///   updates   [{update, eig_min, max_diagonal, condition}]
Part walk_part(const Study& study, const std::string& model, const std::string& scaling,
               const Cell& cell);

}  // namespace spodnet::figures
