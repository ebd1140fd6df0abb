#include "spodnet/cuda/shape_of.hpp"

#include <map>

#include "spodnet/core/error.hpp"
#include "spodnet/models/column_features.hpp"
#include "spodnet/models/input_offset.hpp"
#include "spodnet/models/spectral_start.hpp"

namespace spodnet::cuda {
namespace {

/// Tensors of one layer by name, from the first layer's.
class LayerTensors {
 public:
  explicit LayerTensors(const ParameterLayout& layout) {
    for (const ParameterView& view : layout.views())
      if (view.name.starts_with(kLayer)) {
        views_[view.name.substr(kLayer.size())] = &view;
        size_ += view.size;
      }
  }
  bool has(const std::string& name) const { return views_.contains(name); }
  int at(const std::string& name) const { return int(views_.at(name)->offset); }
  int rows(const std::string& name) const { return int(views_.at(name)->shape[0]); }
  int columns(const std::string& name) const { return int(views_.at(name)->shape[1]); }
  int size() const { return int(size_); }

 private:
  static constexpr std::string_view kLayer = "layers.0.";
  std::map<std::string, const ParameterView*> views_;
  std::size_t size_ = 0;
};

MlpAt mlp_at(const LayerTensors& tensors, const std::string& name) {
  if (!tensors.has(name + ".0.weight")) return {};
  return {.in = tensors.columns(name + ".0.weight"),
          .hidden = tensors.rows(name + ".0.weight"),
          .out = tensors.rows(name + ".1.weight"),
          .A1 = tensors.at(name + ".0.weight"),
          .b1 = tensors.at(name + ".0.bias"),
          .A2 = tensors.at(name + ".1.weight"),
          .b2 = tensors.at(name + ".1.bias")};
}

EntryNetworkAt entry_network_at(const LayerTensors& tensors, const std::string& name) {
  if (!tensors.has(name + ".0.column")) return {};
  return {.hidden = tensors.rows(name + ".0.weight"),
          .features = tensors.columns(name + ".0.column"),
          .A = tensors.at(name + ".0.weight"),
          .C = tensors.at(name + ".0.column"),
          .b = tensors.at(name + ".0.bias"),
          .B = tensors.at(name + ".1.weight"),
          .c = tensors.at(name + ".1.bias"),
          .adapt = mlp_at(tensors, name + "_adapt")};
}

void place_paper(const LayerTensors& tensors, RuleAt& at) {
  at.kappa = at.kind == RuleKind::ubg ? 1.0 : 0.1;
  at.g_hidden = tensors.rows("g.0.weight");
  for (int k = 0; k < 3; ++k) {
    const std::string part = "g." + std::to_string(k);
    at.g_A[k] = tensors.at(part + ".weight"), at.g_b[k] = tensors.at(part + ".bias");
  }
  at.lambda_hidden = tensors.rows("f.lambda.0.weight");
  at.B1 = tensors.at("f.lambda.0.weight"), at.c1 = tensors.at("f.lambda.0.bias");
  at.B2 = tensors.at("f.lambda.1.weight"), at.c2 = tensors.at("f.lambda.1.bias");
  at.small = at.c2 + 1;  // the layout begins with g and lambda
  at.gamma = mlp_at(tensors, "f.gamma");
  at.map = mlp_at(tensors, at.kind == RuleKind::pnp ? "f.psi" : "f.phi");
}

void place_any(const LayerTensors& tensors, RuleAt& at) {
  at.gamma = mlp_at(tensors, "f.gamma");
  at.margin = mlp_at(tensors, "g");
  at.lambda = entry_network_at(tensors, "f.lambda");
  at.psi = entry_network_at(tensors, "f.psi");
  at.features = at.gamma.in;
}

std::optional<RuleKind> kind_of(const std::string& model) {
  static const std::map<std::string, RuleKind> kinds = {
      {"ubg", RuleKind::ubg},         {"pnp", RuleKind::pnp},
      {"e2e", RuleKind::e2e},         {"ubg-any", RuleKind::ubg_any},
      {"pnp-any", RuleKind::pnp_any}, {"consistent-any", RuleKind::consistent_any}};
  const auto found = kinds.find(model);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<WalkShape> shape_of(const Model& model) {
  const ModelConfig& config = model.config();
  const auto kind = kind_of(config.model);
  if (!kind) return std::nullopt;
  const LayerTensors tensors(model.parameters().layout);
  WalkShape shape;
  shape.rule.kind = *kind;
  shape.rule.p = int(config.p);
  shape.rule.size = tensors.size();
  size_free(*kind) ? place_any(tensors, shape.rule) : place_paper(tensors, shape.rule);
  shape.layers = config.layers;
  shape.tied = config.tied;
  shape.scaling = config.scaling;
  shape.zeta = config.zeta;
  shape.v_min = config.v_min;
  shape.learn_offset = config.learn_offset;
  shape.offset_terms = config.learn_offset ? int(model.parameters().view("init_offset").size()) : 0;
  if (*kind == RuleKind::consistent_any) shape.start_terms = int(SpectralStart().layout().size());
  shape.parameters = int(model.parameters().values.size());
  return shape;
}

}  // namespace spodnet::cuda
