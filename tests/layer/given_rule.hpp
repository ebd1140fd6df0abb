#pragma once

#include <functional>

#include "spodnet/layer/rule.hpp"

namespace spodnet::test {

/// A rule without weights that puts any z, lambda and v into the layer, and may look at what the
/// layer offers it. Not trainable.
class GivenRule {
 public:
  static constexpr bool kReadsW = true, kReadsDiagonal = false;
  struct Prepared {};
  struct Tape {};

  std::function<double(const Column&, std::size_t j)> z = [](auto&, auto) { return 0.0; };
  std::function<double(const Column&, std::size_t j)> lambda = [](auto&, auto) { return 0.0; };
  std::function<double(const Column&, double q)> v = [](auto&, auto) { return 1.0; };
  std::function<void(const Column&)> look = [](auto&) {};

  const ParameterLayout& layout() const { return layout_; }
  void prepare(const double*, Prepared&) const {}
  void reserve(Tape&, std::size_t) const {}

  void preactivation(const Prepared&, const Column& column, double* out, Tape&) const {
    look(column);
    for (std::size_t j = 0; j < column.p; ++j) out[j] = z(column, j);
  }
  void thresholds(const Prepared&, const Column& column, const double*, double* out, Tape&) const {
    for (std::size_t j = 0; j < column.p; ++j) out[j] = lambda(column, j);
  }
  double margin(const Prepared&, const Column& column, double q, Tape&) const {
    return v(column, q);
  }

  void preactivation_backward(const Prepared&, const Column&, const double*, Tape&, double*,
                              ColumnAdjoint&) const {}
  void thresholds_backward(const Prepared&, const Column&, const double*, const double*, Tape&,
                           double*, double*, ColumnAdjoint&) const {}
  double margin_backward(const Prepared&, const Column&, double, double, Tape&, double*,
                         ColumnAdjoint&) const {
    return 0;
  }

 private:
  ParameterLayout layout_;
};

}  // namespace spodnet::test
