#pragma once

#include "spodnet/program/expression.hpp"

/// MaskedRule as expressions: z = min(theta_12 - a (s_12 - w_12), 0) where the mask is 1, else 0.
inline spodnet::program::Expr masked(spodnet::program::Column& c) {
  using spodnet::program::kP;
  const auto step = c.weight("f.step", {{1}}, {.values = {0.5}});
  const auto mask = c.row(c.weight("f.mask", {kP, kP}, {.values = {1.0}, .fixed = true}));
  return where(mask > 0.5, min(c.theta() - step * (c.s() - c.w()), 0.0), 0.0);
}
