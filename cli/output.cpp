#include "cli/output.hpp"

#include <algorithm>
#include <cctype>

#include "cli/report.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/io/table.hpp"

namespace spodnet::cli {
namespace {

Tensor to_tensor(const MatrixBatch& values, bool batch) {
  Tensor tensor{{values.rows, values.cols}, values.values};
  if (batch) tensor.shape.insert(tensor.shape.begin(), values.count);
  return tensor;
}

}  // namespace

std::string ending(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool holds_several(const std::filesystem::path& path) { return ending(path) == ".safetensors"; }

std::filesystem::path beside(const std::filesystem::path& path, const std::string& tensor) {
  std::filesystem::path name = path.stem();
  name += "." + tensor + path.extension().string();
  return path.parent_path() / name;
}

void check_matrix_output(const std::filesystem::path& path, bool batch,
                         const std::vector<std::filesystem::path>& others) {
  const std::string type = ending(path);
  const auto known = {".csv", ".tsv", ".npy", ".mtx", ".safetensors"};
  if (std::find(known.begin(), known.end(), type) == known.end())
    throw Error(shown_path(path) + ": the name must end in .npy, .csv, .tsv, .mtx or .safetensors");
  if (batch && type != ".npy" && type != ".safetensors")
    throw Error(shown_path(path) +
                ": a stack of matrices needs a name ending in .safetensors or "
                ".npy");
  check_output(path, others);
}

void check_tensor_output(const std::filesystem::path& path,
                         const std::vector<std::filesystem::path>& others) {
  check_output(path, others);
  if (!holds_several(path))
    throw Error(shown_path(path) + ": the name must end in .safetensors, which is what it holds");
}

void write_matrices(const std::filesystem::path& path, const std::vector<NamedMatrices>& matrices,
                    bool batch, const std::vector<std::string>& names,
                    const std::map<std::string, std::string>& metadata) {
  const MatrixBatch& first = *matrices.front().values;
  if (holds_several(path)) {
    TensorFile file{metadata, {}};
    for (const NamedMatrices& each : matrices)
      file.tensors[each.tensor] = to_tensor(*each.values, batch);
    write_safetensors(path, file);
  } else if (ending(path) == ".npy") {
    write_npy(path, to_tensor(first, batch));
  } else {
    write_table(path, {names, names, first[0]});
  }
}

}  // namespace spodnet::cli
