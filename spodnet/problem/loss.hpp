#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// What is minimised in training: a plain function of an estimate and the truth.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual std::string name() const = 0;

  /// The loss of Theta (p x p, symmetric); G = weight times its gradient, symmetric, every entry
  /// counted for itself: dL = <G, dTheta>. NaN where it has no value.
  virtual double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true,
                          double weight, MatrixMap G) const = 0;

  /// For ||Theta - Theta_true||_F^2 / unit: the unit. A loss has one for every truth or for none.
  /// Engines compute such a loss on their way, without calling `evaluate`.
  virtual std::optional<double> squared_error_unit(const ConstMatrixMap& /*Theta_true*/) const {
    return std::nullopt;
  }
};

using LossPtr = std::shared_ptr<const Loss>;

/// A loss that is one function, as users write them.
using LossFunction = std::function<double(const ConstMatrixMap& Theta,
                                          const ConstMatrixMap& Theta_true, MatrixMap G)>;

/// Losses by name: the built-in ones and those a user registers (docs/extending.md).
class LossRegistry {
 public:
  void add(LossPtr loss);
  /// `function` returns the loss and writes its gradient into G.
  void add(const std::string& name, LossFunction function);
  /// Error that lists the known names where there is no such loss.
  LossPtr find(const std::string& name) const;
  std::vector<std::string> names() const;  ///< in the order in which they were added

 private:
  std::vector<LossPtr> losses_;
};

/// mse, nmse, support, likelihood, balanced and log-stein.
LossRegistry builtin_losses();

/// One of them.
LossPtr builtin_loss(const std::string& name);

}  // namespace spodnet
