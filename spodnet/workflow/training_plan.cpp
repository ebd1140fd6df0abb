#include "spodnet/workflow/training_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/models/model_metadata.hpp"
#include "spodnet/train/preset.hpp"
#include "spodnet/workflow/plan_data.hpp"
#include "spodnet/workflow/raise_thresholds.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLevels = 8;
constexpr double kFewestEdges = 0.5, kMostEdges = 10;  // per variable
constexpr double kDensest = 0.5;                       // share of all pairs
constexpr std::size_t kWorthSharing = 20;              // variables

/// The alpha at which make_sparse_precision has edges between a share `density` of the pairs: with
/// q = 1 - alpha, a pair is an edge if its entry of the factor is not zero, or if they share a
/// column, of p/3 on average: 1 - density = (1 - q)(1 - q^2)^(p/3).
double alpha_for(double density, std::size_t p) {
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double q = 0.5 * (low + high);
    const double reached = 1 - (1 - q) * std::pow(1 - q * q, double(p) / 3);
    (reached < density ? low : high) = q;
  }
  return 1 - 0.5 * (low + high);
}

/// Steps of Adam that fit the time allowed; a step of batch 10 takes about 1e-8 p^3 s.
std::uint64_t steps_for(std::size_t p) {
  const double affordable = 28 / (0.93e-8 * std::pow(double(p), 3));
  return std::uint64_t(std::clamp(affordable, 1000.0, 6500.0));
}

/// Some random weights never learn: of a few short trainings the one with the smallest validation
/// error, from whose weights the long one begins.
PlannedModel best_start(const TrainingPlan& plan, const ModelRegistry& models,
                        const std::vector<Sample>& training, const std::vector<Sample>& valid,
                        TrainOptions options, ThreadPool& pool) {
  options.epochs = std::max<std::uint64_t>(1, options.epochs / 12);
  PlannedModel best;
  if (plan.starts <= 1) {
    best.model = models.make(plan.model);
    best.model->parameters().initialise(plan.seed);
    return best;
  }
  double seconds = 0;
  for (std::uint64_t start = 0; start < plan.starts; ++start) {
    PlannedModel each;
    each.model = models.make(plan.model);
    each.model->parameters().initialise(plan.seed + start);
    const TrainResult result = train(*each.model, training, valid, options, pool);
    seconds += result.seconds;
    each.valid_nmse = result.best_epoch > 0 ? result.history[result.best_epoch - 1].valid_nmse
                                            : std::numeric_limits<double>::infinity();
    if (!best.model || each.valid_nmse < best.valid_nmse) best = std::move(each);
  }
  best.seconds = seconds;
  return best;
}

}  // namespace

SparsityLevels mixed_sparsities(std::size_t p) {
  SparsityLevels levels{{}, false};
  const double pairs_each = std::max(1.0, double(p - 1) / 2);  // pairs per variable
  const double least = std::min(kFewestEdges / pairs_each, kDensest);
  const double most = std::min(kMostEdges / pairs_each, kDensest);
  for (std::size_t k = 0; k < kLevels; ++k)
    levels.values.push_back(
        alpha_for(least * std::pow(most / least, double(k) / double(kLevels - 1)), p));
  return levels;
}

TrainingPlan plan_for(std::size_t p, std::size_t n, bool standardized) {
  const Preset preset = preset_from("fast");
  TrainingPlan plan;
  plan.p = p;
  plan.n = n;
  plan.standardized = standardized;
  plan.alpha = mixed_sparsities(p);
  // Half of the matrices as in the paper, half of other kinds: no one knows where data come from.
  plan.generator.families = sparse_families();
  plan.generator.families.insert(plan.generator.families.end(), 5,
                                 PrecisionFamily::sparse_cholesky);
  plan.count = p <= 100 ? 2000 : 1000;
  plan.valid = p <= 50 ? 96 : 48;
  plan.model = model_config(preset, p);
  plan.model.layers = 2;  // a third layer often fails to learn in so short a training
  plan.train = train_options(preset);
  plan.train.loss = builtin_loss("nmse");
  plan.train.epochs = std::max<std::uint64_t>(1, steps_for(p) * plan.train.batch / plan.count);
  return plan;
}

std::map<std::string, std::string> describe_plan(const TrainingPlan& plan) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  ModelConfig settings = plan.model;
  settings.info.clear();
  std::map<std::string, std::string> out = metadata_from_config(settings);
  out["train.n"] = std::to_string(plan.n);
  out["train.alpha"] = to_string(plan.alpha);
  out["train.generator"] = to_string(plan.generator.families);
  if (plan.generator.signs) out["train.signs"] = to_string(*plan.generator.signs);
  if (plan.generator.condition) out["train.condition"] = to_string(*plan.generator.condition);
  out["train.shuffle"] = flag(plan.generator.shuffle);
  out["train.standardized"] = flag(plan.standardized);
  out["train.random_signs"] = flag(plan.random_signs);
  out["train.count"] = std::to_string(plan.count);
  out["train.valid_count"] = std::to_string(plan.valid);
  out["train.starts"] = std::to_string(plan.starts);
  out["train.seed"] = std::to_string(plan.seed);
  out["train.epochs"] = std::to_string(plan.train.epochs);
  out["train.batch"] = std::to_string(plan.train.batch);
  out["train.lr"] = exact_text(plan.train.lr);
  out["train.schedule"] = to_string(plan.train.schedule);
  out["train.loss"] = plan.train.loss->name();
  out["train.clip_grad"] = exact_text(plan.train.clip_grad);
  return out;
}

std::optional<TrainingPlan> plan_from_model(const ModelConfig& config) {
  const auto text = [&](const char* key) {
    const auto found = config.info.find(key);
    return found == config.info.end() ? std::string() : found->second;
  };
  const auto n = to_double(text("train.n"));
  if (!n || !(*n >= 2) || text("train.alpha").empty()) return std::nullopt;
  TrainingPlan plan;
  plan.p = config.p;
  plan.n = std::size_t(*n);
  plan.standardized = text("train.standardized") == "true";
  plan.random_signs = text("train.random_signs") == "true";
  try {
    plan.alpha = sparsity_levels_from(text("train.alpha"));
    if (!text("train.generator").empty())
      plan.generator.families = families_from(text("train.generator"));
  } catch (const Error&) {
    return std::nullopt;
  }
  plan.model = config;
  return plan;
}

PlannedModel train_plan(const TrainingPlan& plan, const ModelRegistry& models, ThreadPool& team,
                        std::function<void(const TrainProgress&)> progress,
                        const std::atomic<bool>* stop) {
  // Steps of microseconds: meeting another thread at the end of each would cost more than it saves.
  ThreadPool alone(1);
  ThreadPool& pool = plan.p < kWorthSharing ? alone : team;
  const DataSet data = plan_data(plan, 0, plan.count, false, pool);
  const DataSet valid = plan_data(plan, plan.count, plan.valid, false, pool);
  const std::vector<Sample> training = samples(data), judges = samples(valid);
  TrainOptions options = plan.train;
  options.seed = plan.seed;
  options.stop = stop;
  PlannedModel out = best_start(plan, models, training, judges, options, pool);
  options.progress = std::move(progress);
  const TrainResult result = train(*out.model, training, judges, options, pool);
  out.status = result.status;
  out.seconds += result.seconds;
  const RaisedThresholds raised = raise_thresholds(*out.model, judges, pool);
  out.valid_nmse = raised.nmse;
  std::map<std::string, std::string>& info = out.model->info();
  info = describe_plan(plan);
  info["train.raised_thresholds"] = exact_text(raised.factor);
  info["final.valid_nmse"] = exact_text(raised.nmse);
  info["final.valid_f1_offdiag"] = exact_text(raised.f1_offdiag);
  return out;
}

}  // namespace spodnet
