#include <fmt/format.h>

#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/cell.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/number_text.hpp"

namespace spodnet {
namespace {

/// A name that starts with a byte-order mark would lose it at the head of the file, one that starts
/// with # would be a comment, and one like sep=; name the separator.
bool needs_quotes(std::string_view name, char separator) {
  return name.starts_with("\xEF\xBB\xBF") || name.starts_with('#') || name.starts_with("sep=") ||
         name.starts_with("SEP=") || name.find_first_of("\"\r\n") != std::string_view::npos ||
         name.find(separator) != std::string_view::npos || trimmed(name) != name ||
         read_cell(name, separator == ';').kind != Cell::Kind::text;
}

std::string header_line(const Table& table, char separator) {
  std::string line;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (j > 0 || !table.rows.empty()) line += separator;
    append_csv_name(line, table.columns[j], separator);
  }
  return line += '\n';
}

std::string row_line(const Table& table, Eigen::Index i, char separator) {
  std::string line;
  if (!table.rows.empty())
    append_csv_name(line, table.rows[static_cast<std::size_t>(i)], separator);
  for (Eigen::Index j = 0; j < table.values.cols(); ++j) {
    if (j > 0 || !table.rows.empty()) line += separator;
    append_number(line, table.values(i, j));
  }
  return line += '\n';
}

template <class Sink>
void emit(const Table& table, char separator, Sink&& sink) {
  if (!table.columns.empty()) sink(header_line(table, separator));
  for (Eigen::Index i = 0; i < table.values.rows(); ++i) sink(row_line(table, i, separator));
}

void check_names(const std::string& name, const Table& table) {
  const auto check = [&](const char* what, std::size_t names, Eigen::Index extent) {
    if (names != 0 && names != static_cast<std::size_t>(extent))
      throw io_error(name, fmt::format("{} {} names for {} {}s", names, what, extent, what),
                     "give one name each, or none");
  };
  check("column", table.columns.size(), table.values.cols());
  check("row", table.rows.size(), table.values.rows());
}

}  // namespace

void append_csv_name(std::string& line, std::string_view name, char separator) {
  if (!needs_quotes(name, separator)) {
    line += name;
    return;
  }
  line += '"';
  for (const char c : name) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

std::string format_csv(const Table& table, char separator) {
  check_names("format_csv", table);
  std::string text;
  emit(table, separator, [&](const std::string& line) { text += line; });
  return text;
}

void write_csv(const std::filesystem::path& path, const Table& table, char separator) {
  check_names(path.string(), table);
  AtomicFile file(path);
  emit(table, separator, [&](const std::string& line) { file.write(line); });
  file.commit();
}

}  // namespace spodnet
