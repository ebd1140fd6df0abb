#pragma once

#include <string>

#include "spodnet/core/random.hpp"

namespace spodnet {

/// Signs of the partial correlations -Theta_ij / sqrt(Theta_ii Theta_jj).
enum class Signs { positive, negative, mixed };

std::string to_string(Signs signs);
Signs signs_from(const std::string& text);  ///< throws Error on an unknown name

/// +1 or -1; mixed draws one number from the stream, the others none.
double draw_sign(Signs signs, RandomStream& random);

}  // namespace spodnet
