#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace spodnet::test {

/// `text` as one gzip member.
inline std::string gzip(const std::string& text) {
  z_stream state{};
  if (deflateInit2(&state, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2 failed");
  std::string out(deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&state, Z_FINISH);
  out.resize(out.size() - state.avail_out);
  deflateEnd(&state);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

}  // namespace spodnet::test
