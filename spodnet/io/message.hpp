#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "spodnet/core/error.hpp"

namespace spodnet {

/// Foreign text made safe for a one-line message: in single quotes, control characters and
/// bytes that are not UTF-8 escaped as \xNN, cut after `limit` bytes.
std::string shown(std::string_view text, std::size_t limit = 60);

/// A path on one line, without quotes and never cut.
std::string shown_path(const std::filesystem::path& path);

/// "NAME: CAUSE; REMEDY". `name` is a file or a function; control characters are escaped.
Error io_error(const std::string& name, const std::string& cause, const std::string& remedy);

/// The same with the text of `errno_value` as the cause's end: "NAME: CAUSE: No such file; REMEDY".
Error system_error(const std::string& name, const std::string& cause, int errno_value,
                   const std::string& remedy);

}  // namespace spodnet
