#include "spodnet/io/csv_text.hpp"

#include "spodnet/io/csv_frame.hpp"
#include "spodnet/io/csv_layout.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/utf8.hpp"

namespace spodnet {

std::vector<TextRecord> read_csv_text(const std::filesystem::path& path,
                                      const CsvOptions& options) {
  const std::string name = path.string();
  const auto blocks = expand_gzip(open_blocks(path), name, options.limits.expanded_bytes);
  std::string sample = read_ahead(*blocks, kLayoutBytes);
  strip_byte_order_mark(sample, name);
  const bool complete = sample.size() < kLayoutBytes;
  CsvFrame frame(std::move(sample), complete, *blocks, name, options);
  std::vector<TextRecord> records;
  std::size_t bytes = 0;
  for (CsvRecord record; frame.next(record);) {
    TextRecord& text = records.emplace_back();
    text.line = record.line;
    for (std::size_t j = 0; j < record.size(); ++j) {
      text.cells.push_back(to_utf8(record[j]));
      bytes += sizeof(std::string) + record[j].size();
    }
    if (bytes > options.limits.table_bytes)
      throw io_error(name, "is too long for a list", "check that it is the file you mean");
  }
  return records;
}

}  // namespace spodnet
