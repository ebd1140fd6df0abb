#include "spodnet/io/message.hpp"

#include <fmt/format.h>

#include <system_error>

namespace spodnet {
namespace {

/// Length of the UTF-8 sequence `text` starts with, 0 when there is none. Over-long forms and
/// surrogates pass: they are harmless in a message.
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                                           : 4;
  if (lead > 0xF4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  return length;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    const std::size_t step = length == 0 ? 1 : length;
    if (i + step > limit) return out + "...";
    // C1 controls (0x80..0x9F) and the line and paragraph separators also break a line.
    const bool control =
        c < 0x20 || c == 0x7F || text.substr(i, 3) == "\xE2\x80\xA8" ||
        text.substr(i, 3) == "\xE2\x80\xA9" ||
        (c == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (length == 0 || control)
      for (std::size_t k = 0; k < step; ++k)
        out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[i + k]));
    else
      out += text.substr(i, step);
    i += step;
  }
  return out;
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
  return fmt::format("'{}'", printable(text, limit));
}

std::string shown_path(const std::filesystem::path& path) {
  return printable(path.string(), std::string::npos);
}

Error io_error(const std::string& name, const std::string& cause, const std::string& remedy) {
  return Error(fmt::format("{}: {}; {}", printable(name, std::string::npos), cause, remedy));
}

Error system_error(const std::string& name, const std::string& cause, int errno_value,
                   const std::string& remedy) {
  return io_error(name, cause + ": " + std::generic_category().message(errno_value), remedy);
}

}  // namespace spodnet
