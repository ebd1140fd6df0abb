#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr auto kSampleCount = "n";

Tensor to_tensor(const MatrixBatch& batch) {
  return {{batch.count, batch.rows, batch.cols}, batch.values};
}

/// [count, rows, cols], or [rows, cols] as a set of one.
MatrixBatch to_batch(Tensor&& tensor, const std::string& where) {
  std::vector<std::size_t> shape = tensor.shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3 || tensor.values.empty())
    throw Error(fmt::format("{} has shape [{}], expected [count, rows, cols]", where,
                            fmt::join(tensor.shape, ",")));
  MatrixBatch batch;
  batch.count = shape[0], batch.rows = shape[1], batch.cols = shape[2];
  batch.values = std::move(tensor.values);
  return batch;
}

MatrixBatch take_symmetric(TensorFile& file, const std::string& name, const std::string& path) {
  MatrixBatch batch =
      to_batch(std::move(file.tensors.at(name)), fmt::format("{}: tensor {}", path, name));
  for (std::size_t k = 0; k < batch.count; ++k) {
    check_symmetric(batch[k], fmt::format("{}: {}[{}]", path, name, k));
    symmetrise(batch[k]);
  }
  return batch;
}

MatrixBatch take_samples(TensorFile& file, const std::string& path) {
  MatrixBatch batch = to_batch(std::move(file.tensors.at("X")), fmt::format("{}: tensor X", path));
  for (std::size_t k = 0; k < batch.values.size(); ++k)
    if (!std::isfinite(batch.values[k]))
      throw Error(
          fmt::format("{}: X[{}] holds a value that is not finite", path, k / batch.stride()));
  return batch;
}

double sample_count(const TensorFile& file, const MatrixBatch& X, const std::string& path) {
  const auto entry = file.metadata.find(kSampleCount);
  if (entry == file.metadata.end()) return double(X.rows);
  const std::string& text = entry->second;
  const std::optional<double> n = to_double(text);
  if (!n || !std::isfinite(*n) || *n < 0)
    throw Error(
        fmt::format("{}: metadata n is {}, expected a number of samples", path, shown(text)));
  if (!X.empty() && *n != double(X.rows))
    throw Error(fmt::format("{}: metadata n is {}, but X has {} rows", path, text, X.rows));
  return *n;
}

void check_shapes(const DataSet& data, const std::string& path) {
  const auto demand = [&](const MatrixBatch& batch, const char* name, const char* expected) {
    if (!batch.empty() && (batch.count != data.count() || batch.cols != data.p()))
      throw Error(fmt::format("{}: {} has shape [{},{},{}], but S [{},{},{}]: expected {}", path,
                              name, batch.count, batch.rows, batch.cols, data.count(), data.p(),
                              data.p(), expected));
  };
  demand(data.Theta_true, "Theta_true", "[count,p,p]");
  demand(data.X, "X", "[count,n,p]");
}

}  // namespace

void save_dataset(const std::filesystem::path& path, const DataSet& data) {
  if (data.count() == 0)
    throw Error(fmt::format("{}: an empty data set cannot be saved", shown_path(path)));
  TensorFile file{.metadata = data.info, .tensors = {{"S", to_tensor(data.S)}}};
  if (!data.Theta_true.empty()) file.tensors["Theta_true"] = to_tensor(data.Theta_true);
  if (!data.X.empty()) file.tensors["X"] = to_tensor(data.X);
  if (data.n > 0) file.metadata[kSampleCount] = exact_text(data.n);
  write_safetensors(path, file);
}

DataSet load_dataset(const std::filesystem::path& path) {
  TensorFile file = read_safetensors(path);
  const std::string name = shown_path(path);
  if (!file.tensors.contains("S"))
    throw Error(fmt::format("{}: no tensor S; a data set holds S and Theta_true", name));
  DataSet data;
  data.S = take_symmetric(file, "S", name);
  if (file.tensors.contains("Theta_true"))
    data.Theta_true = take_symmetric(file, "Theta_true", name);
  if (file.tensors.contains("X")) data.X = take_samples(file, name);
  check_shapes(data, name);
  data.n = sample_count(file, data.X, name);
  data.info = std::move(file.metadata);
  data.info.erase(kSampleCount);
  return data;
}

}  // namespace spodnet
