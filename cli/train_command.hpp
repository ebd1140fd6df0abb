#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
  bool tied = false, standardized = false, summary = false;
  std::string scaling, init_offset;
  std::optional<double> zeta, v_min;
  std::vector<std::string> widths;  ///< PART=N
  TrainOptions train;
  std::string schedule = "constant", loss = "mse";
  int threads = 0;
  std::string device = "cpu";
  std::string computed_by;  ///< which, and why; empty: the CPU, as asked
  bool fresh = false, json = false;

  std::filesystem::path checkpoint() const { return out.string() + ".checkpoint"; }
};

/// What a model is trained on; owns the matrices that the samples are views of.
struct TrainData {
  DataSet file, valid_file;                 ///< what was read ...
  std::optional<DataSetOptions> generated;  ///< ... or how it is made
  MixedDataSet made, valid_made;
  TrainValid split;
  std::unique_ptr<SampleSource> source;  ///< of split.train, or new matrices in every epoch

  SizeRange p() const { return generated ? generated->p : SizeRange(file.p()); }
};

/// Reads the files and the options. Generated data are for `p` variables where the command does not
/// say how many (0: the paper's).
TrainData read_data(const TrainCommand& command, std::size_t p);

/// Generates what is not read and sets the validation part aside.
void fill_data(const TrainCommand& command, TrainData& data, ThreadPool& pool);

/// Puts the values of --preset where neither an option nor --init says otherwise.
void apply_preset(const CLI::App& app, TrainCommand& command);

/// The model of --init, or null when there is none.
std::unique_ptr<Model> load_init(const TrainCommand& command, const ModelRegistry& models);

/// The starting model for data of p variables: `init` with the settings given beside it, or a new
/// one with random weights from the seed. Refuses a range of p when the model is for one.
std::unique_ptr<Model> make_start(const TrainCommand& command, const ModelRegistry& models,
                                  const Model* init, const SizeRange& p);

/// Throws Error when the command has an option that changes nothing in this model, or --patience
/// without validation.
void check_effects(const TrainCommand& command, const Model& model);
void check_patience(const TrainCommand& command, const TrainData& data);

/// Adds to the model's metadata facts about its data that only the command has.
void describe_data(Model& model, const TrainCommand& command, const TrainData& data);

/// The last lines of the command: text for a person, or one JSON object.
void report(const Model& model, const TrainCommand& command, const TrainResult& result);

}  // namespace spodnet::cli
