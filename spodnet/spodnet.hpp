#pragma once

// The door: what a program that uses spodnet includes, in the order the data walks.

#include "spodnet/core/error.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

// Files: tables of numbers, safetensors.
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

// The layer and what a rule of your own has to offer (docs/extending.md).
#include "spodnet/layer/options.hpp"
#include "spodnet/layer/rule.hpp"
#include "spodnet/models/paper_rule.hpp"

// Models by name, model files.
#include "spodnet/models/model.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pretrained.hpp"

// Training.
#include "spodnet/train/trainer.hpp"

// Every way to an estimate behind one name: model files and the methods they compete with.
#include "spodnet/methods/compare.hpp"
#include "spodnet/methods/held_out.hpp"
#include "spodnet/methods/method.hpp"

// From a table to a graph: what `spodnet graph` does.
#include "spodnet/analysis/analyse.hpp"

// How good it is, and its graph.
#include "spodnet/graph/exports.hpp"
#include "spodnet/graph/graph.hpp"
#include "spodnet/graph/louvain.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/scores.hpp"
#include "spodnet/metrics/support.hpp"
