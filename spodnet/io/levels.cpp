#include "spodnet/io/levels.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/io/cell.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {

LevelScale level_scale_from(std::string_view text) {
  LevelScale scale;
  std::string_view rest = text;
  if (const std::size_t equal = text.find('='); equal < text.find('<')) {
    scale.column = trimmed(text.substr(0, equal));
    rest = text.substr(equal + 1);
  }
  for (std::size_t first = 0; first <= rest.size();) {
    const std::size_t end = std::min(rest.find('<', first), rest.size());
    scale.words.emplace_back(trimmed(rest.substr(first, end - first)));
    first = end + 1;
  }
  const std::string where = "levels " + shown(text);
  if (scale.words.size() < 2)
    throw Error(where +
                ": at least two are needed: write them from low to high, as low<medium<high");
  for (auto word = scale.words.begin(); word != scale.words.end(); ++word)
    if (word->empty() || std::find(scale.words.begin(), word, *word) != word)
      throw Error(where + ": " +
                  (word->empty() ? "a word is missing" : shown(*word) + " stands twice") +
                  ": write each level once, as low<medium<high");
  return scale;
}

std::string to_string(const LevelScale& scale) {
  std::string text;
  for (const std::string& word : scale.words) text += (text.empty() ? "" : "<") + word;
  return text;
}

std::optional<double> level_on(const LevelScale& scale, std::string_view cell) {
  const auto found = std::find(scale.words.begin(), scale.words.end(), trimmed(cell));
  if (found == scale.words.end()) return std::nullopt;
  return double(found - scale.words.begin()) + 1;
}

const LevelScale* scale_for(const std::vector<LevelScale>& scales, std::string_view column,
                            std::string_view cell) {
  const LevelScale* general = nullptr;
  for (const LevelScale& scale : scales) {
    if (!scale.column.empty() && scale.column == column) return &scale;
    if (scale.column.empty() && !general && level_on(scale, cell)) general = &scale;
  }
  return general;
}

LevelReader::Read LevelReader::read(std::size_t column, const std::string& name,
                                    std::string_view cell, bool missing,
                                    const std::function<bool()>& has_numbers) {
  const auto used = used_.find(column);
  const LevelScale* scale = used != used_.end() ? used->second : scale_for(scales_, name, cell);
  if (!scale) return {};
  const auto level = level_on(*scale, cell);
  if (!level && missing) return {};
  if (!level) return {{}, "in a column of the levels " + to_string(*scale)};
  if (used == used_.end() && has_numbers()) return {{}, "in a column of numbers"};
  used_.try_emplace(column, scale);
  return {level, {}};
}

std::string LevelReader::unknown_column(const std::vector<std::string>& columns) const {
  for (const LevelScale& scale : scales_)
    if (!scale.column.empty() &&
        std::find(columns.begin(), columns.end(), scale.column) == columns.end())
      return "has no column " + shown(scale.column) + ", for which levels were given";
  return {};
}

std::string LevelReader::unused() const {
  for (const LevelScale& scale : scales_)
    if (std::none_of(used_.begin(), used_.end(),
                     [&](const auto& column) { return column.second == &scale; }))
      return "has no cell with one of the levels " + to_string(scale);
  return {};
}

std::vector<std::string> LevelReader::remarks(const std::vector<std::string>& columns) const {
  std::vector<std::string> out;
  for (const LevelScale& scale : scales_) {
    std::vector<std::string> names;
    for (const auto& [column, of] : used_)
      if (of == &scale)
        names.push_back(column < columns.size() ? shown(columns[column], 30)
                                                : "column " + std::to_string(column + 1));
    if (names.empty()) continue;
    const std::size_t more = names.size() - 1;
    out.push_back(names[0] +
                  (more == 0 ? " was"
                             : " and " + std::to_string(more) + " more column" +
                                   (more == 1 ? "" : "s") + " were") +
                  " read as ordered categories, " + to_string(scale) + " as 1 to " +
                  std::to_string(scale.words.size()));
  }
  return out;
}

}  // namespace spodnet
