#include "spodnet/io/message.hpp"

#include <fmt/format.h>

#include <system_error>

#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

/// C0 and C1 controls and the two Unicode line separators: whatever may break a line.
bool is_control(std::string_view sequence) {
  const auto c = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 2 && c == 0xC2) return static_cast<unsigned char>(sequence[1]) < 0xA0;
  return c < 0x20 || c == 0x7F || sequence == "\xE2\x80\xA8" || sequence == "\xE2\x80\xA9";
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0, step = 0; i < text.size(); i += step) {
    const std::size_t length = utf8_length(text.substr(i));
    step = length == 0 ? 1 : length;
    if (i + step > limit) return out + "...";
    const std::string_view sequence = text.substr(i, step);
    if (length > 0 && !is_control(sequence)) {
      out += sequence;
      continue;
    }
    for (const char c : sequence) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
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
