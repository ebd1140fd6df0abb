#include "spodnet/tables/constraints_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv_text.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The names for a message, the first few of them.
std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k)
    text += (k ? ", " : "") + shown(names[k], 30);
  return text + (names.size() > kShown ? ", ..." : "");
}

/// Variables by name or number.
class Variables {
 public:
  Variables(std::span<const std::string> names, std::size_t p) : names_(names), p_(p) {
    for (std::size_t k = 0; k < names.size(); ++k) ++count_[names[k]], index_[names[k]] = k;
  }

  std::size_t find(const std::string& file, std::size_t line, const std::string& text) const {
    const std::string where = fmt::format("line {}: {}", line, shown(text));
    if (const auto found = index_.find(text); found != index_.end()) {
      if (count_.at(text) == 1) return found->second;
      throw io_error(file, fmt::format("{} names {} variables", where, count_.at(text)),
                     "write the variable's number, counted from 1");
    }
    const auto number = to_count(text);
    if (number && *number >= 1 && *number <= p_) return std::size_t(*number - 1);
    if (names_.empty())
      throw io_error(file, fmt::format("{} is not the number of a variable", where),
                     fmt::format("the data have no names: write numbers from 1 to {}", p_));
    throw io_error(file, where + " is not a variable of the data",
                   fmt::format("they are {} (or their numbers, 1 to {}), a header is source,target",
                               some_of(names_), p_));
  }

 private:
  std::span<const std::string> names_;
  std::size_t p_;
  std::map<std::string, std::size_t> index_, count_;
};

/// Where the columns asked for are, and the first line of data.
struct PairColumns {
  std::vector<std::size_t> at;
  std::size_t first = 0;
  bool header = false;
};

PairColumns find_columns(const std::string& file, const TextRecord& first, std::size_t count) {
  constexpr std::array<std::array<const char*, 2>, 3> kPairs = {
      {{"source", "target"}, {"from", "to"}, {"node1", "node2"}}};
  const auto find = [&](const char* name) -> std::optional<std::size_t> {
    for (std::size_t j = 0; j < first.cells.size(); ++j)
      if (lower(first.cells[j]) == name) return j;
    return std::nullopt;
  };
  for (const auto& [source, target] : kPairs) {
    const auto a = find(source), b = find(target), sign = find("sign");
    if (a && b && count == 2 && sign)
      throw AdvisedError(io_error(file, "has a column 'sign', and would forbid its pairs",
                                  "give it as a list of signs, or take the column out")
                             .what(),
                         Advice::signs);
    if (a && b && (count == 2 || sign))
      return {count == 2 ? std::vector{*a, *b} : std::vector{*a, *b, *sign}, 1, true};
  }
  PairColumns columns;
  for (std::size_t j = 0; j < count; ++j) columns.at.push_back(j);
  return columns;
}

struct PairLine {
  std::size_t line = 0, i = 0, j = 0;
  std::string third;
};

/// The pairs of a file with two columns, or three.
std::vector<PairLine> read_pairs(const std::filesystem::path& path,
                                 std::span<const std::string> names, std::size_t p,
                                 std::size_t count) {
  const std::string file = shown_path(path);
  const std::string wanted = count == 2 ? "source,target" : "source,target,sign";
  const auto records = read_csv_text(path, {.every_line = true});
  const Variables variables(names, p);
  std::vector<PairLine> pairs;
  const PairColumns columns =
      records.empty() ? PairColumns{} : find_columns(file, records[0], count);
  for (std::size_t r = columns.first; r < records.size(); ++r) {
    const auto& [line, cells] = records[r];
    const std::size_t last = *std::max_element(columns.at.begin(), columns.at.end());
    if (cells.size() <= last || (!columns.header && cells.size() != count))
      throw io_error(file, fmt::format("line {} has {} cells", line, cells.size()),
                     "write " + wanted + " on every line");
    PairLine pair{line, variables.find(file, line, cells[columns.at[0]]),
                  variables.find(file, line, cells[columns.at[1]]),
                  count == 3 ? cells[columns.at[2]] : std::string()};
    if (pair.i == pair.j)
      throw io_error(file,
                     fmt::format("line {} pairs {} with itself", line, shown(cells[columns.at[0]])),
                     "name two variables");
    pairs.push_back(std::move(pair));
  }
  if (pairs.empty()) throw io_error(file, "lists no pair", "write lines " + wanted);
  return pairs;
}

PairRule sign_rule(const std::string& file, const PairLine& pair) {
  const std::string text = lower(pair.third);
  if (text == "positive" || text == "+" || text == "+1" || text == "1")
    return PairRule::not_negative;
  if (text == "negative" || text == "-" || text == "-1") return PairRule::not_positive;
  throw io_error(file, fmt::format("line {}: {} is not a sign", pair.line, shown(pair.third)),
                 "write positive or negative");
}

}  // namespace

void forbid_pairs(const std::filesystem::path& path, std::span<const std::string> names,
                  Constraints& constraints) {
  for (const PairLine& pair : read_pairs(path, names, constraints.p(), 2))
    constraints.narrow(pair.i, pair.j, PairRule::zero);
}

void fix_signs(const std::filesystem::path& path, std::span<const std::string> names,
               Constraints& constraints) {
  const std::string file = shown_path(path);
  std::map<std::pair<std::size_t, std::size_t>, std::pair<PairRule, std::size_t>> seen;
  for (const PairLine& pair : read_pairs(path, names, constraints.p(), 3)) {
    const PairRule rule = sign_rule(file, pair);
    const auto key = std::minmax(pair.i, pair.j);
    const auto [before, is_new] = seen.try_emplace({key.first, key.second}, rule, pair.line);
    if (!is_new && before->second.first != rule)
      throw io_error(file,
                     fmt::format("line {} contradicts line {}", pair.line, before->second.second),
                     "give a pair one sign, or forbid it");
    constraints.narrow(pair.i, pair.j, rule);
  }
}

}  // namespace spodnet
