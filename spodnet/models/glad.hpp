#pragma once

#include "spodnet/models/model.hpp"

namespace spodnet {

/// GLAD (Shrivastava et al. 2020; Eqs. (12-17)), L = config.layers unrolled iterations that share
/// one set of weights. Two matrices come out: Theta is SPD and dense, Z is sparse and often not
/// SPD. The loss is the mean over the iterations of the loss of Z_k; nmse is Z_L's.
/// Memory: about 7 L p^2 numbers per thread while training.
class GladModel final : public Model {
 public:
  explicit GladModel(const ModelConfig& config);  ///< throws Error on p = 0, L < 1, other widths

  std::vector<std::string> unused_settings() const override;  ///< those of the layer

  /// Its estimates are Theta and W = Theta^{-1} from the last iteration's eigenvalues, and Z. When
  /// rounding leaves Theta without a Cholesky factor, its smallest eigenvalues are raised until it
  /// has one and the status is not_spd.
  std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) const override;
};

std::unique_ptr<Model> make_glad(const ModelConfig& config);

}  // namespace spodnet
