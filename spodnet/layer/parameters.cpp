#include "spodnet/layer/parameters.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"

namespace spodnet {

std::size_t ParameterLayout::add(std::string name, std::vector<std::size_t> shape, double bound) {
  const std::size_t size =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  views_.push_back({std::move(name), std::move(shape), size_, size, bound, {}});
  size_ += size;
  return views_.back().offset;
}

std::size_t ParameterLayout::add_values(std::string name, std::vector<std::size_t> shape,
                                        std::vector<double> values) {
  const std::size_t offset = add(std::move(name), std::move(shape), 0.0);
  if (values.size() != views_.back().size)
    throw Error("ParameterLayout::add_values: '" + views_.back().name +
                "' needs as many values as its shape says");
  views_.back().init_values = std::move(values);
  return offset;
}

std::size_t ParameterLayout::append(const ParameterLayout& block, const std::string& prefix) {
  const std::size_t start = size_;
  for (ParameterView view : block.views_) {
    view.name = prefix + view.name;
    view.offset += start;
    views_.push_back(std::move(view));
  }
  size_ += block.size_;
  return start;
}

void Parameters::initialise(std::uint64_t seed) {
  RandomStream random(seed, 0x77656967687473);  // "weights": apart from the data's streams
  for (const ParameterView& view : layout.views()) {
    double* out = values.data() + view.offset;
    if (!view.init_values.empty()) {
      std::copy(view.init_values.begin(), view.init_values.end(), out);
    } else {
      for (std::size_t k = 0; k < view.size; ++k)
        out[k] = random.uniform(-view.init_bound, view.init_bound);
    }
  }
}

const ParameterView* Parameters::find(const std::string& name) const {
  for (const ParameterView& view : layout.views())
    if (view.name == name) return &view;
  return nullptr;
}

std::span<double> Parameters::view(const std::string& name) {
  const ParameterView* found = find(name);
  if (!found) throw Error("Parameters::view: no parameter is called '" + name + "'");
  return {values.data() + found->offset, found->size};
}

std::span<const double> Parameters::view(const std::string& name) const {
  return const_cast<Parameters*>(this)->view(name);
}

}  // namespace spodnet
