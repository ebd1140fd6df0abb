#include "spodnet/models/model_file.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/checksum.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/models/model_metadata.hpp"

namespace spodnet {
namespace {

constexpr std::string_view kFormatName = "spodnet-";
constexpr std::string_view kFirstWeight = ".0.weight";
constexpr std::size_t kSpareParameters = 1 << 20;  ///< a tensor may be missing, and be named then

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? "," : "") + std::to_string(shape[k]);
  return text + "]";
}

void check_format(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find("format");
  if (found == file.metadata.end())
    throw Error(name +
                ": metadata 'format' is missing: not a model file; train one with 'spodnet "
                "train'");
  if (found->second == kModelFormat) return;
  const std::string_view format = found->second;
  if (format.starts_with("spodnet-checkpoint"))
    throw Error(name +
                ": a training checkpoint, not a model: resume the training and let it "
                "finish");
  if (format.starts_with(kFormatName) && to_count(format.substr(kFormatName.size())))
    throw Error(name + ": written by a newer version (format " + shown(format) +
                ", this program reads " + kModelFormat + "): update spodnet");
  throw Error(name + ": metadata 'format' is " + shown(format) + ", not '" + kModelFormat +
              "': not a model file");
}

/// `layers.0.f.PART.0.weight` or `layers.0.PART.0.weight` -> PART; empty for any other name.
std::string part_of(std::string_view tensor) {
  for (const std::string_view prefix : {"layers.0.f.", "layers.0."}) {
    if (!tensor.starts_with(prefix) || !tensor.ends_with(kFirstWeight)) continue;
    tensor.remove_prefix(prefix.size());
    tensor.remove_suffix(std::min(tensor.size(), kFirstWeight.size()));
    return std::string(tensor);
  }
  return {};
}

/// Hidden widths are the first weights' rows. Sizes the file itself does not back are refused,
/// before the model allocates them: p and K are only words in the metadata.
void read_widths(const TensorFile& file, const std::string& name, ModelConfig& config) {
  double stored = 0;
  for (const auto& [tensor_name, tensor] : file.tensors) stored += double(tensor.values.size());
  const double p = double(config.p);
  if (p * p > 64 * stored + 0x1p26)
    throw Error(name + ": metadata 'p' is " + std::to_string(config.p) +
                ", far more than its tensors hold: the file is damaged");
  if (!config.tied && std::size_t(config.layers) > file.tensors.size())
    throw Error(name + ": metadata 'layers' is " + std::to_string(config.layers) + ", but only " +
                std::to_string(file.tensors.size()) + " tensors are stored: the file is damaged");
  config.most_parameters = std::size_t(stored) + kSpareParameters;
  for (const auto& [tensor_name, tensor] : file.tensors) {
    const std::string part = part_of(tensor_name);
    if (!part.empty() && tensor.shape.size() == 2) config.widths[part] = tensor.shape[0];
  }
}

void copy_tensor(const TensorFile& file, const std::string& name, const ParameterView& view,
                 double* out) {
  const auto found = file.tensors.find(view.name);
  const std::string where = name + ": tensor " + shown(view.name);
  if (found == file.tensors.end())
    throw Error(where + " is missing, expected with shape " + shape_text(view.shape) +
                ": save the model again");
  const Tensor& tensor = found->second;
  if (tensor.shape != view.shape)
    throw Error(where + " has shape " + shape_text(tensor.shape) + ", expected " +
                shape_text(view.shape) + ": the metadata and the weights are of different models");
  for (std::size_t k = 0; k < view.size; ++k) {
    if (!std::isfinite(tensor.values[k]))
      throw Error(where + " is not finite at index " + std::to_string(k) +
                  ": train the model again, with a smaller learning rate or clipped gradients");
    out[k] = tensor.values[k];
  }
}

void check_no_unknown(const TensorFile& file, const std::string& name, const Model& model) {
  for (const auto& [tensor_name, tensor] : file.tensors)
    if (!model.parameters().find(tensor_name))
      throw Error(name + ": tensor " + shown(tensor_name) + " is unknown to model '" +
                  model.config().model + "' with layers = " +
                  std::to_string(model.config().layers) + ": remove it or correct the metadata");
}

}  // namespace

TensorFile model_to_tensors(const Model& model) {
  TensorFile file;
  file.metadata = metadata_from_config(model.config());
  file.metadata["format"] = kModelFormat;
  const Parameters& parameters = model.parameters();
  for (const ParameterView& view : parameters.layout.views()) {
    const double* first = parameters.values.data() + view.offset;
    if (!std::all_of(first, first + view.size, [](double x) { return std::isfinite(x); }))
      throw Error("model_to_tensors: parameter '" + view.name +
                  "' is not finite; keep the last finite weights");
    file.tensors[view.name] = {view.shape, {first, first + view.size}};
  }
  return file;
}

std::unique_ptr<Model> model_from_tensors(const TensorFile& file, const std::string& name,
                                          const ModelRegistry& models) {
  check_format(file, name);
  check_checksum(file, name);
  ModelConfig config = config_from_metadata(file.metadata, name);
  read_widths(file, name, config);
  std::unique_ptr<Model> model;
  try {
    model = models.make(config);
  } catch (const std::exception& error) {  // an unknown model, or sizes it will not have
    throw Error(name + ": " + error.what());
  }
  Parameters& parameters = model->parameters();
  for (const ParameterView& view : parameters.layout.views())
    copy_tensor(file, name, view, parameters.values.data() + view.offset);
  check_no_unknown(file, name, *model);
  return model;
}

void save_model(const std::filesystem::path& path, const Model& model) {
  TensorFile file = model_to_tensors(model);
  add_checksum(file);
  write_safetensors(path, file);
}

std::unique_ptr<Model> load_model(const std::filesystem::path& path, const ModelRegistry& models) {
  return model_from_tensors(read_safetensors(path), shown_path(path), models);
}

}  // namespace spodnet
