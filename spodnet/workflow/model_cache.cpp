#include "spodnet/workflow/model_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/digest.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/checksum.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrefix = "auto-";
constexpr const char* kEnding = ".safetensors";
constexpr const char* kRecipe = "4";  // raised when one plan trains to another model than before

std::map<std::string, std::string> key_of(const TrainingPlan& plan) {
  std::map<std::string, std::string> key = describe_plan(plan);
  key["cache"] = kRecipe;
  return key;
}

std::string joined(const std::map<std::string, std::string>& key) {
  std::string text;
  for (const auto& [name, value] : key) text += name + "=" + value + "\n";
  return text;
}

/// Its settings are all in `info`.
bool matches(const std::map<std::string, std::string>& key,
             const std::map<std::string, std::string>& info) {
  return std::all_of(key.begin(), key.end(), [&](const auto& setting) {
    const auto found = info.find(setting.first);
    return found != info.end() && found->second == setting.second;
  });
}

}  // namespace

fs::path ModelCache::path_for(const TrainingPlan& plan) const {
  return folder_ / fmt::format("{}{}-p{}-n{}-{:016x}{}", kPrefix, plan.model.model, plan.p, plan.n,
                               digest(joined(key_of(plan))), kEnding);
}

std::unique_ptr<Model> ModelCache::find(const TrainingPlan& plan, const ModelRegistry& models,
                                        std::string* damage) const {
  const fs::path path = path_for(plan);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return nullptr;
  try {
    const TensorFile file = read_safetensors(path);
    if (!file.metadata.contains(kChecksumKey))
      throw Error(shown_path(path) + ": has no checksum: it is damaged");
    if (!matches(key_of(plan), file.metadata)) {
      check_checksum(file, shown_path(path));
      return nullptr;
    }
    return model_from_tensors(file, shown_path(path), models);
  } catch (const Error& error) {
    if (damage) *damage = error.what();
    return nullptr;
  }
}

void ModelCache::keep(const TrainingPlan& plan, const Model& model) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw AdvisedError(io_error(folder_.string(), "cannot be made: " + error.message(),
                                "set XDG_CACHE_HOME to a folder you may write to, or keep no model")
                           .what(),
                       Advice::no_cache);
  TensorFile file = model_to_tensors(model);
  for (const auto& [name, value] : key_of(plan)) file.metadata[name] = value;
  add_checksum(file);
  write_safetensors(path_for(plan), file);
}

std::vector<ModelCache::Entry> ModelCache::list() const {
  std::vector<Entry> entries;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder_, ignored)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) continue;
    if (!file.is_regular_file(ignored)) continue;
    Entry entry{file.path(), file.file_size(ignored), {}, false};
    try {
      entry.info = read_safetensors_header(file.path()).metadata;
      entry.current = matches({{"cache", kRecipe}}, entry.info);
    } catch (const Error&) {
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return entries;
}

std::size_t ModelCache::clear() const {
  std::size_t removed = 0;
  std::error_code error;
  for (const Entry& entry : list()) {
    if (!fs::remove(entry.path, error) || error)
      throw io_error(entry.path.string(), "cannot be removed: " + error.message(),
                     "check its permissions");
    ++removed;
  }
  return removed;
}

fs::path default_cache_folder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  // A relative XDG_CACHE_HOME is to be ignored, by its specification.
  const fs::path cache = value("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "spodnet";
  const fs::path home = value("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "spodnet";
}

}  // namespace spodnet
