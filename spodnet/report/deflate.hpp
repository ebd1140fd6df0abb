#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spodnet {

/// zlib's stream (RFC 1950) of the bytes, as PDF and PNG hold it.
std::string deflated(std::string_view bytes);

/// CRC-32 as PNG's chunks end with it.
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace spodnet
