#include "spodnet/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <utility>

#include "spodnet/io/cell.hpp"
#include "spodnet/io/csv_layout.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kSample = std::size_t{1} << 18;
constexpr const char* kRowNameRemedy =
    "correct that cell, or begin the file with a header whose first cell is empty if the column "
    "holds row names";

/// Collects records into a table of numbers.
class TableBuilder {
 public:
  TableBuilder(std::string name, char separator, const CsvOptions& options)
      : name_(std::move(name)), separator_(separator), options_(options) {}

  void start(const CsvRecord& first, const CsvRecord* second) {
    layout_ = detect_layout(first, second, separator_, options_);
    names_ = layout_.row_names ? 1 : 0;
    if (layout_.cells == names_)
      fail("has row names but no other column", "give at least one column of numbers");
    if (layout_.header) set_header(first);
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
    if (!text_.empty()) leave_out_text();
    return std::move(table_);
  }

 private:
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
    const Cell cell = read_cell(record[j], separator_ == ';');
    if (cell.kind == Cell::Kind::text && options_.leave_out_text) return note_text(record, j);
    if (cell.kind == Cell::Kind::text || cell.kind == Cell::Kind::too_large)
      refuse(record, j, cell.kind);
    if (cell.decimal != '\0' && decimal_ == '\0') decimal_ = cell.decimal;
    if (cell.decimal != '\0' && cell.decimal != decimal_)
      fail(fmt::format("{} has {} although the file began with a decimal '{}'", place(record, j),
                       shown(record[j]), decimal_),
           "use one decimal sign and no thousands separator");
    return cell.value;
  }

  double note_text(const CsvRecord& record, std::size_t j) {
    const std::size_t column = j - names_;
    text_.try_emplace(column,
                      TextColumn{column, "", to_utf8(record[j].substr(0, 100)), record.line});
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Closes the gaps of the columns with text.
  void leave_out_text() {
    std::vector<Eigen::Index> kept;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < static_cast<std::size_t>(table_.values.cols()); ++j) {
      const auto found = text_.find(j);
      if (found == text_.end()) kept.push_back(static_cast<Eigen::Index>(j));
      if (table_.columns.empty()) continue;
      (found == text_.end() ? names.emplace_back() : found->second.name) = table_.columns[j];
    }
    if (kept.empty())
      fail(fmt::format("no column holds numbers alone (line {} has {})", text_.begin()->second.line,
                       shown(text_.begin()->second.text)),
           "give a table of numbers, one sample per row");
    for (auto& [column, text] : text_) table_.left_out.push_back(std::move(text));
    table_.columns = std::move(names);
    table_.values = Matrix(table_.values(Eigen::all, kept));
  }

  std::string place(const CsvRecord& record, std::size_t j) const {
    const std::size_t column = j - names_;
    const std::string header =
        column < table_.columns.size() ? " (" + shown(table_.columns[column], 40) + ")" : "";
    return fmt::format("line {}, column {}{}", record.line, j + 1, header);
  }

  [[noreturn]] void refuse(const CsvRecord& record, std::size_t j, Cell::Kind kind) const {
    const std::string found = place(record, j) + " has " + shown(record[j]);
    if (kind == Cell::Kind::too_large)
      fail(found + ", too large for a double", "rescale the column");
    const bool comma = read_cell(record[j], true).kind == Cell::Kind::number;
    if (comma) fail(found, "write a decimal point, or separate columns by ; with decimal commas");
    if (layout_.cells == 1 && record[j].find(' ') != std::string_view::npos)
      fail(found, "separate columns by a comma, a semicolon or a tab");
    fail(found, "write a number, NA for a missing value, or remove the column");
  }

  [[noreturn]] void fail(const std::string& cause, const std::string& remedy) const {
    throw io_error(name_, cause, remedy);
  }

  std::string name_;
  char separator_;
  CsvOptions options_;
  CsvLayout layout_;
  Table table_;
  std::map<std::size_t, TextColumn> text_;  // by column
  std::size_t names_ = 0, count_ = 0, bytes_ = 0, guess_line_ = 0;
  char decimal_ = '\0';
};

char checked_separator(const CsvOptions& options, const std::string& sample, bool complete) {
  const char separator = options.separator;
  if (separator == '\0') return detect_separator(sample, complete);
  if (separator != ',' && separator != ';' && separator != '\t')
    throw io_error("read_csv", "separator " + shown({&separator, 1}) + " is not supported",
                   "use a comma, a semicolon or a tab");
  return separator;
}

Table read_blocks(std::unique_ptr<BlockStream> raw, const std::string& name,
                  const CsvOptions& options) try {
  const auto blocks = expand_gzip(std::move(raw), name, options.limits.expanded_bytes);
  std::string sample = read_ahead(*blocks, kSample);
  const bool complete = sample.size() < kSample;
  strip_byte_order_mark(sample, name);
  const char separator = checked_separator(options, sample, complete);
  CsvScanner scanner(std::move(sample), *blocks, name, separator, options.limits);
  CsvRecord record, second;
  if (!scanner.next(record)) throw io_error(name, "has no rows", "give a table of numbers");
  TableBuilder builder(name, separator, options);
  builder.start(record, scanner.next(second) ? &second : nullptr);
  while (scanner.next(record)) builder.add(record);
  return std::move(builder).finish();
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
