#include "spodnet/train/checkpoint.hpp"

#include <bit>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet {
namespace {

constexpr const char* kCheckpointFormat = "spodnet-checkpoint-1";
constexpr const char* kIdentityPrefix = "must_match.";

std::uint64_t mix(std::uint64_t hash, std::uint64_t bits) {
  return (std::rotl(hash, 23) ^ bits) * 0x9E3779B97F4A7C15u;
}

std::uint64_t digest(const Sample& sample) {
  std::uint64_t hash = mix(sample.p, std::bit_cast<std::uint64_t>(sample.n));
  for (const double* matrix : {sample.S, sample.Theta_true})
    for (std::size_t k = 0; matrix && k < sample.p * sample.p; ++k)
      hash = mix(hash, std::bit_cast<std::uint64_t>(matrix[k]));
  return hash;
}

/// Every tensor of one flat block, under PREFIX.NAME.
void put_block(TensorFile& file, const std::string& prefix, const ParameterLayout& layout,
               const std::vector<double>& values) {
  for (const ParameterView& view : layout.views()) {
    const double* first = values.data() + view.offset;
    file.tensors[prefix + view.name] = {view.shape, {first, first + view.size}};
  }
}

/// What a checkpoint file holds, each piece read with the file's name in the message.
struct Reader {
  const TensorFile& file;
  const std::string& name;

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(name + ": " + what +
                ": the checkpoint is damaged or of another model; start again, without resuming");
  }

  const std::string& text(const std::string& key) const {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end()) damaged("metadata '" + key + "' is missing");
    return found->second;
  }

  std::uint64_t count(const std::string& key) const {
    const auto value = to_count(text(key));
    if (!value) damaged("metadata '" + key + "' is no count");
    return *value;
  }

  double number(const std::string& key) const {
    const auto value = to_double(text(key));
    if (!value) damaged("metadata '" + key + "' is no number");
    return *value;
  }

  std::vector<double> block(const std::string& prefix, const ParameterLayout& layout) const {
    std::vector<double> values(layout.size());
    for (const ParameterView& view : layout.views()) {
      const auto found = file.tensors.find(prefix + view.name);
      if (found == file.tensors.end() || found->second.shape != view.shape)
        damaged("tensor '" + prefix + view.name + "' is missing or has a wrong shape");
      for (std::size_t k = 0; k < view.size; ++k) {
        values[view.offset + k] = found->second.values[k];
        if (!std::isfinite(values[view.offset + k]))
          damaged("tensor '" + prefix + view.name + "' is not finite");
      }
    }
    return values;
  }

  History history(std::uint64_t epochs) const {
    History rows;
    if (epochs == 0) return rows;
    const auto found = file.tensors.find("history");
    if (found == file.tensors.end() ||
        found->second.shape != std::vector<std::size_t>{std::size_t(epochs), kHistoryColumns})
      damaged("tensor 'history' is missing or has a wrong shape");
    for (std::uint64_t k = 0; k < epochs; ++k)
      rows.push_back(row_from_numbers(found->second.values.data() + k * kHistoryColumns));
    return rows;
  }
};

/// Settings at their defaults may stand on one side alone.
void check_identity(const Reader& read, const TrainIdentity& identity) {
  const auto differ = [&](const std::string& key, const std::string& then, const std::string& now) {
    throw Error(read.name + ": it belongs to a training with " + key + " = " + then + ", not " +
                now + ": resume with the same settings and data, or start again, without resuming");
  };
  TrainIdentity rest = identity;
  for (const auto& [name, then] : read.file.metadata) {
    if (!name.starts_with(kIdentityPrefix)) continue;
    const std::string key = name.substr(std::string(kIdentityPrefix).size());
    const auto found = rest.find(key);
    if (found != rest.end() && found->second != then) differ(key, shown(then), found->second);
    if (found == rest.end() && key != "epochs") differ(key, shown(then), "the default");
    if (found != rest.end()) rest.erase(found);
  }
  rest.erase("epochs");
  if (!rest.empty()) differ(rest.begin()->first, "the default", rest.begin()->second);
}

}  // namespace

std::string data_digest(std::span<const Sample> samples, ThreadPool& pool) {
  std::vector<std::uint64_t> digests(samples.size());
  pool.run(samples.size(), [&](std::size_t k, int) { digests[k] = digest(samples[k]); });
  std::uint64_t hash = samples.size();
  for (const std::uint64_t d : digests) hash = mix(hash, d);
  return std::to_string(hash);
}

std::string weights_digest(std::span<const double> weights) {
  std::uint64_t hash = weights.size();
  for (const double w : weights) hash = mix(hash, std::bit_cast<std::uint64_t>(w));
  return std::to_string(hash);
}

void save_checkpoint(const std::filesystem::path& path, const Model& model, const TrainState& state,
                     const TrainIdentity& identity) {
  const ParameterLayout& layout = model.parameters().layout;
  TensorFile file;
  file.metadata = {{"format", kCheckpointFormat},
                   {"epoch", std::to_string(state.epoch)},
                   {"batch", std::to_string(state.batch)},
                   {"bad_batches", std::to_string(state.bad_batches)},
                   {"step", std::to_string(state.adam.step)},
                   {"loss_sum", exact_text(state.loss_sum)},
                   {"nmse_sum", exact_text(state.nmse_sum)},
                   {"best_nmse", exact_text(state.best_nmse)},
                   {"best_epoch", std::to_string(state.best_epoch)},
                   {"refreshes", std::to_string(state.refreshes)},
                   {"skipped", std::to_string(state.skipped)},
                   {"seconds", exact_text(state.seconds)},
                   {"step_seconds", exact_text(state.step_seconds)}};
  for (const auto& [key, value] : identity) file.metadata[kIdentityPrefix + key] = value;
  put_block(file, "weights.", layout, model.parameters().values);
  put_block(file, "adam.m.", layout, state.adam.m);
  put_block(file, "adam.v.", layout, state.adam.v);
  put_block(file, "good.", layout, state.good);
  if (!state.best.empty()) put_block(file, "best.", layout, state.best);
  if (!state.history.empty()) {
    Tensor history{{state.history.size(), kHistoryColumns}, {}};
    for (const EpochRow& row : state.history)
      for (const double x : to_numbers(row)) history.values.push_back(x);
    file.tensors["history"] = std::move(history);
  }
  write_safetensors(path, file);
}

TrainState load_checkpoint(const std::filesystem::path& path, Model& model,
                           const TrainIdentity& identity) {
  const TensorFile file = read_safetensors(path);
  const std::string name = shown_path(path);
  const Reader read{file, name};
  if (read.text("format") != kCheckpointFormat)
    throw Error(name + ": format " + shown(read.text("format")) + " is not " + kCheckpointFormat +
                ": start again, without resuming");
  check_identity(read, identity);
  const ParameterLayout& layout = model.parameters().layout;
  TrainState state;
  state.epoch = read.count("epoch");
  state.batch = read.count("batch");
  state.bad_batches = read.count("bad_batches");
  state.loss_sum = read.number("loss_sum");
  state.nmse_sum = read.number("nmse_sum");
  state.adam.m = read.block("adam.m.", layout);
  state.adam.v = read.block("adam.v.", layout);
  state.adam.step = read.count("step");
  state.good = read.block("good.", layout);
  state.best_nmse = read.number("best_nmse");
  state.best_epoch = read.count("best_epoch");
  if (state.best_epoch > 0) state.best = read.block("best.", layout);
  state.refreshes = read.count("refreshes");
  state.skipped = read.count("skipped");
  state.history = read.history(state.epoch);
  state.seconds = read.number("seconds");
  state.step_seconds = read.number("step_seconds");
  model.parameters().values = read.block("weights.", layout);
  return state;
}

}  // namespace spodnet
