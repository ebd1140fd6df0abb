#pragma once

#include <string>
#include <string_view>

#include "spodnet/io/safetensors.hpp"

namespace spodnet {

/// A header beyond this is refused (the limit of the format's own reader).
constexpr std::size_t kMaxTensorHeader = 100'000'000;

/// Bytes per element, 0 for a dtype the format does not have.
std::size_t dtype_size(std::string_view dtype);

/// Parses the JSON `text` and checks it against `data_size`, the number of bytes behind it:
/// every tensor's shape times its element size fills its offsets, and the tensors together cover
/// the data without gap or overlap. Nesting deeper than the format's is refused where it starts.
TensorFileHeader parse_tensor_header(std::string_view text, std::size_t data_size,
                                     const std::string& name);

}  // namespace spodnet
