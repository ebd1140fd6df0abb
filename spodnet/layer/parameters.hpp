#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spodnet {

/// One named tensor inside a flat block of parameters.
struct ParameterView {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;
  std::size_t size = 0;
  double init_bound = 0;            ///< starts uniform in +-init_bound ...
  std::vector<double> init_values;  ///< ... or with these values, where given
};

/// Names, shapes and offsets of a block of parameters, in the order of `add`.
class ParameterLayout {
 public:
  /// Reserves a tensor that starts uniform in +-bound; returns its offset.
  std::size_t add(std::string name, std::vector<std::size_t> shape, double bound);
  /// Reserves a tensor with given starting values (a constant, if nothing writes its gradient).
  std::size_t add_values(std::string name, std::vector<std::size_t> shape,
                         std::vector<double> values);
  /// Appends another block, each name with this prefix; returns the offset of the block.
  std::size_t append(const ParameterLayout& block, const std::string& prefix);

  std::size_t size() const { return size_; }
  const std::vector<ParameterView>& views() const { return views_; }

 private:
  std::vector<ParameterView> views_;
  std::size_t size_ = 0;
};

/// All parameters of a model in one flat allocation with named views, so that the optimiser, the
/// checkpoint and the sum over threads are one loop each.
struct Parameters {
  ParameterLayout layout;
  std::vector<double> values;

  Parameters() = default;
  explicit Parameters(ParameterLayout layout_)
      : layout(std::move(layout_)), values(layout.size()) {}

  /// Draws every tensor (PyTorch's default: uniform in +-1/sqrt(fan_in)).
  void initialise(std::uint64_t seed);
  const ParameterView* find(const std::string& name) const;
  std::span<double> view(const std::string& name);  ///< throws Error when absent
  std::span<const double> view(const std::string& name) const;
};

}  // namespace spodnet
