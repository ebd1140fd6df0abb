#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace spodnet {

struct NpyHeader {
  std::string descr;  ///< e.g. "<f8"
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses the header's Python dictionary, e.g. `{'descr': '<f8', 'fortran_order': False, 'shape':
/// (3, 4), }`: these three keys once each, in any order, and nothing else. Throws an Error that
/// names the file and the place.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

}  // namespace spodnet
