#include "reproduce/plan_record.hpp"

#include "reproduce/learned.hpp"
#include "reproduce/machine.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

Json to_json(const Cell& cell) { return {{"p", cell.p}, {"n", cell.n}, {"alpha", cell.alpha}}; }

Json sizes(const Study& study) {
  Json out = Json::array();
  for (const Size& size : study.scale.sizes)
    out.push_back({{"p", size.p},
                   {"train", size.train},
                   {"valid", size.valid},
                   {"test", size.test},
                   {"epochs", size.epochs},
                   {"seeds", study.repetitions(size.p)}});
  return out;
}

Json settings(const Study& study) {
  const Preset paper = preset_from("paper");
  return {{"sizes", sizes(study)},
          {"batch", paper.batch},
          {"patience", study.scale.patience},
          {"choose_epochs", study.scale.choose_epochs},
          {"walk_epochs", study.scale.walk_epochs},
          {"animals_training", to_json(study.scale.animals)},
          {"streams", "digest (FNV-1a, 64 bits) of SEED/SCALE/ROLE/P/ALPHA/REPETITION"}};
}

Json rates(const Study& study) {
  Json out = Json::array();
  std::vector<Cell> cells = study.scale.grid();
  if (!study.animals.empty()) cells.push_back(study.scale.animals);
  for (const Cell& cell : cells)
    for (const char* method : {"ubg", "pnp", "e2e", "glad", "ubg-k2", "ubg-k3", "best"}) {
      const bool animals = cell == study.scale.animals;
      if (animals && std::string(method) != "ubg" && std::string(method) != "glad") continue;
      const LearningRate rate = learning_rate(study, method, cell);
      Json row = to_json(cell);
      row.update({{"method", method}, {"lr", rate.lr}, {"origin", rate.origin}});
      out.push_back(std::move(row));
    }
  return out;
}

Json preset_record(const std::string& method) {
  TrainJob job{.preset = learned_preset(method)};
  Json out = to_json(job);
  for (const char* key : {"patience", "train", "valid", "role"}) out.erase(key);
  return out;
}

}  // namespace

Json table_record(const Study& study, const ReproduceOptions& options) {
  return {{"seed", study.seed},         {"scale", study.scale.name}, {"settings", settings(study)},
          {"version", options.version}, {"machine", machine()},      {"command", options.command}};
}

Json plan_record(const Study& study, const ReproduceOptions& options,
                 const std::vector<Figure>& figures, const std::vector<Part>& parts,
                 const ReproduceResult& result) {
  Json out = table_record(study, options);
  double work = 0, cost = 0;
  for (const Part& part : parts) {
    work += study.store.seconds(part);
    cost += part.cost;
  }
  out["figures"] = Json::array();
  for (const Figure& figure : figures)
    out["figures"].push_back({{"name", figure.name}, {"title", figure.title}});
  out["learning_rates"] = rates(study);
  out["learning_rates_considered"] = study.scale.rates;
  out["presets"] = {{"ubg-k2", preset_record("ubg-k2")},
                    {"ubg-k3", preset_record("ubg-k3")},
                    {"best", preset_record("best")}};
  out["animals"] = study.animals.empty() ? Json("not there") : Json(study.animals.string());
  out["parts"] = result.parts;
  out["parts_reused"] = result.reused;
  out["seconds"] = result.seconds;      // of this run
  out["part_seconds"] = work;           // of all parts together, earlier runs included
  out["part_seconds_expected"] = cost;  // what progress reckoned with
  return out;
}

}  // namespace spodnet::figures
