#include "reproduce/table.hpp"

#include "spodnet/core/parse.hpp"
#include "spodnet/io/atomic_file.hpp"

namespace spodnet::figures {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string cell_text(const Json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_string()) return quoted(cell.get<std::string>());
  if (cell.is_number_float()) return exact_text(cell.get<double>());
  return cell.dump();
}

template <class Cells, class Text>
void append_line(const Cells& cells, Text text, std::string& out) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) out += ',';
    out += text(cells[k]);
  }
  out += '\n';
}

}  // namespace

std::string to_csv(const ResultTable& table) {
  std::string out;
  append_line(table.columns, quoted, out);
  for (const auto& row : table.rows) append_line(row, cell_text, out);
  return out;
}

void write_table(const std::filesystem::path& folder, const ResultTable& table,
                 const Json& record) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object;
    for (std::size_t k = 0; k < row.size(); ++k) object[table.columns[k]] = row[k];
    rows.push_back(std::move(object));
  }
  Json file = {{"table", table.name}};
  file.update(record);
  file["columns"] = table.columns;
  file["rows"] = std::move(rows);
  write_file_atomically(folder / (table.name + ".csv"), to_csv(table));
  write_file_atomically(folder / (table.name + ".json"), file.dump(1) + "\n");
}

}  // namespace spodnet::figures
