#include <fmt/format.h>

#include "reproduce/learned.hpp"

namespace spodnet::figures {
namespace {

bool follows_paper(const std::string& method) {
  return method == "ubg" || method == "pnp" || method == "e2e";
}

/// Where the paper gives no usable learning rate for its own models: fig5 at the small p but for
/// the cell it shares with fig4, and data of mixed sparsities.
bool is_chosen(const Study& study, const std::string& method, const Cell& cell) {
  if (!follows_paper(method)) return false;
  if (cell == study.scale.animals) return true;
  const auto& fig4 = study.scale.fig4;
  return cell.p == study.scale.small_p() && std::find(fig4.begin(), fig4.end(), cell) == fig4.end();
}

Part choice_part(const Study& study, const std::string& method, const Cell& cell, double lr) {
  const Size& size = study.scale.size(cell.p);
  TrainJob job{.preset = learned_preset(method), .cell = cell, .role = "choose-"};
  job.preset.lr = lr;
  job.preset.epochs = study.scale.choose_epochs;
  job.train = size.train;
  job.valid = size.valid;
  Part part;
  part.name = fmt::format("choose-{}-{}-lr{}", model_name(job.preset), cell_name(cell, 0), lr);
  part.settings = cell_settings(study, "choose", cell, 0);
  part.settings.update(to_json(job));
  part.cost = training_cost(job);
  part.work = [&study, job](const PartContext& context) -> std::optional<Json> {
    const std::optional<Trained> trained = train_job(study, job, context);
    if (!trained) return std::nullopt;
    forget_checkpoint(context);
    return training_record(trained->result);
  };
  return part;
}

}  // namespace

std::vector<Part> choice_parts(const Study& study, const std::string& method, const Cell& cell) {
  std::vector<Part> parts;
  if (is_chosen(study, method, cell))
    for (const double lr : study.scale.rates) parts.push_back(choice_part(study, method, cell, lr));
  return parts;
}

LearningRate learning_rate(const Study& study, const std::string& method, const Cell& cell) {
  if (method == "glad") return {1e-2, "paper"};
  if (!follows_paper(method)) return {learned_preset(method).lr, "preset"};
  if (!is_chosen(study, method, cell)) return {cell.alpha == kWeak ? 1e-3 : 1e-2, "paper"};
  LearningRate best{learned_preset(method).lr, "not yet chosen"};
  double smallest = std::numeric_limits<double>::infinity();
  for (const double lr : study.scale.rates) {
    const auto result = study.store.find(choice_part(study, method, cell, lr));
    if (!result) return {learned_preset(method).lr, "not yet chosen"};
    const double nmse = to_number(result->at("valid_nmse"));
    if (nmse < smallest) smallest = nmse, best = {lr, "chosen on validation"};
  }
  return best;
}

}  // namespace spodnet::figures
