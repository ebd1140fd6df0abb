#include "spodnet/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include "spodnet/core/advice.hpp"
#include "spodnet/io/cell.hpp"
#include "spodnet/io/csv_frame.hpp"
#include "spodnet/io/csv_layout.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/point_doubt.hpp"
#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

constexpr const char* kRowNameRemedy =
    "correct that cell, or begin the file with a header whose first cell is empty if the column "
    "holds row names";

constexpr std::size_t kFewWords = 10;

/// 1,234: a comma before exactly three digits.
bool may_be_thousands(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != text.npos && text.size() - comma == 4 && text.find_first_of("eE") == text.npos;
}

/// Collects records into a table of numbers.
class TableBuilder {
 public:
  TableBuilder(std::string name, char separator, const CsvOptions& options)
      : name_(std::move(name)),
        separator_(separator),
        comma_(options.decimal == '\0' ? separator != ',' : options.decimal == ','),
        options_(options),
        levels_(options.levels) {}

  void start(const CsvRecord& first, const CsvRecord* second) {
    layout_ = detect_layout(first, second, separator_, options_);
    if (layout_.row_names_guessed) keep_first_levels(first, second);
    names_ = layout_.row_names ? 1 : 0;
    if (layout_.header_unsure)
      throw AdvisedError(io_error(name_,
                                  fmt::format("line {} ({}, {}, ...) may be a header or a row of "
                                              "data",
                                              first.line, shown(first[0], 20), shown(first[1], 20)),
                                  "say which it is")
                             .what(),
                         Advice::header);
    if (layout_.cells == names_)
      fail("has row names but no other column", "give at least one column of numbers");
    if (layout_.header) set_header(first);
    if (layout_.header && options_.header == Choice::automatic && first.size() > 1 &&
        read_cell(first[1], false).kind == Cell::Kind::number)
      table_.remarks.push_back(fmt::format("line 1 ({}, {}, ...) was taken for the header",
                                           shown(first[0], 20), shown(first[1], 20)));
    if (const std::string fault = levels_.unknown_column(table_.columns); !fault.empty())
      fail(fault, "write its name as in the header");
    guess_line_ = layout_.header && second != nullptr ? second->line : first.line;
    if (!layout_.header) add(first);
    if (second != nullptr) add(*second);
  }

  void add(const CsvRecord& record) {
    check_shape(record);
    if (layout_.row_names) add_row_name(record);
    grow();
    for (std::size_t j = names_; j < record.size(); ++j)
      table_.values(static_cast<Eigen::Index>(count_), static_cast<Eigen::Index>(j - names_)) =
          number(record, j);
    ++count_;
  }

  Table finish() && {
    if (count_ == 0) fail("has a header but no rows", "add rows of numbers below it");
    table_.values.conservativeResize(static_cast<Eigen::Index>(count_), Eigen::NoChange);
    ask_about_points();
    if (const std::string fault = levels_.unused(); !fault.empty())
      fail(fault, "write them as in the table");
    for (std::string& remark : levels_.remarks(table_.columns))
      table_.remarks.push_back(std::move(remark));
    if (!unusual_.empty()) table_.remarks.push_back(unusual_words());
    if (!text_.empty()) leave_out_text();
    if (!layout_.header)
      table_.remarks.push_back(
          "line 1 was taken for data, so the variables are called x1, x2, ...");
    return std::move(table_);
  }

 private:
  /// A first column of levels is a variable, not the rows' names.
  void keep_first_levels(const CsvRecord& first, const CsvRecord* second) {
    const CsvRecord& data = layout_.header && second ? *second : first;
    const std::string name = layout_.header ? to_utf8(first[0]) : "";
    const LevelScale* scale = scale_for(options_.levels, name, data[0]);
    if (!scale || !level_on(*scale, data[0])) return;
    options_.row_names = Choice::no;
    layout_ = detect_layout(first, second, separator_, options_);
    names_ = 0;
  }

  /// The cell's number on its column's scale.
  std::optional<double> level(const CsvRecord& record, std::size_t j) {
    if (options_.levels.empty()) return std::nullopt;
    const std::size_t column = j - names_;
    const std::string name = column < table_.columns.size() ? table_.columns[column] : "";
    const auto read = levels_.read(column, name, record[j], is_missing(record[j]),
                                   [&] { return has_numbers(column); });
    if (!read.fault.empty())
      fail(place(record, j) + " has " + shown(record[j]) + " " + read.fault,
           "write levels alone, or NA for a missing value");
    return read.level;
  }

  bool is_missing(std::string_view cell) const {
    return std::find(options_.missing.begin(), options_.missing.end(), cell) !=
               options_.missing.end() ||
           read_cell(cell, comma_).kind == Cell::Kind::missing;
  }

  /// Whether a line before the current one has a number there.
  bool has_numbers(std::size_t column) const {
    for (Eigen::Index i = 0; i < Eigen::Index(count_); ++i)
      if (!std::isnan(table_.values(i, Eigen::Index(column)))) return true;
    return false;
  }

  void set_header(const CsvRecord& first) {
    const bool shorter = layout_.row_names && first.size() + 1 == layout_.cells;
    if (!shorter) check_shape(first);
    for (std::size_t j = shorter ? 0 : names_; j < first.size(); ++j)
      table_.columns.push_back(to_utf8(first[j]));
  }

  void check_shape(const CsvRecord& record) const {
    if (record.size() != layout_.cells)
      fail(fmt::format("line {} has {} cells where {} are expected", record.line, record.size(),
                       layout_.cells),
           "give every line the same number of cells, and quote cells that contain the separator");
  }

  void add_row_name(const CsvRecord& record) {
    if (layout_.row_names_guessed && !options_.leave_out_text &&
        !reads_as_text(record, 0, separator_))
      fail(fmt::format("line {} starts with {} but line {} with text", record.line,
                       shown(record[0]), guess_line_),
           kRowNameRemedy);
    table_.rows.push_back(to_utf8(record[0]));
    bytes_ += sizeof(std::string) + table_.rows.back().size();
  }

  /// Room for one more row, half as much again at a time.
  void grow() {
    const std::size_t columns = layout_.cells - names_;
    bytes_ += columns * sizeof(double);
    if (bytes_ > options_.limits.table_bytes)
      fail(fmt::format("has more than {} bytes of values", options_.limits.table_bytes),
           "choose fewer rows or columns");
    if (count_ < static_cast<std::size_t>(table_.values.rows())) return;
    const std::size_t rows = std::max<std::size_t>(count_ + count_ / 2, count_ + 16);
    table_.values.conservativeResize(static_cast<Eigen::Index>(rows),
                                     static_cast<Eigen::Index>(columns));
  }

  double number(const CsvRecord& record, std::size_t j) {
    if (const auto known = level(record, j)) return *known;
    if (std::find(options_.missing.begin(), options_.missing.end(), record[j]) !=
        options_.missing.end())
      return std::numeric_limits<double>::quiet_NaN();
    const Cell cell = read_cell(record[j], comma_);
    if (cell.decimal == ',' && separator_ != ';' && options_.decimal == '\0' &&
        may_be_thousands(record[j]))
      fail(place(record, j) + " has " + shown(record[j]),
           "write thousands without a comma, or say that the comma is the decimal sign");
    if (cell.kind == Cell::Kind::text && options_.leave_out_text) return note_text(record, j);
    if (cell.kind == Cell::Kind::text || cell.kind == Cell::Kind::too_large)
      refuse(record, j, cell.kind);
    if (cell.kind == Cell::Kind::missing && is_unusual_missing(record[j]))
      ++unusual_[std::string(record[j])];
    if (cell.decimal != '\0') check_decimal(record, j, cell.decimal);
    doubts_.resize(layout_.cells - names_);
    doubts_[j - names_].see(record[j], cell, record.line);
    return cell.value;
  }

  void check_decimal(const CsvRecord& record, std::size_t j, char sign) {
    if (options_.decimal != '\0' && sign != options_.decimal)
      fail(fmt::format("{} has {} although the decimal sign was said to be '{}'", place(record, j),
                       shown(record[j]), options_.decimal),
           "say the decimal sign that the numbers have, or leave it out");
    if (decimal_ == '\0') decimal_ = sign;
    if (sign != decimal_)
      fail(fmt::format("{} has {} although the file began with a decimal '{}'", place(record, j),
                       shown(record[j]), decimal_),
           "use one decimal sign and no thousands separator");
  }

  /// Refuses a column in which 1.234 may be 1234.
  void ask_about_points() const {
    if (options_.decimal != '\0') return;
    for (std::size_t j = 0; j < doubts_.size(); ++j) {
      const PointDoubt& doubt = doubts_[j];
      if (!doubt.arises() || text_.contains(j)) continue;
      std::string digits = doubt.point;
      digits.erase(digits.size() - 4, 1);
      throw AdvisedError(
          io_error(name_,
                   fmt::format("line {}, column {}{} has {} beside {}: is it {} or a fraction",
                               doubt.line(), j + names_ + 1, header_of(j), shown(doubt.point),
                               shown(doubt.integer), digits),
                   "say the decimal sign if it is a fraction, remove the sign if it is not")
              .what(),
          Advice::decimal);
    }
  }

  std::string unusual_words() const {
    std::string text;
    std::size_t cells = 0;
    for (const auto& [word, count] : unusual_) {
      text += fmt::format("{}{} ({} cell{})", text.empty() ? "" : ", ", shown(word, 20), count,
                          count == 1 ? "" : "s");
      cells += count;
    }
    return text + (cells == 1 ? " was" : " were") + " taken for missing values";
  }

  double note_text(const CsvRecord& record, std::size_t j) {
    const std::size_t column = j - names_;
    const std::string word = to_utf8(record[j].substr(0, 100));
    TextColumn& text =
        text_.try_emplace(column, TextColumn{column, "", word, record.line}).first->second;
    ++text.cells;
    if (has_thousands(word)) ++thousands_[column];
    if (read_cell(word, true).decimal == ',') ++commas_[column];
    if (text.words.size() <= kFewWords &&
        std::find(text.words.begin(), text.words.end(), word) == text.words.end())
      text.words.push_back(word);
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Closes the gaps of the columns with text.
  void leave_out_text() {
    for (auto& [column, text] : text_) {
      refuse_written_numbers(column, text);
      for (Eigen::Index i = 0; i < table_.values.rows(); ++i)
        text.numbers += !std::isnan(table_.values(i, Eigen::Index(column)));
    }
    std::vector<Eigen::Index> kept;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < static_cast<std::size_t>(table_.values.cols()); ++j) {
      const auto found = text_.find(j);
      if (found == text_.end()) kept.push_back(static_cast<Eigen::Index>(j));
      if (table_.columns.empty()) continue;
      (found == text_.end() ? names.emplace_back() : found->second.name) = table_.columns[j];
    }
    if (kept.empty())
      fail(fmt::format("every column holds text (line {} has {})", text_.begin()->second.line,
                       shown(text_.begin()->second.text)),
           "give a table of numbers, one sample per row");
    for (auto& [column, text] : text_) {
      if (text.words.size() > kFewWords) text.words.clear();
      table_.left_out.push_back(std::move(text));
    }
    table_.columns = std::move(names);
    table_.values = Matrix(table_.values(Eigen::all, kept));
  }

  /// Text that is nothing but numbers written in a way that is not accepted.
  void refuse_written_numbers(std::size_t column, const TextColumn& text) const {
    const auto all = [&](const std::map<std::size_t, std::size_t>& counts) {
      const auto found = counts.find(column);
      return found != counts.end() && found->second == text.cells;
    };
    const std::string found =
        fmt::format("line {}, column {}{}", text.line, column + names_ + 1, header_of(column));
    if (all(thousands_)) refuse_thousands(found, text.text);
    if (all(commas_)) refuse_comma(found, text.text);
  }

  [[noreturn]] void refuse_thousands(const std::string& where, std::string_view text) const {
    fail(where + ": " + shown(text) + " has a thousands separator", "remove it");
  }

  [[noreturn]] void refuse_comma(const std::string& where, std::string_view text) const {
    if (options_.decimal == '.')
      fail(where + " has " + shown(text) + " although the decimal sign was said to be '.'",
           "say the decimal sign that the numbers have, or leave it out");
    fail(where + " has " + shown(text),
         "write a decimal point, or separate columns by ; with decimal commas");
  }

  std::string header_of(std::size_t column) const {
    return column < table_.columns.size() ? " (" + shown(table_.columns[column], 40) + ")" : "";
  }

  std::string place(const CsvRecord& record, std::size_t j) const {
    return fmt::format("line {}, column {}{}", record.line, j + 1, header_of(j - names_));
  }

  [[noreturn]] void refuse(const CsvRecord& record, std::size_t j, Cell::Kind kind) const {
    const std::string found = place(record, j) + " has " + shown(record[j]);
    if (kind == Cell::Kind::too_large)
      fail(found + ", too large for a double", "rescale the column");
    if (has_thousands(record[j])) refuse_thousands(place(record, j), record[j]);
    if (read_cell(record[j], true).kind == Cell::Kind::number)
      refuse_comma(place(record, j), record[j]);
    if (layout_.cells == 1 && record[j].find(' ') != std::string_view::npos)
      fail(found, "separate columns by a comma, a semicolon or a tab");
    fail(found, "write a number, NA for a missing value, or remove the column");
  }

  [[noreturn]] void fail(const std::string& cause, const std::string& remedy) const {
    throw io_error(name_, cause, remedy);
  }

  std::string name_;
  char separator_;
  bool comma_;  ///< a decimal comma is read
  CsvOptions options_;
  CsvLayout layout_;
  Table table_;
  std::map<std::size_t, TextColumn> text_;                 // by column
  std::map<std::size_t, std::size_t> thousands_, commas_;  // of text_: cells like 1,234.5 and 1,5
  std::map<std::string, std::size_t> unusual_;             // words taken for missing values: cells
  std::vector<PointDoubt> doubts_;                         // by column
  LevelReader levels_;
  std::size_t names_ = 0, count_ = 0, bytes_ = 0, guess_line_ = 0;
  char decimal_ = '\0';
};

void check_separator(char separator) {
  if (std::string_view("\0,;|\t ", 6).find(separator) == std::string_view::npos)
    throw io_error("read_csv", "separator " + shown({&separator, 1}) + " is not supported",
                   "use a comma, a semicolon, a bar, a tab or blanks");
}

Table read_blocks(std::unique_ptr<BlockStream> raw, const std::string& name,
                  const CsvOptions& options) try {
  check_separator(options.separator);
  const auto blocks = expand_gzip(std::move(raw), name, options.limits.expanded_bytes);
  std::string sample = read_ahead(*blocks, kLayoutBytes);
  const bool complete = sample.size() < kLayoutBytes;
  strip_byte_order_mark(sample, name);
  CsvFrame frame(std::move(sample), complete, *blocks, name, options);
  CsvRecord record, second;
  if (!frame.next(record)) throw io_error(name, "has no rows", "give a table of numbers");
  TableBuilder builder(name, frame.separator(), options);
  builder.start(record, frame.next(second) ? &second : nullptr);
  while (frame.next(record)) builder.add(record);
  Table table = std::move(builder).finish();
  const std::vector<std::string> around = frame.remarks();
  table.remarks.insert(table.remarks.begin(), around.begin(), around.end());
  return table;
} catch (const std::bad_alloc&) {
  throw io_error(name, "does not fit in memory", "choose fewer rows or columns");
}

}  // namespace

Table read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  return read_blocks(open_blocks(path), path.string(), options);
}

Table parse_csv(std::span<const std::byte> bytes, const std::string& name,
                const CsvOptions& options) {
  return read_blocks(memory_blocks(bytes), name, options);
}

}  // namespace spodnet
