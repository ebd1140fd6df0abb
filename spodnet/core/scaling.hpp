#pragma once

namespace spodnet {

/// Scaling of the preactivation z by its norm in inv_theta_11, q0 = z' inv_theta_11 z:
///   normalize  z sqrt(zeta / q0)          (the paper; z = 0 stays 0)
///   clip       z min(1, sqrt(zeta / q0))
///   none       z
///   relative   z min(1, sqrt(zeta theta_22 / q0)), which follows the data's units
enum class Scaling { normalize, clip, none, relative };

}  // namespace spodnet
