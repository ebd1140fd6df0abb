#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace spodnet {

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< row-major; F32 files are widened to double
};

/// A safetensors file in memory: 8-byte header length, JSON header, raw little-endian tensors.
struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// Reads F64, F32, I64 and I32 tensors. Hostile sizes, overlaps, gaps and truncation throw an
/// Error that names the file, the tensor and the cause; memory stays below a few file sizes.
TensorFile read_safetensors(const std::filesystem::path& path);

/// Writes F64 tensors to a temporary name beside `path`, then renames: never half a file.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace spodnet
