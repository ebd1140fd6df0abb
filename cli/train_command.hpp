#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/generated_data.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/trainer.hpp"

namespace spodnet::cli {

/// `spodnet train` as it was typed; what was not given is empty.
struct TrainCommand {
  std::string preset, model;
  std::filesystem::path data, init, out, history;
  GeneratedData generated;
  std::string valid;
  std::optional<int> layers;
  bool tied = false;
  std::string scaling, init_offset;
  std::optional<double> zeta, v_min;
  TrainOptions train;
  std::string schedule = "constant", loss = "mse";
  int threads = 0;
  bool json = false;

  std::filesystem::path checkpoint() const { return out.string() + ".checkpoint"; }
};

/// Owns the matrices that the samples are views of.
struct TrainData {
  DataSet data, valid_file;
  TrainValid split;
};

/// Reads or generates the data and sets the validation part aside. Generated data are made for
/// `p` variables where the command does not say how many (0: the paper's).
TrainData make_data(const TrainCommand& command, std::size_t p, ThreadPool& pool);

/// Puts the values of --preset where neither an option nor --init says otherwise.
void apply_preset(const CLI::App& app, TrainCommand& command);

/// The model of --init, or null when there is none.
std::unique_ptr<Model> load_init(const TrainCommand& command, const ModelRegistry& models);

/// The starting model for data of p variables: `init` with the settings given beside it, or a new
/// one with random weights from the seed.
std::unique_ptr<Model> make_start(const TrainCommand& command, const ModelRegistry& models,
                                  const Model* init, std::size_t p);

/// Writes into the model's metadata how it was trained and how well it does.
void describe(Model& model, const TrainCommand& command, const TrainData& data,
              const TrainResult& result);

/// The last lines of the command: text for a person, or one JSON object.
void report(const Model& model, const TrainCommand& command, const TrainResult& result);

}  // namespace spodnet::cli
