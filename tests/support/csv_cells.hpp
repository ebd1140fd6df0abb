#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spodnet::test {

/// The records of RFC 4180 text, as any program reads them.
inline std::vector<std::vector<std::string>> csv_cells(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  std::string cell;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (k + 1 < text.size() && text[k + 1] == '"') {
        cell += text[++k];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      record.push_back(std::move(cell));
      cell.clear();
      if (c == '\n') records.push_back(std::move(record)), record.clear();
    } else {
      cell += c;
    }
  }
  return records;
}

}  // namespace spodnet::test
