#include "spodnet/report/plain_page.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/page_files.hpp"

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

std::string plain_page(const std::string& name, const std::string& title, const std::string& kind,
                       std::vector<std::pair<std::string_view, std::string>> texts) {
  const std::string version(library_version());
  texts.emplace_back("title", xml_text(title));
  texts.emplace_back("version", version);
  texts.emplace_back("head",
                     fill_page(page_file("head.html"),
                               {{"title", xml_text(title)}, {"kind", kind}, {"version", version}}));
  return fill_page(page_file(name), texts);
}

std::string note_items(const std::vector<AnswerNote>& notes) {
  std::string html;
  for (const AnswerNote& note : notes)
    html += fmt::format("<li{}>{}</li>",
                        note.kind == AnswerNote::Kind::warning ? " class=\"warning\"" : "",
                        xml_text(note.text));
  return html;
}

std::string short_name(const std::string& name) {
  const std::string whole = clean_text(name), text = shortened(whole, 40);
  if (text == whole) return xml_text(whole);
  return "<bdi title=\"" + xml_text(whole) + "\">" + xml_text(text) + "</bdi>";
}

}  // namespace spodnet
