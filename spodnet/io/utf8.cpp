#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte_at(text, 1);
  const bool too_low = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool too_high = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  return too_low || too_high ? 0 : length;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length > 0) {
      out += text.substr(i, length);
      i += length;
    } else {
      const unsigned c = byte_at(text, i++);
      out += static_cast<char>(0xC0 | (c >> 6));
      out += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return out;
}

}  // namespace spodnet
