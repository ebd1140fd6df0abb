#include "spodnet/program/plan.hpp"

namespace spodnet::program {

View entries_innermost(int root, long offset, const Shape& shape) {
  View view{.root = root, .offset = offset, .strides = std::vector<long>(shape.size(), 0)};
  long entries = 1, step = 1;
  for (const Dim d : shape) entries *= d.grows ? d.n : 1;
  const bool few = entries < kFewEntries;
  for (const bool grows : {true, false})
    for (std::size_t k = shape.size(); k-- > 0;)
      if ((shape[k].grows || few) == grows) {
        view.strides[k] = shape[k].n == 1 ? 0 : step;
        step *= shape[k].n;
      }
  for (const Dim d : shape) view.dims.push_back(d.n);
  return view;
}

View contiguous(int root, long offset, Shape shape) {
  for (Dim& d : shape) d.grows = true;
  return entries_innermost(root, offset, shape);
}

bool viewed(const View& from, const std::vector<long>& to, View& out) {
  std::vector<long> dims, strides;  // without ones, neighbours merged
  for (std::size_t k = 0; k < from.dims.size(); ++k) {
    if (from.dims[k] == 1) continue;
    if (!dims.empty() && strides.back() == from.strides[k] * from.dims[k]) {
      dims.back() *= from.dims[k];
      strides.back() = from.strides[k];
    } else {
      dims.push_back(from.dims[k]);
      strides.push_back(from.strides[k]);
    }
  }
  out = from;
  out.dims = to;
  out.strides.assign(to.size(), 0);
  std::size_t at = dims.size();
  long rest = 1, step = 0;
  for (std::size_t k = to.size(); k-- > 0;) {
    if (to[k] == 1) continue;
    if (rest == 1) {
      if (at == 0) return false;
      --at;
      rest = dims[at];
      step = strides[at];
    }
    if (to[k] == 0 || rest % to[k] != 0) return false;
    out.strides[k] = step;
    step *= to[k];
    rest /= to[k];
  }
  return rest == 1 && at == 0;
}

View expanded(View view, const std::vector<long>& to) {
  const std::size_t more = to.size() - view.dims.size();
  view.dims.insert(view.dims.begin(), more, 1);
  view.strides.insert(view.strides.begin(), more, 0);
  for (std::size_t k = 0; k < to.size(); ++k)
    if (view.dims[k] == 1 && to[k] != 1) view.strides[k] = 0;
  view.dims = to;
  return view;
}

bool is_contiguous(const View& view) {
  long step = 1;
  for (std::size_t k = view.dims.size(); k-- > 0;) {
    if (view.dims[k] != 1 && view.strides[k] != step) return false;
    step *= view.dims[k];
  }
  return true;
}

}  // namespace spodnet::program
