#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spodnet {

/// The files of spodnet/report/page, built into the library (cmake/SpodnetEmbed.cmake).
/// A name that is not there: the empty text.
std::string_view page_file(std::string_view name);

/// The page's scripts, in the order they run, as one.
std::string page_scripts();

/// `page` with every {{NAME}} replaced by the text of that name; what is inserted is not searched.
/// A name without text: Error.
std::string fill_page(std::string_view page,
                      const std::vector<std::pair<std::string_view, std::string>>& texts);

std::string_view library_version();

}  // namespace spodnet
