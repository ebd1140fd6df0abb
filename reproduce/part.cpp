#include "reproduce/part.hpp"

#include <fmt/format.h>

#include <fstream>

#include "spodnet/core/digest.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/atomic_file.hpp"

namespace spodnet::figures {

std::string Part::key() const { return fmt::format("{}-{:016x}", name, digest(settings.dump())); }

std::optional<Json> PartStore::load(const Part& part) const {
  std::ifstream in(folder_ / (part.key() + ".json"));
  if (!in) return std::nullopt;
  const Json file = Json::parse(in, nullptr, false);
  if (!file.is_object() || !file.contains("result") ||
      file.value("settings", Json()) != part.settings)
    return std::nullopt;
  return file;
}

std::optional<Json> PartStore::find(const Part& part) const {
  const std::optional<Json> file = load(part);
  if (!file) return std::nullopt;
  return file->at("result");
}

double PartStore::seconds(const Part& part) const {
  const std::optional<Json> file = load(part);
  return file ? file->value("seconds", 0.0) : 0.0;
}

Json PartStore::result(const Part& part) const {
  if (auto found = find(part)) return *found;
  throw Error("part '" + part.key() + "' is not finished: run the figure again");
}

void PartStore::put(const Part& part, const Json& result, double seconds) const {
  const Json file = {{"settings", part.settings}, {"result", result}, {"seconds", seconds}};
  write_file_atomically(folder_ / (part.key() + ".json"), file.dump(1) + "\n");
}

}  // namespace spodnet::figures
