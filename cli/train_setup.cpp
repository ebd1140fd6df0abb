#include <algorithm>
#include <cmath>
#include <set>

#include "cli/train_command.hpp"

#include <CLI/CLI.hpp>
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/train/preset.hpp"

namespace spodnet::cli {
namespace {

constexpr std::uint64_t kLargestWidth = 10'000;
constexpr double kValidFraction = 0.1;  // of generated data, where --valid is not given
constexpr std::uint64_t kFirstValidation = std::uint64_t{1} << 62;  // beside fresh training data

void check_truth(const DataSet& data, const std::filesystem::path& path) {
  if (data.Theta_true.empty())
    throw Error(shown_path(path) +
                ": has no tensor 'Theta_true', which training needs: see "
                "'spodnet generate --help'");
}

void read_validation(const TrainCommand& command, TrainData& data) {
  data.valid_file = load_dataset(command.valid);
  check_truth(data.valid_file, command.valid);
  if (data.p().single() && data.valid_file.p() != data.p().low)
    throw Error(command.valid + ": has p = " + std::to_string(data.valid_file.p()) +
                ", the training data p = " + to_string(data.p()) + ": make both of one size");
  data.split.valid = samples(data.valid_file);
}

/// Share of `count` matrices that is for validation; negative: a file is given instead.
double valid_fraction(const TrainCommand& command, std::size_t count) {
  if (command.valid == "none") return 0;
  if (command.valid.empty()) return command.data.empty() && count > 1 ? kValidFraction : 0;
  const auto number = to_double(command.valid);
  if (!number) return -1;
  if (!(*number >= 0 && *number < 1))
    throw Error("--valid " + command.valid + ": a fraction lies in [0, 1); or give a file or none");
  return *number;
}

/// New matrices in every epoch, and a fixed set for validation from another part of the sequence.
void fill_fresh(const TrainCommand& command, TrainData& data, ThreadPool& pool) {
  data.source = std::make_unique<FreshSamples>(*data.generated);
  const double fraction = valid_fraction(command, data.generated->count);
  if (fraction < 0) return read_validation(command, data);
  if (fraction == 0) return;
  DataSetOptions valid = *data.generated;
  valid.count = std::max<std::size_t>(1, std::size_t(std::llround(fraction * double(valid.count))));
  valid.first_index = kFirstValidation;
  data.valid_made = generate_mixed(valid, pool);
  data.split.valid = samples(data.valid_made);
}

/// `PART=N` into the hidden width of that part.
void read_width(const std::string& text, ModelConfig& config) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error("--width " + text + ": write PART=N, as in lambda=24");
  const std::uint64_t width = parse_count(text.substr(equals + 1), "--width " + text);
  if (width < 1 || width > kLargestWidth)
    throw Error("--width " + text + ": use a width from 1 to " + std::to_string(kLargestWidth));
  config.widths[text.substr(0, equals)] = width;
}

void read_widths(const TrainCommand& command, ModelConfig& config) {
  std::set<std::string> parts;
  for (const std::string& text : command.widths) {
    read_width(text, config);
    if (!parts.insert(text.substr(0, text.find('='))).second)
      throw Error("--width " + text + ": this part has a width already: give it once");
  }
}

/// Settings that a model file stores, those given on the command line put in.
void override_settings(const TrainCommand& command, ModelConfig& config) {
  if (!command.model.empty()) config.model = command.model;
  if (command.layers) config.layers = *command.layers;
  if (command.tied) config.tied = true;
  if (command.standardized) config.standardized = true;
  if (command.summary) config.summary = true;
  read_widths(command, config);
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
  if (init.p > 0 && init.p != config.p)
    differs(command, "p", std::to_string(init.p), std::to_string(config.p));
  if (init.layers != config.layers)
    differs(command, "layers", std::to_string(init.layers), std::to_string(config.layers));
  for (const auto& [part, width] : init.widths)  // parts it has not begin without effect
    if (config.widths.at(part) != width)
      differs(command, "width " + part, std::to_string(width),
              std::to_string(config.widths.at(part)));
  if (init.standardized != config.standardized)
    differs(command, "standardized", flag(init.standardized), flag(config.standardized));
  if (init.summary != config.summary)
    differs(command, "summary", flag(init.summary), flag(config.summary));
  if (init.tied != config.tied) differs(command, "tied", flag(init.tied), flag(config.tied));
  if (init.learn_offset != config.learn_offset)
    differs(command, "a learned offset", flag(init.learn_offset), flag(config.learn_offset));
}

/// Every part that a width was given for must be there.
void check_widths(const TrainCommand& command, const Model& model) {
  const auto has = [&](const std::string& part) {
    const auto& views = model.parameters().layout.views();
    return std::any_of(views.begin(), views.end(), [&](const ParameterView& view) {
      return view.name.ends_with("." + part + ".0.weight");
    });
  };
  for (const std::string& text : command.widths)
    if (const std::string part = text.substr(0, text.find('=')); !has(part))
      throw Error("--width " + text + ": model " + model.config().model + " has no part '" + part +
                  "': 'spodnet info' of one of its files names them");
}

void copy_weights(const Parameters& from, Parameters& to) {
  for (const ParameterView& view : from.layout.views()) {
    const auto values = from.view(view.name);
    std::copy(values.begin(), values.end(), to.view(view.name).begin());
  }
}

}  // namespace

TrainData read_data(const TrainCommand& command, std::size_t p) {
  TrainData data;
  if (command.data.empty()) {
    GeneratedData generated = command.generated;
    if (generated.p.empty() && p > 0) generated.p = std::to_string(p);
    data.generated = to_dataset_options(generated, command.train.seed, false);
  } else {
    data.file = load_dataset(command.data);
    check_truth(data.file, command.data);
    data.file.X = {};
  }
  return data;
}

void fill_data(const TrainCommand& command, TrainData& data, ThreadPool& pool) {
  if (command.fresh) return fill_fresh(command, data, pool);
  if (data.generated) data.made = generate_mixed(*data.generated, pool);
  const std::vector<Sample> all = data.generated ? samples(data.made) : samples(data.file);
  const double fraction = valid_fraction(command, all.size());
  data.split = split_validation(all, std::max(fraction, 0.0), command.train.seed);
  if (fraction < 0) read_validation(command, data);
  data.source = std::make_unique<GivenSamples>(data.split.train);
}

void apply_preset(const CLI::App& app, TrainCommand& command) {
  if (command.preset.empty()) return;
  const Preset preset = preset_from(command.preset);
  const auto silent = [&](const char* option) { return app.count(option) == 0; };
  if (silent("--epochs")) command.train.epochs = preset.epochs;
  if (silent("--batch")) command.train.batch = preset.batch;
  if (silent("--lr")) command.train.lr = preset.lr;
  if (silent("--schedule")) command.schedule = to_string(preset.schedule);
  if (silent("--loss")) command.loss = preset.loss;
  if (silent("--clip-grad")) command.train.clip_grad = preset.clip_grad;
}

std::unique_ptr<Model> load_init(const TrainCommand& command, const ModelRegistry& models) {
  return command.init.empty() ? nullptr : load_model(command.init, models);
}

std::unique_ptr<Model> make_start(const TrainCommand& command, const ModelRegistry& models,
                                  const Model* init, const SizeRange& p) {
  ModelConfig config;
  if (!command.preset.empty()) config = model_config(preset_from(command.preset), p.high);
  if (init) config = init->config();
  config.info.clear();
  config.p = p.high;
  override_settings(command, config);
  if (init) check_structure(command, init->config(), config);
  std::unique_ptr<Model> model = models.make(config);
  if (!p.single() && model->config().p > 0)
    throw Error("model " + config.model + " is for one number of variables, not for p = " +
                to_string(p) + ": give one --p, or take a model for any (ubg-any)");
  check_widths(command, *model);
  check_effects(command, *model);
  model->parameters().initialise(command.train.seed);
  if (init) copy_weights(init->parameters(), model->parameters());
  return model;
}

}  // namespace spodnet::cli
