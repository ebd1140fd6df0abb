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
#include "spodnet/generate/dataset.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/generate/sparse_precision.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/tables/constraints_file.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/prepare.hpp"

// The layer, and what to build a rule of your own from (docs/extending.md).
#include "spodnet/layer/options.hpp"
#include "spodnet/layer/rule.hpp"
#include "spodnet/models/column_mlp.hpp"
#include "spodnet/models/paper_rule.hpp"
#include "spodnet/models/small_mlp.hpp"

// Losses and models by name, the engines that compute them, model files.
#include "spodnet/devices/devices.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pretrained.hpp"
#include "spodnet/problem/loss.hpp"

// Training.
#include "spodnet/train/preset.hpp"
#include "spodnet/train/trainer.hpp"

// The methods that models compete with, and all estimators by name.
#include "spodnet/estimators/compare.hpp"
#include "spodnet/estimators/factor_model.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/glasso_ebic.hpp"
#include "spodnet/estimators/glasso_stars.hpp"
#include "spodnet/estimators/held_out.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/estimators/shrinkage.hpp"

// From a table to a graph: what `spodnet graph` does.
#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/difference.hpp"
#include "spodnet/workflow/run_context.hpp"

// How good it is, and its graph.
#include "spodnet/metrics/graph.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/scores.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/report/exports.hpp"
