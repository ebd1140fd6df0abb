#include "spodnet/workflow/raise_thresholds.hpp"

#include <algorithm>
#include <string>

#include <vector>

#include "spodnet/devices/devices.hpp"
#include "spodnet/train/validation.hpp"

namespace spodnet {
namespace {

/// The output layer of the last layer's lambda: its weights and bias.
std::vector<const ParameterView*> threshold_output(const Model& model) {
  const ModelConfig& config = model.config();
  const int last = config.tied ? 0 : config.layers - 1;
  const std::string name = "layers." + std::to_string(last) + ".f.lambda.1.";
  std::vector<const ParameterView*> views;
  for (const char* part : {"weight", "bias"})
    if (const ParameterView* view =
            model.parameters().layout.size() > 0 ? model.parameters().find(name + part) : nullptr)
      views.push_back(view);
  return views;
}

void multiply(Model& model, const std::vector<const ParameterView*>& views, double factor) {
  for (const ParameterView* view : views)
    for (std::size_t k = 0; k < view->size; ++k)
      model.parameters().values[view->offset + k] *= factor;
}

}  // namespace

RaisedThresholds raise_thresholds(Model& model, std::span<const Sample> samples, ThreadPool& pool,
                                  const RaiseOptions& options) {
  const std::vector<const ParameterView*> views = threshold_output(model);
  const std::vector<double> weights = model.parameters().values;
  const auto engine = make_engine(model, {.pool = &pool});
  std::vector<RaisedThresholds> tried;
  double smallest = 0;
  for (double factor = 1; factor <= options.largest; factor *= options.ratio) {
    model.parameters().values = weights;
    multiply(model, views, factor);
    EpochRow row;
    validate(*engine, samples, pool, row);
    tried.push_back({factor, row.valid_nmse, row.valid_f1_offdiag});
    smallest = factor == 1 ? row.valid_nmse : std::min(smallest, row.valid_nmse);
    if (views.empty() || row.valid_nmse > 1.5 * smallest) break;
  }
  RaisedThresholds best = tried.front();
  bool found = false;
  for (const RaisedThresholds& each : tried) {
    if (each.nmse > options.slack * smallest) continue;
    if (!found || each.f1_offdiag > best.f1_offdiag) best = each;
    found = true;
  }
  model.parameters().values = weights;
  multiply(model, views, best.factor);
  return best;
}

}  // namespace spodnet
