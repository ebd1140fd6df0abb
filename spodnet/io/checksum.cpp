#include "spodnet/io/checksum.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "spodnet/core/digest.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

/// One step for each of the numbers: every step is one to one, so that no single change is lost.
std::uint64_t stirred(std::uint64_t hash, std::uint64_t bits) {
  return (std::rotl(hash, 23) ^ bits) * 0x9E3779B97F4A7C15u;
}

std::uint64_t stirred(std::uint64_t hash, const std::string& text) {
  return stirred(stirred(hash, text.size()), digest(text));
}

}  // namespace

std::string checksum_of(const TensorFile& file) {
  std::uint64_t hash = file.tensors.size();
  for (const auto& [key, value] : file.metadata)
    if (key != kChecksumKey) hash = stirred(stirred(hash, key), value);
  for (const auto& [key, tensor] : file.tensors) {
    hash = stirred(stirred(hash, key), tensor.shape.size());
    for (const std::size_t length : tensor.shape) hash = stirred(hash, length);
    for (const double value : tensor.values)
      hash = stirred(hash, std::bit_cast<std::uint64_t>(value));
  }
  return fmt::format("{:016x}", hash);
}

void add_checksum(TensorFile& file) { file.metadata[kChecksumKey] = checksum_of(file); }

void check_checksum(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(kChecksumKey);
  if (found == file.metadata.end() || found->second == checksum_of(file)) return;
  throw Error(name +
              ": the contents do not agree with the file's checksum: it is damaged; copy or train "
              "it again (if it was changed on purpose, remove its metadata 'checksum')");
}

}  // namespace spodnet
