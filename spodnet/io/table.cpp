#include "spodnet/io/table.hpp"

#include <fmt/format.h>

#include <string_view>

#include "spodnet/io/csv.hpp"
#include "spodnet/io/matrix_market.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/select_columns.hpp"

namespace spodnet {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string ending_of(const std::filesystem::path& path) {
  return lower_case(path.extension().string());
}

Table table_of(Tensor&& array, const std::string& name) {
  if (array.shape.empty() || array.shape.size() > 2)
    throw io_error(name, fmt::format("has {} dimensions", array.shape.size()),
                   "give a two-dimensional array");
  if (array.values.empty()) throw io_error(name, "is empty", "give a table of numbers");
  const auto rows = static_cast<Eigen::Index>(array.shape[0]);
  const auto cols = array.shape.size() == 1 ? 1 : static_cast<Eigen::Index>(array.shape[1]);
  return {{}, {}, ConstMatrixMap(array.values.data(), rows, cols)};
}

CsvOptions csv_options(const TableOptions& options) {
  return {.header = options.header,
          .row_names = options.row_names,
          .separator = options.separator,
          .decimal = options.decimal,
          .missing = options.missing,
          .levels = options.levels,
          .leave_out_text = options.leave_out_text};
}

Table read_text(const std::filesystem::path& path, const TableOptions& options) {
  return read_csv(path, csv_options(options));
}

Table read_array(const std::filesystem::path& path, const TableOptions&) {
  return table_of(read_npy(path), path.string());
}

/// A format that tables are read from.
struct TableFormat {
  std::string_view ending;
  bool gzip;  ///< may be followed by .gz
  Table (*read)(const std::filesystem::path& path, const TableOptions& options);
};

constexpr TableFormat kFormats[] = {
    {".csv", true, read_text},
    {".tsv", true, read_text},
    {".txt", true, read_text},
    {".npy", false, read_array},
};

/// Null when there is none.
const TableFormat* format_of(const std::filesystem::path& path) {
  const bool gzip = ending_of(path) == ".gz";
  const std::string ending = gzip ? ending_of(path.stem()) : ending_of(path);
  for (const TableFormat& format : kFormats)
    if (format.ending == ending && (format.gzip || !gzip)) return &format;
  return nullptr;
}

}  // namespace

bool has_table_name(const std::filesystem::path& path) {
  return format_of(path) != nullptr || ending_of(path) == ".gz";
}

Table parse_table(std::string_view text, const std::string& name, const TableOptions& options) {
  Table table =
      parse_csv(std::as_bytes(std::span(text.data(), text.size())), name, csv_options(options));
  select_columns(table, options, name);
  return table;
}

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  if (const TableFormat* format = format_of(path)) {
    Table table = format->read(path, options);
    select_columns(table, options, path.string());
    return table;
  }
  throw io_error(path.string(), "has no extension of a table",
                 "give a .csv, .tsv, .txt (or one of them with .gz) or .npy file");
}

void write_table(const std::filesystem::path& path, const Table& table) {
  const std::string extension = ending_of(path);
  if (extension == ".csv") return write_csv(path, table, ',');
  if (extension == ".tsv") return write_csv(path, table, '\t');
  if (extension == ".npy") return write_npy(path, table.values);
  if (extension == ".mtx") return write_matrix_market(path, table.values);
  throw io_error(path.string(), "has no extension a table can be written to",
                 "give a .csv, .tsv, .npy or .mtx file");
}

}  // namespace spodnet
