#include "spodnet/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spodnet/io/csv.hpp"
#include "spodnet/io/matrix_market.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/npy.hpp"

namespace spodnet {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The extension in lower case; of "x.csv.gz" the part before ".gz".
std::string extension_of(const std::filesystem::path& path, bool gzip_allowed) {
  const std::string extension = lower_case(path.extension().string());
  if (extension != ".gz" || !gzip_allowed) return extension;
  const std::string inner = lower_case(path.stem().extension().string());
  return inner == ".npy" ? ".npy.gz" : inner;
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

}  // namespace

Table read_table(const std::filesystem::path& path, const TableOptions& options) {
  const std::string extension = extension_of(path, true);
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt")
    return read_csv(path, {.leave_out_text = options.leave_out_text});
  if (extension == ".npy") return table_of(read_npy(path), path.string());
  throw io_error(path.string(), "has no extension of a table",
                 "give a .csv, .tsv, .txt (or one of them with .gz) or .npy file");
}

void write_table(const std::filesystem::path& path, const Table& table) {
  const std::string extension = extension_of(path, false);
  if (extension == ".csv") return write_csv(path, table, ',');
  if (extension == ".tsv") return write_csv(path, table, '\t');
  if (extension == ".npy") return write_npy(path, table.values);
  if (extension == ".mtx") return write_matrix_market(path, table.values);
  throw io_error(path.string(), "has no extension a table can be written to",
                 "give a .csv, .tsv, .npy or .mtx file");
}

}  // namespace spodnet
