#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/workflow/answer.hpp"

namespace spodnet {

// What the pages without scripts share.

/// The file report/page/NAME filled with the texts and what all such pages begin with (head.html);
/// `title` and `kind` stand in the title of the window.
std::string plain_page(const std::string& name, const std::string& title, const std::string& kind,
                       std::vector<std::pair<std::string_view, std::string>> texts);

/// The notes as items of a list.
std::string note_items(const std::vector<AnswerNote>& notes);

/// A link of a picture; `from` = `to` is a loop, drawn where links have a direction.
struct StillLink {
  std::size_t from = 0, to = 0;
  double weight = 0;  ///< a correlation: its sign is the colour, its size the thickness
  std::string words;  ///< shown when pointed at
  bool faint = false;
};

/// An SVG for a page without scripts: variables at their places, links between them (with arrow
/// heads and bent where they are `directed`), names clear of both. `label` says it in words.
std::string still_graph(const std::vector<std::string>& names, const Points& points,
                        const std::vector<StillLink>& links, const std::string& label,
                        bool directed = false);

/// A name for a table's cell; a long one is whole when pointed at.
std::string short_name(const std::string& name);

}  // namespace spodnet
