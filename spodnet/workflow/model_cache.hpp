#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "spodnet/workflow/training_plan.hpp"

namespace spodnet {

/// Models that were trained to the shape of a table, kept as ordinary model files. The file's name
/// has a digest of all settings of the plan and of the version of the training, and its metadata
/// have the settings themselves: a file whose settings differ, or that is damaged, is as good as
/// absent.
class ModelCache {
 public:
  explicit ModelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path_for(const TrainingPlan& plan) const;

  /// The plan's model, or null when it is not there or its file is damaged (its checksum does not
  /// agree with its contents); `damage` then gets one line that says so.
  std::unique_ptr<Model> find(const TrainingPlan& plan, const ModelRegistry& models,
                              std::string* damage = nullptr) const;

  /// Keeps it, making the folder where missing. Failure to write: Error.
  void keep(const TrainingPlan& plan, const Model& model) const;

  struct Entry {
    std::filesystem::path path;
    std::uintmax_t bytes = 0;
    std::map<std::string, std::string> info;  ///< metadata; empty when the file cannot be read
    bool current = false;                     ///< false: of another version, no longer found
  };
  /// Every file this class has written, by name.
  std::vector<Entry> list() const;

  /// Removes them and returns how many; nothing else in the folder is touched.
  std::size_t clear() const;

 private:
  std::filesystem::path folder_;
};

/// $XDG_CACHE_HOME/spodnet, else $HOME/.cache/spodnet; empty when neither is set.
std::filesystem::path default_cache_folder();

}  // namespace spodnet
