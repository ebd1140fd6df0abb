#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <string_view>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/baseline_methods.hpp"
#include "spodnet/estimators/factor_graph_method.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/model_method.hpp"
#include "spodnet/estimators/pretrained_method.hpp"
#include "spodnet/estimators/refit.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/estimators/stack_method.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet {
namespace {

constexpr std::string_view kModelEnding = ".safetensors";

bool is_model_file(const std::string& name) {
  std::error_code ignored;
  return name.ends_with(kModelEnding) || std::filesystem::is_regular_file(name, ignored);
}

/// Where the name ends and the settings begin; npos: there are none. A path may hold colons.
std::size_t end_of_name(const std::string& text) {
  if (is_model_file(text)) return std::string::npos;
  const std::size_t file = text.find(std::string(kModelEnding) + ":");
  return file != std::string::npos ? file + kModelEnding.size() : text.find(':');
}

std::unique_ptr<Method> make_model_method(const MethodSpec& spec, const ModelRegistry& models,
                                          const EngineOptions& engine) {
  const std::string name = std::filesystem::path(spec.name).filename().string();
  const MethodSpec named{name, spec.settings};
  Settings read(named);
  const bool scaled = read.has("sparsity");
  const double sparsity = read.number("sparsity", 1);
  using enum Contradicted;
  const ModelUse use{!read.has("judge") ? told : read.flag("judge", false) ? replaced : kept};
  auto method = std::make_unique<ModelMethod>(name, load_model(spec.name, models), engine, use);
  read.done();
  if (scaled) set_sparsity(*method, sparsity);
  return method;
}

std::unique_ptr<Method> make_from(const MethodSpec& spec, const ModelRegistry& models,
                                  const MethodRegistry& methods, const EngineOptions& engine) {
  if (is_model_file(spec.name)) return make_model_method(spec, models, engine);
  for (const std::string& name : models.names())
    if (spec.name == name)
      throw Error("method '" + to_text(spec) + "': model " + name +
                  " has to be trained first: give the model file that 'spodnet train' writes");
  if (spec.name == "auto")
    throw Error("method '" + to_text(spec) +
                "': auto has no settings and is for 'spodnet graph' and 'spodnet compare'; "
                "elsewhere use pretrained");
  return methods.make(spec);
}

/// `refit` is a setting of every method.
std::unique_ptr<Method> make_refitted(MethodSpec spec, const ModelRegistry& models,
                                      const MethodRegistry& methods, const EngineOptions& engine) {
  const auto refit = spec.settings.extract("refit");
  if (!refit.empty() && refit.mapped() != "true" && refit.mapped() != "false")
    throw Error(spec.name + ": refit = " + refit.mapped() + ": it is true or false");
  std::unique_ptr<Method> method = make_from(spec, models, methods, engine);
  if (refit.empty() || refit.mapped() == "false") return method;
  return refitted(std::move(method));
}

}  // namespace

void refuse_constraints(const Problem& problem, const std::string& name) {
  if (problem.constraints)
    throw Error(name +
                ": it cannot keep forbidden edges or signs; use a model file (ubg, pnp, e2e, ...), "
                "glasso, glasso-cv, glasso-ebic or glasso-stars");
}

void set_sparsity(Method& method, double sparsity) {
  if (!(sparsity >= 0) || !std::isfinite(sparsity))
    throw Error("sparsity: use a number of at least 0; 1 is the model as it was trained");
  if (!method.scale_thresholds(sparsity))
    throw Error("sparsity: method '" + method.name() +
                "' has no thresholds to scale: use pretrained, or a trained ubg, pnp, e2e, ubg-any "
                "or pnp-any");
}

MethodSpec parse_method(const std::string& text) {
  const std::size_t colon = end_of_name(text);
  MethodSpec spec{text.substr(0, colon), {}};
  if (spec.name.empty()) throw Error("method '" + text + "': the name is missing");
  if (colon == std::string::npos) return spec;
  for (std::size_t first = colon + 1; first <= text.size();) {
    const std::size_t last = std::min(text.find(',', first), text.size());
    const std::string setting = text.substr(first, last - first);
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size())
      throw Error("method '" + text + "': '" + setting + "' is not of the form key=value");
    if (!spec.settings.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
      throw Error("method '" + text + "': '" + setting.substr(0, equals) + "' is given twice");
    first = last + 1;
  }
  return spec;
}

std::string to_text(const MethodSpec& spec) {
  std::string out = spec.name;
  for (const auto& [key, value] : spec.settings)
    out += (out.size() == spec.name.size() ? ":" : ",") + key + "=" + value;
  return out;
}

std::vector<Estimate> Method::estimate_all(std::span<const Problem> problems,
                                           ThreadPool* pool) const {
  std::vector<Estimate> out(problems.size());
  for_each(problems.size(), pool, [&](std::size_t k) { out[k] = estimate(problems[k]); });
  return out;
}

void MethodRegistry::add(const std::string& name, MethodMaker maker) {
  std::erase_if(makers_, [&](const auto& known) { return known.first == name; });
  makers_.emplace_back(name, std::move(maker));
}

std::unique_ptr<Method> MethodRegistry::make(const MethodSpec& spec) const {
  for (const auto& [name, maker] : makers_)
    if (name == spec.name) return maker(spec);
  throw Error(fmt::format("method '{}': is neither a model file nor one of {}", spec.name,
                          fmt::join(names(), ", ")));
}

std::vector<std::string> MethodRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers_) names.push_back(name);
  return names;
}

MethodRegistry builtin_methods(const EngineOptions& engine) {
  MethodRegistry methods;
  methods.add("pretrained", [engine](const MethodSpec& spec) -> std::unique_ptr<Method> {
    if (spec.settings.contains("factors")) return make_factor_graph_method(spec, engine);
    return std::make_unique<PretrainedMethod>(spec, engine);
  });
  add_glasso_methods(methods);
  add_latent_methods(methods);
  add_columns_methods(methods);
  add_shrinkage_methods(methods);
  add_factor_methods(methods);
  methods.add("stack",
              [engine](const MethodSpec& spec) { return make_stack_method(spec, engine); });
  return methods;
}

std::unique_ptr<Method> make_method(const MethodSpec& spec, const ModelRegistry& models,
                                    const EngineOptions& engine) {
  return make_refitted(spec, models, builtin_methods(engine), engine);
}

std::unique_ptr<Method> make_method(const std::string& text, const ModelRegistry& models,
                                    const EngineOptions& engine) {
  return make_method(parse_method(text), models, engine);
}

std::unique_ptr<Method> make_method(const std::string& text, const ModelRegistry& models,
                                    const MethodRegistry& methods, const EngineOptions& engine) {
  return make_refitted(parse_method(text), models, methods, engine);
}

}  // namespace spodnet
