#pragma once

// The public headers, in the order in which data pass through them. What is not reached from here
// is not installed.

#include "spodnet/core/error.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

// Files: tables of numbers, arrays, safetensors.
#include "spodnet/io/csv.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/io/table.hpp"

// Samples, covariances, data sets to train on.
#include "spodnet/data/constraints.hpp"
#include "spodnet/data/constraints_file.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/data/dataset.hpp"
#include "spodnet/data/gaussian.hpp"
#include "spodnet/data/mixed_dataset.hpp"
#include "spodnet/data/precision_family.hpp"
#include "spodnet/data/prepare.hpp"
#include "spodnet/data/sparse_precision.hpp"

// The layer, and what to build a rule of your own from (docs/extending.md).
#include "spodnet/layer/options.hpp"
#include "spodnet/layer/rule.hpp"
#include "spodnet/models/paper_rule.hpp"
#include "spodnet/nn/column_mlp.hpp"
#include "spodnet/nn/small_mlp.hpp"

// Losses and models by name, the engines that compute them, model files.
#include "spodnet/devices/devices.hpp"
#include "spodnet/losses/loss.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pretrained.hpp"

// Training.
#include "spodnet/train/preset.hpp"
#include "spodnet/train/trainer.hpp"

// The methods that models compete with, and all estimators by name.
#include "spodnet/baselines/factor_model.hpp"
#include "spodnet/baselines/glasso.hpp"
#include "spodnet/baselines/glasso_cv.hpp"
#include "spodnet/baselines/glasso_ebic.hpp"
#include "spodnet/baselines/glasso_stars.hpp"
#include "spodnet/baselines/shrinkage.hpp"
#include "spodnet/methods/compare.hpp"
#include "spodnet/methods/held_out.hpp"
#include "spodnet/methods/method.hpp"
#include "spodnet/methods/settings.hpp"

// From a table to a graph: what `spodnet graph` does.
#include "spodnet/analysis/analyse.hpp"
#include "spodnet/difference/difference.hpp"

// How good it is, and its graph.
#include "spodnet/graph/exports.hpp"
#include "spodnet/graph/graph.hpp"
#include "spodnet/graph/louvain.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/scores.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/metrics/support.hpp"
