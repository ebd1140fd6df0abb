#pragma once

#include "spodnet/problem/loss.hpp"

/// The Huber loss: squared where an entry is off by less than 0.5, linear beyond, so that a few
/// large entries of Theta_true do not decide everything.
inline double huber(const spodnet::ConstMatrixMap& Theta, const spodnet::ConstMatrixMap& Theta_true,
                    spodnet::MatrixMap G) {
  constexpr double kBend = 0.5;
  const spodnet::Matrix d = Theta - Theta_true;
  G = 2 * d.cwiseMax(-kBend).cwiseMin(kBend);  // dL = <G, dTheta>
  const auto size = d.array().abs();
  return (size < kBend).select(size.square(), kBend * (2 * size - kBend)).sum();
}
