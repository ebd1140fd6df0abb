#pragma once

#include <cstdint>
#include <string_view>

namespace spodnet {

/// FNV-1a, 64 bits, of a text: for names of files and seeds of streams.
constexpr std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ std::uint8_t(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace spodnet
