#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet::cli {

/// Throws Error unless `path` can be written and its ending is one of csv, tsv, npy, mtx,
/// safetensors; a stack of matrices goes into npy or safetensors only. `others` as in check_output.
void check_matrix_output(const std::filesystem::path& path, bool batch,
                         const std::vector<std::filesystem::path>& others);

/// The same for a model or a data set: its name ends in .safetensors.
void check_tensor_output(const std::filesystem::path& path,
                         const std::vector<std::filesystem::path>& others = {});

/// Named matrices of one shape: a stack [count,p,p], or one [p,p] when `batch` is false.
struct NamedMatrices {
  std::string tensor;  ///< its name in a safetensors file
  const MatrixBatch* values = nullptr;
};

/// Writes the first one to a table, or all of them to a safetensors file, with `metadata` there.
void write_matrices(const std::filesystem::path& path, const std::vector<NamedMatrices>& matrices,
                    bool batch, const std::vector<std::string>& names,
                    const std::map<std::string, std::string>& metadata);

/// `OUT.npy` -> `OUT.Z.npy`: where a table's second matrix goes.
std::filesystem::path beside(const std::filesystem::path& path, const std::string& tensor);

std::string ending(const std::filesystem::path& path);  ///< `.csv`, in lower case
bool holds_several(const std::filesystem::path& path);  ///< safetensors

}  // namespace spodnet::cli
