#pragma once

#include "spodnet/models/model.hpp"

namespace spodnet {

/// GLAD (Shrivastava et al. 2020; Eqs. (12-17)), L = config.layers unrolled iterations that share
/// one set of weights. Two matrices come out: Theta is SPD and dense, Z is sparse and often not
/// SPD. The loss is the mean over the iterations of ||Z_k - Theta_true||_F^2 (over its loss_unit);
/// nmse is Z_L's.
/// Memory: about 7 L p^2 numbers per thread while training.
class GladModel final : public Model {
 public:
  explicit GladModel(const ModelConfig& config);  ///< throws Error on p = 0, L < 1, other widths

  std::vector<std::string> unused_settings() const override;  ///< those of the layer

  std::unique_ptr<TrainWorkspace> make_workspace() const override;
  [[nodiscard]] BatchLoss loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                                        ThreadPool& pool, TrainWorkspace& workspace) const override;

  /// Theta and W = Theta^{-1} from the last iteration's eigenvalues, and Z. When rounding leaves
  /// Theta without a Cholesky factor, its smallest eigenvalues are raised until it has one and
  /// the status is not_spd.
  [[nodiscard]] Estimate estimate(const MatrixRef& S, double n) const override;
};

std::unique_ptr<Model> make_glad(const ModelConfig& config);

}  // namespace spodnet
