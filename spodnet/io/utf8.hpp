#pragma once

#include <string>
#include <string_view>

namespace spodnet {

/// Bytes of the valid UTF-8 sequence that non-empty `text` starts with; 0 when there is none
/// (over-long forms, surrogates and code points beyond U+10FFFF are not valid).
std::size_t utf8_length(std::string_view text);

/// `text` itself when it is UTF-8; otherwise every byte outside a valid sequence is taken for
/// Latin-1 and re-encoded, so that names from old files can go anywhere.
std::string to_utf8(std::string_view text);

}  // namespace spodnet
