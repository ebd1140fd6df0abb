#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// Version of the model file: metadata as in model_metadata.hpp and this as `format`; tensors with
/// the names and shapes of the model's parameter layout (tied layers once, as `layers.0.*`).
inline constexpr const char* kModelFormat = "spodnet-1";

/// Writes the model; doubles are kept exactly and the file appears whole or not at all. Weights
/// that are not finite are refused: no file ever holds a NaN.
void save_model(const std::filesystem::path& path, const Model& model);

/// Reads a model file by whichever program. A newer version, missing metadata, tensors that are
/// missing, unknown, of a wrong shape or not finite, contents that differ from the file's checksum
/// (io/checksum.hpp) throw an Error that names the file, the tensor, the cause and the remedy.
std::unique_ptr<Model> load_model(const std::filesystem::path& path, const ModelRegistry& models);

/// The same from and to a file in memory; `name` stands in messages.
TensorFile model_to_tensors(const Model& model);
std::unique_ptr<Model> model_from_tensors(const TensorFile& file, const std::string& name,
                                          const ModelRegistry& models);

}  // namespace spodnet
