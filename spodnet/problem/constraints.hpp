#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// What is known of the partial correlation rho_ij = -Theta_ij / sqrt(Theta_ii Theta_jj) of a pair
/// before any data are seen. The bits say what Theta_ij may be: 1 positive, 2 negative, so that two
/// rules for one pair hold together as their bitwise and.
enum class PairRule : std::uint8_t {
  zero = 0,          ///< no edge
  not_positive = 1,  ///< rho_ij <= 0, Theta_ij >= 0
  not_negative = 2,  ///< rho_ij >= 0, Theta_ij <= 0
  free = 3
};

/// Prior knowledge of all pairs of p variables, symmetric. An estimate made with it has exact zeros
/// where an edge is forbidden and no partial correlation of a forbidden sign. Signs and zeros do
/// not depend on the variables' units.
class Constraints {
 public:
  explicit Constraints(std::size_t p);  ///< all pairs free

  std::size_t p() const { return p_; }
  PairRule operator()(std::size_t i, std::size_t j) const { return rules_[i * p_ + j]; }

  /// Adds a rule for the pair; Error when i = j or a variable does not exist.
  void narrow(std::size_t i, std::size_t j, PairRule rule);
  void narrow_all(PairRule rule);  ///< the same for every pair

  /// The rules among variables order[0], order[1], ..., renumbered 0, 1, ...: for a permutation of
  /// the variables, or some of them.
  Constraints among(std::span<const std::size_t> order) const;

  /// May Theta_ij have this value?
  bool allow(std::size_t i, std::size_t j, double theta) const {
    const auto bits = std::uint8_t(rules_[i * p_ + j]);
    return theta > 0 ? bits & 1 : theta < 0 ? bits & 2 : true;
  }
  bool hold(const MatrixRef& Theta) const;      ///< for every pair of a p x p matrix
  void impose(Eigen::Ref<Matrix> Theta) const;  ///< sets what is not allowed to 0

  /// z_j <- 0 where Theta_ij must not have its sign; z of length p, entry i is not read.
  void mask(std::size_t i, double* z) const;
  /// The adjoint of `mask`, from its output z: d_z_j <- 0 where it may have set z_j to 0.
  void mask_backward(std::size_t i, const double* z, double* d_z) const;

 private:
  std::size_t p_;
  std::vector<PairRule> rules_;  // p x p
};

}  // namespace spodnet
