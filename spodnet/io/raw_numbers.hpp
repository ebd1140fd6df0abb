#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "spodnet/io/byte_source.hpp"

namespace spodnet {

static_assert(std::endian::native == std::endian::little, "raw numbers are little-endian");

/// Kinds of raw little-endian numbers the readers accept.
enum class RawKind { f32, f64, i32, i64 };

constexpr std::size_t raw_size(RawKind kind) {
  return kind == RawKind::f32 || kind == RawKind::i32 ? 4 : 8;
}

/// Reads out.size() numbers from `offset` on and converts them to double, a chunk at a time.
template <class Number>
void read_raw(const ByteSource& source, std::size_t offset, std::span<double> out) {
  constexpr std::size_t kChunk = 8192;
  std::vector<Number> chunk(std::min(kChunk, out.size()));
  for (std::size_t done = 0; done < out.size(); done += chunk.size()) {
    chunk.resize(std::min(chunk.size(), out.size() - done));
    source.read(offset + done * sizeof(Number), std::as_writable_bytes(std::span(chunk)));
    std::copy(chunk.begin(), chunk.end(), out.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

inline void read_raw(RawKind kind, const ByteSource& source, std::size_t offset,
                     std::span<double> out) {
  switch (kind) {
    case RawKind::f32:
      return read_raw<float>(source, offset, out);
    case RawKind::f64:
      return source.read(offset, std::as_writable_bytes(out));
    case RawKind::i32:
      return read_raw<std::int32_t>(source, offset, out);
    case RawKind::i64:
      return read_raw<std::int64_t>(source, offset, out);
  }
}

/// Product of the extents times `unit` in `product`; false when it, or what the extents other than
/// 0 make of it, overflows a signed index.
inline bool checked_product(std::span<const std::size_t> extents, std::size_t unit,
                            std::size_t& product) {
  std::size_t largest = unit;
  for (const std::size_t extent : extents)
    if (__builtin_mul_overflow(largest, std::max<std::size_t>(extent, 1), &largest)) return false;
  const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  product = empty ? 0 : largest;
  return largest <= static_cast<std::size_t>(PTRDIFF_MAX);
}

}  // namespace spodnet
