#pragma once

#include <filesystem>

namespace spodnet::cli {

/// Shows a page in the reader's browser (xdg-open). False where that failed within two seconds; a
/// browser that stays open is not waited for.
bool open_page(const std::filesystem::path& page);

}  // namespace spodnet::cli
