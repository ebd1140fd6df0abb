#pragma once

#include <cstdint>
#include <string_view>

namespace spodnet::experiments {

/// FNV-1a, 64 bits: names of parts and seeds of streams from text.
constexpr std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ std::uint8_t(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace spodnet::experiments
