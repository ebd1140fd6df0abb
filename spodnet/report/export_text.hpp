#pragma once

#include <string>
#include <string_view>

namespace spodnet {

/// Foreign text as it may stand in each format. Bytes that are not UTF-8 are taken for Latin-1.
std::string clean_text(std::string_view text);  ///< UTF-8, a zero byte as U+FFFD
std::string xml_text(std::string_view text);    ///< for XML and HTML, in elements and attributes;
                                                ///< what XML cannot hold becomes U+FFFD
std::string dot_label(std::string_view text);   ///< a quoted string that Graphviz shows as it is

/// JSON that may stand inside an HTML <script>: no character that HTML or old JavaScript reads.
std::string json_for_script(std::string_view json);

}  // namespace spodnet
