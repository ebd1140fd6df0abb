#include "spodnet/models/model_metadata.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::array kSettings = {"format", "model",        "p",       "layers",
                                  "tied",   "scaling",      "zeta",    "init_offset",
                                  "v_min",  "standardized", "summary", "checksum"};

bool is_setting(const std::string& key) {
  return std::find(kSettings.begin(), kSettings.end(), key) != kSettings.end() ||
         key == "program" || key.starts_with("program.");
}

/// The key of layer k's program, of `count` different ones.
std::string program_key(std::size_t k, std::size_t count) {
  return count == 1 ? "program" : "program." + std::to_string(k);
}

/// Settings of one file, each read with the file's name and its own in the message.
struct Reader {
  const Metadata& metadata;
  const std::string& name;

  std::string where(const std::string& key) const { return name + ": metadata '" + key + "'"; }

  const std::string& text(const std::string& key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end())
      throw Error(where(key) + " is missing: a model file needs it (docs/using.md, Model files)");
    return found->second;
  }

  double number(const std::string& key, double smallest) const {
    const std::optional<double> value = to_double(text(key));
    if (!value || !(*value >= smallest) || std::isinf(*value))
      throw Error(where(key) + " is " + shown(text(key)) + ": use a number of at least " +
                  exact_text(smallest));
    return *value;
  }

  std::size_t count(const std::string& key, std::uint64_t largest) const {
    const std::optional<std::uint64_t> value = to_count(text(key));
    if (!value || *value < 1 || *value > largest)
      throw Error(where(key) + " is " + shown(text(key)) + ": use an integer from 1 to " +
                  std::to_string(largest));
    return *value;
  }

  bool flag(const std::string& key) const {
    const std::string& value = text(key);
    if (value != "true" && value != "false")
      throw Error(where(key) + " is " + shown(value) + ": use true or false");
    return value == "true";
  }

  Scaling scaling() const {
    for (const Scaling scaling :
         {Scaling::normalize, Scaling::clip, Scaling::none, Scaling::relative})
      if (to_string(scaling) == text("scaling")) return scaling;
    throw Error(where("scaling") + " is " + shown(text("scaling")) +
                ": use normalize, clip, none or relative");
  }
};

}  // namespace

Metadata metadata_from_config(const ModelConfig& config) {
  Metadata out;
  for (const auto& [key, value] : config.info)
    if (!is_setting(key)) out[key] = value;
  out["model"] = config.model;
  out["p"] = config.p == 0 ? "any" : std::to_string(config.p);
  out["layers"] = std::to_string(config.layers);
  out["tied"] = config.tied ? "true" : "false";
  out["scaling"] = to_string(config.scaling);
  out["zeta"] = exact_text(config.zeta);
  out["init_offset"] = config.learn_offset ? "learned" : exact_text(config.init_offset);
  out["v_min"] = exact_text(config.v_min);
  for (std::size_t k = 0; k < config.programs.size(); ++k)
    out[program_key(k, config.programs.size())] = config.programs[k];
  if (config.standardized) out["standardized"] = "true";
  if (config.summary) out["summary"] = "true";
  return out;
}

ModelConfig config_from_metadata(const Metadata& metadata, const std::string& name) {
  const Reader read{metadata, name};
  ModelConfig config;
  config.model = read.text("model");
  if (read.text("p") != "any")
    config.p = read.count("p", 100'000);  // a dense matrix of this size fills 80 GB
  config.layers = int(read.count("layers", 10'000));
  config.tied = read.flag("tied");
  config.scaling = read.scaling();
  config.zeta = read.number("zeta", std::numeric_limits<double>::min());
  config.v_min = read.number("v_min", 0.0);
  config.standardized = metadata.contains("standardized") && read.flag("standardized");
  config.summary = metadata.contains("summary") && read.flag("summary");
  config.learn_offset = read.text("init_offset") == "learned";
  if (!config.learn_offset) config.init_offset = read.number("init_offset", 0.0);
  if (metadata.contains("program")) config.programs = {read.text("program")};
  for (int k = 0; metadata.contains("program.0") && k < config.layers; ++k)
    config.programs.push_back(read.text(program_key(std::size_t(k), 2)));
  for (const auto& [key, value] : metadata)
    if (!is_setting(key)) config.info[key] = value;
  return config;
}

}  // namespace spodnet
