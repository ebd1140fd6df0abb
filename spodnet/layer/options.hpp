#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "spodnet/core/scaling.hpp"

namespace spodnet {

std::string to_string(Scaling scaling);
Scaling scaling_from(const std::string& text);  ///< throws Error on an unknown name

/// What the layer itself, not its rule, does in a column step.
struct LayerOptions {
  Scaling scaling = Scaling::normalize;
  double zeta = 1.0;
  double v_min = 1e-8;        ///< floor of the margin: v >= v_min * max(1, q)
  double drift_limit = 1e-9;  ///< W is refreshed when |w_i' Theta_i - 1| exceeds it
  bool careful = false;       ///< solves with Cholesky factors instead of W: p times the work
  double bound = 0;           ///< above 0: diag(W) stays within this factor of diag(S); no way back
  double sparsity = 1;        ///< factor of every threshold lambda: above 1 fewer entries stay
};

/// What a rule is built for.
struct RuleShape {
  std::size_t p = 0;
  std::map<std::string, std::size_t> widths;  ///< hidden widths that differ from the default
  bool summary = false;                       ///< columns come with Column::summary

  std::size_t width(const std::string& part, std::size_t usual) const {
    const auto found = widths.find(part);
    return found != widths.end() ? found->second : usual > 0 ? usual : 1;
  }
  /// Of a part that is there only when asked for: 0 otherwise.
  std::size_t extra(const std::string& part) const {
    return widths.contains(part) ? widths.at(part) : 0;
  }
};

}  // namespace spodnet
