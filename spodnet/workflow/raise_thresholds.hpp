#pragma once

#include <span>

#include "spodnet/core/parallel.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

struct RaiseOptions {
  double ratio = 1.25;  ///< from one factor to the next
  double largest = 50;  ///< factor
  double slack = 1.3;   ///< NMSE allowed, relative to the smallest seen
};

struct RaisedThresholds {
  double factor = 1;                ///< by which the last layer's lambda was multiplied
  double nmse = 0, f1_offdiag = 0;  ///< with it, means over the samples
};

/// Squared error hardly notices entries that are almost zero, a graph counts each as an edge. The
/// last layer's threshold lambda is the absolute value of a network whose output layer is linear:
/// multiplied by a factor, the output is sparser and SPD all the same. Of the factors 1, ratio,
/// ratio^2, ... this takes the one of largest F1 of the edges among those whose NMSE is at most
/// `slack` times the smallest, all measured on `samples` (with Theta_true), and puts it into the
/// weights. What that costs is the shrinkage of what is kept, which a refit undoes. The search ends
/// where the NMSE is half as large again as the smallest. A model without
/// `layers.*.f.lambda` is left alone. The same for any pool size.
RaisedThresholds raise_thresholds(Model& model, std::span<const Sample> samples, ThreadPool& pool,
                                  const RaiseOptions& options = {});

}  // namespace spodnet
