#include "spodnet/problem/constraints.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

PairRule both(PairRule a, PairRule b) { return PairRule(std::uint8_t(a) & std::uint8_t(b)); }

}  // namespace

Constraints::Constraints(std::size_t p) : p_(p), rules_(p * p, PairRule::free) {}

void Constraints::narrow(std::size_t i, std::size_t j, PairRule rule) {
  if (i == j || i >= p_ || j >= p_)
    throw Error(fmt::format("constraints: ({}, {}) is not a pair of {} variables, counted from 0",
                            i, j, p_));
  rules_[i * p_ + j] = rules_[j * p_ + i] = both(rules_[i * p_ + j], rule);
}

void Constraints::narrow_all(PairRule rule) {
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) narrow(i, j, rule);
}

Constraints Constraints::among(std::span<const std::size_t> order) const {
  Constraints out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) out.narrow(i, j, (*this)(order[i], order[j]));
  return out;
}

bool Constraints::hold(const MatrixRef& Theta) const {
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j)
      if (i != j && !allow(i, j, Theta(Eigen::Index(i), Eigen::Index(j)))) return false;
  return true;
}

void Constraints::impose(Eigen::Ref<Matrix> Theta) const {
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j) {
      double& theta = Theta(Eigen::Index(i), Eigen::Index(j));
      if (i != j && !allow(i, j, theta)) theta = 0;
    }
}

void Constraints::mask(std::size_t i, double* z) const {
  for (std::size_t j = 0; j < p_; ++j)
    if (j != i && !allow(i, j, z[j])) z[j] = 0;
}

void Constraints::mask_backward(std::size_t i, const double* z, double* d_z) const {
  for (std::size_t j = 0; j < p_; ++j)
    if (z[j] == 0 && (*this)(i, j) != PairRule::free) d_z[j] = 0;
}

}  // namespace spodnet
