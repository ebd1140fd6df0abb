#include <cmath>

#include "cli/train_command.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/train/preset.hpp"

namespace spodnet::cli {
namespace {

constexpr double kValidFraction = 0.1;  // of generated data, where --valid is not given

void check_truth(const DataSet& data, const std::filesystem::path& path) {
  if (data.Theta_true.empty())
    throw Error(shown_path(path) +
                ": has no tensor 'Theta_true', which training needs: see "
                "'spodnet generate --help'");
}

void read_validation(const TrainCommand& command, TrainData& out) {
  out.valid_file = load_dataset(command.valid);
  check_truth(out.valid_file, command.valid);
  if (out.valid_file.p() != out.data.p())
    throw Error(command.valid + ": has p = " + std::to_string(out.valid_file.p()) +
                ", the training data p = " + std::to_string(out.data.p()) +
                ": make both of one size");
  out.split.train = samples(out.data);
  out.split.valid = samples(out.valid_file);
}

void split(const TrainCommand& command, TrainData& out) {
  double fraction = command.data.empty() ? kValidFraction : 0.0;
  if (out.data.count() == 1 && command.valid.empty()) fraction = 0;
  if (command.valid == "none") {
    fraction = 0;
  } else if (const auto number = to_double(command.valid); number) {
    if (!(*number >= 0 && *number < 1))
      throw Error("--valid " + command.valid +
                  ": a fraction lies in [0, 1); or give a file or none");
    fraction = *number;
  } else if (!command.valid.empty()) {
    return read_validation(command, out);
  }
  out.split = split_validation(samples(out.data), fraction, command.train.seed);
}

/// Settings that a model file stores, those given on the command line put in.
void override_settings(const TrainCommand& command, ModelConfig& config) {
  if (!command.model.empty()) config.model = command.model;
  if (command.layers) config.layers = *command.layers;
  if (command.tied) config.tied = true;
  if (!command.scaling.empty()) config.scaling = scaling_from(command.scaling);
  if (command.zeta) config.zeta = *command.zeta;
  if (command.v_min) config.v_min = *command.v_min;
  if (!command.init_offset.empty()) {
    config.learn_offset = command.init_offset == "learned";
    if (!config.learn_offset)
      config.init_offset = parse_double(command.init_offset, "--init-offset");
  }
}

[[noreturn]] void differs(const TrainCommand& command, const std::string& what,
                          const std::string& theirs, const std::string& asked) {
  throw Error(shown_path(command.init) + ": has " + what + " = " + theirs + ", asked for is " +
              asked + ": the weights do not fit; leave out the option or --init");
}

/// What decides the shapes of the weights must be the same.
void check_structure(const TrainCommand& command, const ModelConfig& init,
                     const ModelConfig& config) {
  const auto flag = [](bool value) { return value ? std::string("true") : std::string("false"); };
  if (init.model != config.model) differs(command, "model", init.model, config.model);
  if (init.p != config.p) differs(command, "p", std::to_string(init.p), std::to_string(config.p));
  if (init.layers != config.layers)
    differs(command, "layers", std::to_string(init.layers), std::to_string(config.layers));
  if (init.tied != config.tied) differs(command, "tied", flag(init.tied), flag(config.tied));
  if (init.learn_offset != config.learn_offset)
    differs(command, "a learned offset", flag(init.learn_offset), flag(config.learn_offset));
}

}  // namespace

TrainData make_data(const TrainCommand& command, std::size_t p, ThreadPool& pool) {
  TrainData out;
  if (command.data.empty()) {
    GeneratedData generated = command.generated;
    if (!generated.p && p > 0) generated.p = p;
    out.data = generate_dataset(to_dataset_options(generated, command.train.seed, false), pool);
  } else {
    out.data = load_dataset(command.data);
    check_truth(out.data, command.data);
    out.data.X = {};
  }
  split(command, out);
  return out;
}

void apply_preset(const CLI::App& app, TrainCommand& command) {
  if (command.preset.empty()) return;
  const Preset preset = preset_from(command.preset);
  const auto silent = [&](const char* option) { return app.count(option) == 0; };
  if (silent("--epochs")) command.train.epochs = preset.epochs;
  if (silent("--batch")) command.train.batch = preset.batch;
  if (silent("--lr")) command.train.lr = preset.lr;
  if (silent("--schedule")) command.schedule = to_string(preset.schedule);
  if (silent("--clip-grad")) command.train.clip_grad = preset.clip_grad;
}

std::unique_ptr<Model> load_init(const TrainCommand& command, const ModelRegistry& models) {
  return command.init.empty() ? nullptr : load_model(command.init, models);
}

std::unique_ptr<Model> make_start(const TrainCommand& command, const ModelRegistry& models,
                                  const Model* init, std::size_t p) {
  ModelConfig config;
  if (!command.preset.empty()) config = model_config(preset_from(command.preset), p);
  if (init) config = init->config();
  config.info.clear();
  config.p = p;
  override_settings(command, config);
  if (init) check_structure(command, init->config(), config);
  std::unique_ptr<Model> model = models.make(config);
  if (init)
    model->parameters().values = init->parameters().values;
  else
    model->parameters().initialise(command.train.seed);
  return model;
}

}  // namespace spodnet::cli
