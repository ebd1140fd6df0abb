#include "spodnet/report/deflate.hpp"

#include <zlib.h>

#include <new>

namespace spodnet {

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(uLong(bytes.size()));
  std::string out(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(bytes.data());
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, from, uLong(bytes.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();  // the only failure that is left with a buffer of that size
  out.resize(size);
  return out;
}

std::uint32_t crc32_of(std::string_view bytes) {
  return std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())));
}

}  // namespace spodnet
