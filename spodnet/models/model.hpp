#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "spodnet/layer/options.hpp"
#include "spodnet/layer/parameters.hpp"

namespace spodnet {

/// Everything but the weights: what a model file's metadata holds.
struct ModelConfig {
  std::string model = "ubg";
  std::size_t p = 0;  ///< number of variables; 0: any (models with SizeFreeRule)
  int layers = 1;     ///< K
  bool tied = false;  ///< the K layers share one set of weights
  Scaling scaling = Scaling::normalize;
  double zeta = 1.0;
  bool learn_offset = false;                  ///< the input offset a = exp(a0) is a parameter
  double init_offset = 1.0;                   ///< W_in = S + a I when it is not
  double v_min = 1e-8;                        ///< floor of the Schur margin: v >= v_min * max(1, q)
  bool standardized = false;                  ///< a size-free model works on correlations
  bool summary = false;                       ///< a size-free model also reads the whole of S
  std::map<std::string, std::size_t> widths;  ///< hidden widths that differ from the default
  std::vector<std::string> programs;        ///< of model "program": each layer's text; one: of all
  std::map<std::string, std::string> info;  ///< how it was trained, for information
  std::size_t most_parameters = SIZE_MAX;   ///< a larger network is refused, not allocated
};

class Engine;
struct EngineOptions;

/// What is computed: a configuration, fixed when it is made, and parameters. Which model is chosen
/// at run time. An Engine (engine.hpp), made by make_engine, computes.
class Model {
 public:
  virtual ~Model() = default;

  const ModelConfig& config() const { return config_; }
  const Parameters& parameters() const { return parameters_; }
  Parameters& parameters() { return parameters_; }

  /// How it was trained, for information: what a model file says beside the configuration.
  std::map<std::string, std::string>& info() { return config_.info; }

  /// Whether EstimateOptions::sparsity has an effect: networks of the layer.
  virtual bool has_thresholds() const { return false; }

  /// Whether prior knowledge given with a sample holds exactly in Theta. An engine of a model that
  /// cannot promise it throws an Error where there is any.
  virtual bool honours_constraints() const { return false; }

  /// Settings of ModelConfig that change nothing in this model, by their names in a model file.
  virtual std::vector<std::string> unused_settings() const { return {}; }

  /// The engine on the CPU, which every model has. The model must outlive it.
  virtual std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) const = 0;

 protected:
  ModelConfig config_;
  Parameters parameters_;
};

using ModelFactory = std::function<std::unique_ptr<Model>(const ModelConfig&)>;

/// Models by name: the built-in ones and those a user registers (docs/extending.md).
class ModelRegistry {
 public:
  void add(const std::string& name, ModelFactory factory);
  /// A model with freshly laid out parameters (all zero until initialised or loaded).
  std::unique_ptr<Model> make(const ModelConfig& config) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, ModelFactory> factories_;
};

/// ubg, pnp, e2e, ubg-any, pnp-any, consistent-any, glad and program.
ModelRegistry builtin_models();

}  // namespace spodnet
