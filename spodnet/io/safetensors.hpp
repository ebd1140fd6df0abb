#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace spodnet {

struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<double> values;  ///< row-major; F32, I64 and I32 are converted to double
};

/// A safetensors file in memory: 8-byte header length, JSON header, raw little-endian tensors.
struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

/// What the header says of one tensor; bytes [begin, end) are counted from the header's end.
struct TensorInfo {
  std::string dtype;
  std::vector<std::size_t> shape;
  std::size_t begin = 0, end = 0;
};

struct TensorFileHeader {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorInfo> tensors;
};

/// Reads F64, F32, I64 and I32 tensors (I64 beyond 2^53 is rounded). A hostile header length,
/// invalid JSON, duplicate names, shapes that disagree with the offsets, overlaps, gaps and
/// truncation throw an Error that names the file, the tensor and the cause. Every size is checked
/// against the file's before memory is taken: at most a few times the file's size.
TensorFile read_safetensors(const std::filesystem::path& path);

/// The same of bytes in memory; `name` stands for the file in messages.
TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& name);

/// Metadata, names, dtypes and shapes only, checked as above; tensors of any safetensors dtype
/// pass. Cost: the header, whatever the size of the data.
TensorFileHeader read_safetensors_header(const std::filesystem::path& path);

/// Writes F64 tensors in the order of their names, the data 8-byte aligned, atomically
/// (io/atomic_file.hpp): never half a file. Throws when a shape does not match its values.
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

}  // namespace spodnet
