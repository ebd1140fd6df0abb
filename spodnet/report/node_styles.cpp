#include "spodnet/report/node_styles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "spodnet/core/closest_word.hpp"
#include "spodnet/io/csv_text.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/picture.hpp"

namespace spodnet {
namespace {

/// Where each part of a style stands on a line, and the first line that has one.
struct StyleColumns {
  std::array<std::optional<std::size_t>, 4> at = {0, 1, 2, 3};  // variable, group, label, colour
  std::size_t first = 0;
};

std::string in_small_letters(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

StyleColumns style_columns(const TextRecord& header) {
  constexpr std::array<std::array<const char*, 3>, 4> kNames = {{{"variable", "name", "node"},
                                                                 {"group", "community", "scale"},
                                                                 {"label", "label", "label"},
                                                                 {"colour", "color", "color"}}};
  StyleColumns found;
  for (std::size_t part = 0; part < kNames.size(); ++part) {
    found.at[part].reset();
    for (std::size_t j = 0; j < header.cells.size(); ++j)
      if (std::ranges::find(kNames[part], in_small_letters(header.cells[j])) != kNames[part].end())
        found.at[part] = j;
  }
  found.first = 1;
  const bool is_header = found.at[0] && (found.at[1] || found.at[2] || found.at[3]);
  return is_header ? found : StyleColumns{};
}

std::string cell_of(const TextRecord& record, std::optional<std::size_t> at) {
  return at && *at < record.cells.size() ? record.cells[*at] : std::string();
}

[[noreturn]] void refuse_variable(const std::string& file, const TextRecord& record,
                                  const std::string& name, std::span<const std::string> names) {
  const std::string closest = closest_word(name, {names.begin(), names.end()});
  throw io_error(file,
                 fmt::format("line {}: {} is not a variable of the data", record.line, shown(name)),
                 closest.empty() ? "write its name as in the table, then its group"
                                 : "did you mean " + shown(closest) + "?");
}

}  // namespace

std::vector<NodeStyle> read_node_styles(const std::filesystem::path& path,
                                        std::span<const std::string> names,
                                        std::span<const std::string> others) {
  const std::string file = shown_path(path);
  const std::vector<TextRecord> records = read_csv_text(path, {.every_line = true});
  if (records.empty()) throw io_error(file, "is empty", "write lines variable,group");
  const StyleColumns columns = style_columns(records[0]);
  std::vector<NodeStyle> styles(names.size());
  std::vector<std::size_t> line_of(names.size(), 0);
  for (std::size_t r = columns.first; r < records.size(); ++r) {
    const TextRecord& record = records[r];
    const std::string name = cell_of(record, columns.at[0]);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      if (std::ranges::find(others, name) != others.end()) continue;
      refuse_variable(file, record, name, names);
    }
    const auto k = std::size_t(found - names.begin());
    if (line_of[k] > 0)
      throw io_error(file,
                     fmt::format("line {}: {} stands in line {} already", record.line, shown(name),
                                 line_of[k]),
                     "list each variable once");
    line_of[k] = record.line;
    styles[k] = {cell_of(record, columns.at[2]), cell_of(record, columns.at[1]),
                 cell_of(record, columns.at[3])};
    if (!styles[k].colour.empty() && !colour_from(styles[k].colour))
      throw io_error(
          file, fmt::format("line {}: {} is not a colour", record.line, shown(styles[k].colour)),
          "write it as #1f6fb2");
  }
  return styles;
}

}  // namespace spodnet
