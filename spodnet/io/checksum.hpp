#pragma once

#include <string>

#include "spodnet/io/safetensors.hpp"

namespace spodnet {

/// Metadata with the digest of all that a file holds: names, shapes, values and the other metadata.
inline constexpr const char* kChecksumKey = "checksum";

/// Digest (64 bits, as 16 hexadecimal digits) of everything in `file` but its own entry.
std::string checksum_of(const TensorFile& file);

/// Writes the digest into the metadata.
void add_checksum(TensorFile& file);

/// Throws Error, its line beginning with `name`, if the digest differs from that of the contents.
/// A file without one passes: other programs write none.
void check_checksum(const TensorFile& file, const std::string& name);

}  // namespace spodnet
