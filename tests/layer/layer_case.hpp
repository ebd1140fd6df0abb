#pragma once

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "spodnet/models/model.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {

/// How the K layers relate and what the input is.
struct LayerCase {
  std::string model = "ubg";
  std::size_t p = 5;
  Scaling scaling = Scaling::normalize;
  int layers = 1;
  bool tied = false, learn_offset = false;
  double zeta = 1, v_min = 1e-8;

  ModelConfig config() const {
    ModelConfig out{.model = model, .p = p, .layers = layers, .tied = tied, .scaling = scaling};
    out.zeta = zeta;
    out.v_min = v_min;
    out.learn_offset = learn_offset;
    return out;
  }
};

inline std::ostream& operator<<(std::ostream& out, const LayerCase& c) {
  return out << c.model << " p=" << c.p << " " << to_string(c.scaling) << " K=" << c.layers
             << (c.tied ? " tied" : "") << (c.learn_offset ? " learned offset" : "")
             << " zeta=" << c.zeta << " v_min=" << c.v_min;
}

/// Makes the last layer of f small and v about 1: without scaling, or through several layers,
/// random weights would let Theta grow until rounding decides.
inline void calm(Parameters& parameters) {
  for (const ParameterView& view : parameters.layout.views()) {
    const auto is = [&](const char* part) { return view.name.find(part) != std::string::npos; };
    for (double& x : parameters.view(view.name)) {
      if (is("gamma.1") || is("psi.1") || is("phi.1")) x *= 0.3;
      if (is("g.2.bias")) x = 1 + 0.1 * x;
    }
  }
}

/// Random weights with which some entries of the output are 0 and others are not.
inline std::unique_ptr<Model> random_model(const LayerCase& c, std::uint64_t seed = 3) {
  auto model = builtin_models().make(c.config());
  Parameters& parameters = model->parameters();
  parameters.initialise(seed);
  const double small = (c.scaling == Scaling::normalize ? 1.0 : 0.2) / std::sqrt(double(c.p));
  for (const ParameterView& view : parameters.layout.views())
    if (view.name.find("lambda.1") != std::string::npos)
      for (double& x : parameters.view(view.name)) x *= small;
  if (c.layers > 1 || c.scaling == Scaling::none) calm(parameters);
  return model;
}

/// Every model, scaling, K = 1 and 3 (tied and untied), fixed and learned offset, for these p.
inline std::vector<LayerCase> all_layer_cases(const std::vector<std::size_t>& sizes) {
  std::vector<LayerCase> cases;
  for (const char* model : {"ubg", "pnp", "e2e"})
    for (const std::size_t p : sizes)
      for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none})
        for (int kind : {0, 1, 2})
          for (bool learn_offset : {false, true})
            cases.push_back({.model = model,
                             .p = p,
                             .scaling = scaling,
                             .layers = kind == 0 ? 1 : 3,
                             .tied = kind == 1,
                             .learn_offset = learn_offset});
  return cases;
}

inline double norm(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size())).norm();
}

inline double distance(std::span<const double> x, std::span<const double> y) {
  const auto n = Eigen::Index(x.size());
  return (Eigen::Map<const Vector>(x.data(), n) - Eigen::Map<const Vector>(y.data(), n)).norm();
}

/// Worst relative distance of two gradients over the tensors; a tensor smaller than 1e-6 of the
/// whole counts as that large.
inline double gradient_distance(const Parameters& parameters, std::span<const double> x,
                                std::span<const double> y) {
  double worst = 0;
  for (const ParameterView& view : parameters.layout.views()) {
    const auto a = x.subspan(view.offset, view.size), b = y.subspan(view.offset, view.size);
    const double size = std::max(norm(a), 1e-6 * norm(x));
    if (size > 0) worst = std::max(worst, distance(a, b) / size);
    if (!(distance(a, b) < 1e300)) return INFINITY;
  }
  return worst;
}

}  // namespace spodnet::test
