#pragma once

#include <memory>
#include <string>

#include "spodnet/models/network_engine.hpp"

namespace spodnet {

/// K SpodNet layers of one rule, from W_in = S + a I to (Theta, W): a trainable Model.
template <ColumnRule Rule>
class Network : public Model {
 public:
  static constexpr bool kAnyP = SizeFreeRule<Rule>;

  /// `framed`: samples enter through a VariableFrame, so that permuting the variables permutes the
  /// estimate and, with config.standardized, changing their units changes its units. The loss of a
  /// standardized model is measured inside, on the scale of correlations. For size-free rules.
  Network(const ModelConfig& config, Rule rule, bool framed = false)
      : rule_(std::move(rule)), framed_(framed) {
    check_network_config(config, kAnyP);
    config_ = settled(config);
    config_.most_parameters = SIZE_MAX;
    if (kAnyP) config_.p = 0;
    ParameterLayout layout = network_layout(rule_.layout(), settled(config), kAnyP);
    if constexpr (HasStart<Rule>) layout.append(typename Rule::Start().layout(), "");
    parameters_ = Parameters(std::move(layout));
  }

  bool has_thresholds() const override { return true; }
  std::vector<std::string> unused_settings() const override {
    if constexpr (HasStart<Rule>)
      return {"scaling", "zeta", "init_offset", "standardized", "summary"};
    else
      return {};
  }
  bool honours_constraints() const override { return true; }
  std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) const override {
    return std::make_unique<NetworkEngine<Rule>>(*this, rule_, framed_, options);
  }

  const Rule& rule() const { return rule_; }

 private:
  static ModelConfig settled(const ModelConfig& config) {
    return HasStart<Rule> ? started_config(config) : config;
  }

  Rule rule_;
  bool framed_;
};

/// Registers a function that makes a rule of a shape: it then has training, model files and the
/// command line.
template <class Make>
void add_rule(ModelRegistry& registry, const std::string& name, Make make, bool framed = false) {
  using Rule = decltype(make(RuleShape{}));
  registry.add(name, [make, framed](const ModelConfig& config) -> std::unique_ptr<Model> {
    const RuleShape shape{framed ? 0 : config.p, config.widths, config.summary};
    return std::make_unique<Network<Rule>>(config, make(shape), framed);
  });
}

/// The same for a rule that its shape is enough to make.
template <ColumnRule Rule>
void add_rule(ModelRegistry& registry, const std::string& name) {
  add_rule(registry, name, [](const RuleShape& shape) { return Rule(shape); });
}

/// A size-free rule whose estimates follow the variables in any order.
template <SizeFreeRule Rule>
void add_equivariant_rule(ModelRegistry& registry, const std::string& name) {
  add_rule(
      registry, name, [](const RuleShape& shape) { return Rule(shape); }, true);
}

}  // namespace spodnet
