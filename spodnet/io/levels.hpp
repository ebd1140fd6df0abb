#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spodnet {

/// Words in ascending order, which count as 1, 2, 3, ... where a table has them for cells.
struct LevelScale {
  std::string column;  ///< for which it holds; empty: for every one that has these words
  std::vector<std::string> words;
};

/// Of `low<medium<high`, or `COLUMN=low<medium<high` for one column. Fewer than two words, or one
/// twice: Error.
LevelScale level_scale_from(std::string_view text);

/// `low<medium<high`.
std::string to_string(const LevelScale& scale);

/// Number of `cell` on the scale, from 1; nothing when it is none of its words.
std::optional<double> level_on(const LevelScale& scale, std::string_view cell);

/// The scale for a column that holds `cell`, one of its own before one for all; null: none.
const LevelScale* scale_for(const std::vector<LevelScale>& scales, std::string_view column,
                            std::string_view cell);

/// Which columns of a table hold levels, found cell by cell. A column has levels or numbers, not
/// both.
class LevelReader {
 public:
  explicit LevelReader(std::vector<LevelScale> scales) : scales_(std::move(scales)) {}

  struct Read {
    std::optional<double> level = {};  ///< nothing: not a level
    std::string fault = {};            ///< why the cell must not stand there
  };
  Read read(std::size_t column, const std::string& name, std::string_view cell, bool missing,
            const std::function<bool()>& has_numbers);

  /// What is wrong with the scales once the header, or the whole table, is known; else nothing.
  std::string unknown_column(const std::vector<std::string>& columns) const;
  std::string unused() const;

  /// What was read as levels, in words.
  std::vector<std::string> remarks(const std::vector<std::string>& columns) const;

 private:
  std::vector<LevelScale> scales_;
  std::map<std::size_t, const LevelScale*> used_;  // by column
};

}  // namespace spodnet
