#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "reproduce/json.hpp"
#include "spodnet/core/parallel.hpp"

namespace spodnet::figures {

/// What a part is given while it works.
struct PartContext {
  ThreadPool& pool;
  const std::atomic<bool>& stop;
  std::filesystem::path scratch;         ///< begin of the names of its unfinished files
  std::function<void(double)> progress;  ///< share of the part that is done
};

/// One independent piece of a study: train one model, score one method. Its result depends on
/// `settings` alone, which hold everything it is made from; figures that need the same settings
/// share the part.
struct Part {
  std::string name;  ///< for people: what and where
  Json settings;
  double cost = 0;  ///< seconds on one core, roughly
  /// The result, or nothing when it was stopped (then a later call goes on from `scratch`).
  std::function<std::optional<Json>(const PartContext&)> work;

  std::string key() const;  ///< the name and a digest of the settings: its file's name
};

/// Finished parts: FOLDER/KEY.json each, appearing whole or not at all.
class PartStore {
 public:
  explicit PartStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool has(const Part& part) const { return find(part).has_value(); }
  /// Nothing when it is not finished; a damaged file counts as that.
  std::optional<Json> find(const Part& part) const;
  Json result(const Part& part) const;     ///< Error when it is not finished
  double seconds(const Part& part) const;  ///< of processor time; 0 when it is not finished
  void put(const Part& part, const Json& result, double seconds) const;
  std::filesystem::path scratch(const Part& part) const { return folder_ / part.key(); }

 private:
  std::optional<Json> load(const Part& part) const;

  std::filesystem::path folder_;
};

}  // namespace spodnet::figures
