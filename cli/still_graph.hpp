#pragma once

#include <string>
#include <vector>

#include "spodnet/report/layout.hpp"

namespace spodnet::cli {

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

}  // namespace spodnet::cli
