#include <fmt/format.h>

#include <memory>

#include "cli/report.hpp"

#include <CLI/CLI.hpp>
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/workflow/model_cache.hpp"

namespace spodnet::cli {
namespace {

ModelCache cache() {
  const std::filesystem::path folder = default_cache_folder();
  if (folder.empty())
    throw Error("cache: neither XDG_CACHE_HOME nor HOME is set: there is no place for one");
  return ModelCache(folder);
}

std::string value_of(const ModelCache::Entry& entry, const char* key) {
  const auto found = entry.info.find(key);
  return found == entry.info.end() ? "-" : found->second;
}

void list(bool json) {
  const ModelCache models = cache();
  const auto entries = models.list();
  if (json) {
    Json out = {{"folder", models.folder().string()}, {"models", Json::array()}};
    for (const auto& entry : entries)
      out["models"].push_back({{"file", entry.path.filename().string()},
                               {"bytes", entry.bytes},
                               {"model", value_of(entry, "model")},
                               {"p", value_of(entry, "p")},
                               {"n", value_of(entry, "train.n")},
                               {"valid_nmse", value_of(entry, "final.valid_nmse")},
                               {"used", entry.current}});
    return print_json(out);
  }
  print_line(shown_path(models.folder()) + ": " + std::to_string(entries.size()) +
             (entries.size() == 1 ? " model" : " models"));
  std::vector<std::vector<std::string>> rows = {{"  file", "p", "n", "validation NMSE", "size"}};
  for (const auto& entry : entries) {
    const auto nmse = to_double(value_of(entry, "final.valid_nmse"));
    rows.push_back({"  " + entry.path.filename().string(), value_of(entry, "p"),
                    value_of(entry, "train.n"), nmse ? number_text(*nmse) : "-",
                    bytes_text(double(entry.bytes)), entry.current ? "" : "no longer used"});
  }
  if (!entries.empty()) print_text(aligned(rows));
}

void clear() {
  const ModelCache models = cache();
  const std::size_t removed = models.clear();
  print_line(shown_path(models.folder()) + ": " + std::to_string(removed) +
             (removed == 1 ? " model" : " models") + " removed");
}

}  // namespace

void add_cache(CLI::App& app, Session&) {
  CLI::App* command =
      app.add_subcommand("cache", "The models that 'spodnet graph' has trained and kept");
  command->footer(
      "They are in $XDG_CACHE_HOME/spodnet, else ~/.cache/spodnet; each is an ordinary model "
      "file.");
  command->require_subcommand(1);
  const auto json = std::make_shared<bool>(false);
  CLI::App* listed = command->add_subcommand("list", "What is kept, and for which tables");
  add_json(*listed, *json);
  listed->callback([json] { list(*json); });
  command->add_subcommand("clear", "Remove all of it")->callback([] { clear(); });
}

}  // namespace spodnet::cli
