#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "spodnet/core/types.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet {

/// Reads a NumPy array of any rank: format versions 1 and 2, little-endian f4, f8, i4, i8, C or
/// Fortran order; values come out row-major as double (i8 beyond 2^53 is rounded). Any other dtype,
/// an ill-formed header, or a size that is not the shape's throws an Error naming the file, the
/// cause and the remedy, before memory is taken.
Tensor read_npy(const std::filesystem::path& path);

/// The same of bytes in memory; `name` stands for the file in messages.
Tensor parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// Writes version 1, f8, C order, atomically. Throws when the shape does not match the values.
void write_npy(const std::filesystem::path& path, const Tensor& tensor);
void write_npy(const std::filesystem::path& path, const MatrixRef& A);

}  // namespace spodnet
