#include "spodnet/report/export_text.hpp"

#include <array>
#include <utility>

#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// `text` in UTF-8 with each sequence (1 to 4 bytes) replaced by what `map` makes of it.
template <class Map>
std::string mapped(std::string_view text, Map&& map) {
  const std::string utf8 = to_utf8(text);
  std::string out;
  out.reserve(utf8.size());
  for (std::size_t i = 0, length = 0; i < utf8.size(); i += length) {
    length = utf8_length(std::string_view(utf8).substr(i));
    const std::string_view sequence(utf8.data() + i, length);
    out += map(sequence);
  }
  return out;
}

/// XML 1.0 knows no control characters but tab and line ends, and neither U+FFFE nor U+FFFF.
bool allowed_in_xml(std::string_view sequence) {
  if (sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF") return false;
  const auto c = static_cast<unsigned char>(sequence[0]);
  return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
}

std::string_view xml_character(std::string_view sequence) {
  switch (sequence[0]) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";  // everywhere, so that ]]> is harmless
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\t':
      return "&#9;";  // as references they survive the normalisation of white space
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return allowed_in_xml(sequence) ? sequence : kReplacement;
  }
}

/// Graphviz reads backslash escapes and HTML entities in labels.
std::string_view dot_character(std::string_view sequence) {
  switch (sequence[0]) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '&':
      return "&amp;";
    case '\n':
      return "\\n";
    case '\r':
      return " ";
    case '\t':
      return " ";
    default:
      return allowed_in_xml(sequence) ? sequence : kReplacement;
  }
}

}  // namespace

std::string clean_text(std::string_view text) {
  return mapped(text, [](std::string_view sequence) {
    return sequence[0] == '\0' ? kReplacement : sequence;
  });
}

std::string xml_text(std::string_view text) { return mapped(text, xml_character); }

std::string dot_label(std::string_view text) { return '"' + mapped(text, dot_character) + '"'; }

std::string json_for_script(std::string_view json) {
  return mapped(json, [](std::string_view sequence) -> std::string_view {
    if (sequence == "<") return "\\u003c";
    if (sequence == ">") return "\\u003e";
    if (sequence == "&") return "\\u0026";
    if (sequence == "\xE2\x80\xA8") return "\\u2028";
    if (sequence == "\xE2\x80\xA9") return "\\u2029";
    return sequence;
  });
}

}  // namespace spodnet
