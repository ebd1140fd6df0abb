#include <fmt/format.h>

#include "spodnet/core/error.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/report/page_files.hpp"
#include "spodnet/report/report_data.hpp"

namespace spodnet {

std::string fill_page(std::string_view page,
                      const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = page.find("{{", at), close = page.find("}}", open);
    if (open == page.npos || close == page.npos) return out += page.substr(at);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    out += page.substr(at, open - at);
    bool found = false;
    for (const auto& [key, text] : texts) {
      if (key != name) continue;
      out += text;
      found = true;
    }
    if (!found) throw Error(fmt::format("fill_page: no text for {{{{{}}}}}", name));
    at = close + 2;
  }
}

std::string report_html(const Answer& answer, const Points& points) {
  return fill_page(page_file("page.html"), {{"title", xml_text(answer.title)},
                                            {"version", std::string(library_version())},
                                            {"style", std::string(page_file("style.css"))},
                                            {"data", json_for_script(report_data(answer, points))},
                                            {"scripts", page_scripts()}});
}

}  // namespace spodnet
