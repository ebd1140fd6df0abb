#include "spodnet/layer/tape.hpp"

namespace spodnet {

void LayerTape::restore_input() {
  for (std::size_t r = 0; r < scalars.size(); ++r) {
    for (std::size_t c = 0; c < r; ++c) Theta_in[r][c] = Theta_in[c][r];
    Theta_in[r][r] = scalars[r].theta_22;
  }
}

}  // namespace spodnet
