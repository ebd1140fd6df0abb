#include "reproduce/walk.hpp"

#include <fmt/format.h>

#include "reproduce/training.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/models/e2e.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pnp.hpp"
#include "spodnet/models/ubg.hpp"

namespace spodnet::figures {
namespace {

Json update_row(std::size_t update, const Matrix& Theta) {
  const Spectrum s = spectrum(Theta);
  return {{"update", update},
          {"eig_min", to_json(s.eig_min)},
          {"max_diagonal", to_json(Theta.diagonal().maxCoeff())},
          {"condition", to_json(s.condition)}};
}

template <class Rule>
std::vector<Matrix> updates_of(const Model& model, const MatrixRef& S, double n) {
  const ModelConfig& config = model.config();
  const Rule rule(RuleShape{config.p, config.widths});
  const LayerOptions options{.scaling = config.scaling, .zeta = config.zeta, .v_min = config.v_min};
  typename Rule::Prepared prepared;
  rule.prepare(model.parameters().values.data(), prepared);
  Chunk<Rule> chunk(rule, config.p, 1, 1);
  const Matrix input = S;
  MatrixWorkspace& slot = chunk.slots[0];
  LayerTape& tape = chunk.tapes[0][0];
  const double offset =
      config.learn_offset ? std::exp(model.parameters().values.back()) : config.init_offset;
  const Sample sample{.S = input.data(), .p = config.p, .n = n};
  slot.start(sample, offset, options, tape);
  SpodLayer<Rule>(rule, options)
      .forward(prepared, chunk.slots, chunk.tapes[0], chunk.rule_tapes[0]);
  tape.restore_input();
  const auto p = Eigen::Index(config.p);
  Matrix Theta(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < p; ++j) Theta(i, j) = tape.Theta_in[std::size_t(i)][j];
  std::vector<Matrix> walk = {Theta};
  for (Eigen::Index i = 0; i < Eigen::Index(slot.done); ++i) {
    const ColumnScalars& scalars = tape.scalars[std::size_t(i)];
    for (Eigen::Index j = 0; j < p; ++j)
      Theta(i, j) = Theta(j, i) = i == j ? scalars.v + scalars.q : tape.u[std::size_t(i)][j];
    walk.push_back(Theta);
  }
  return walk;
}

std::optional<Json> walk_and_record(const Study& study, const TrainJob& job,
                                    const PartContext& context) {
  const std::optional<Trained> trained = train_job(study, job, context);
  if (!trained) return std::nullopt;
  const DataSet test = cell_data(study, "test", job.cell, job.k, 1, false, context.pool);
  Json out = training_record(trained->result);
  out["updates"] = Json::array();
  for (const Matrix& Theta : column_updates(*trained->model, test.S[0], test.n))
    out["updates"].push_back(update_row(out["updates"].size(), Theta));
  forget_checkpoint(context);
  return out;
}

}  // namespace

std::vector<Matrix> column_updates(const Model& model, const MatrixRef& S, double n) {
  const std::string& name = model.config().model;
  if (name == "ubg") return updates_of<UbgRule>(model, S, n);
  if (name == "pnp") return updates_of<PnpRule>(model, S, n);
  if (name == "e2e") return updates_of<E2eRule>(model, S, n);
  throw Error("column_updates: model '" + name + "' has no walk: use ubg, pnp or e2e");
}

Part walk_part(const Study& study, const std::string& model, const std::string& scaling,
               const Cell& cell) {
  TrainJob job{.preset = preset_from("paper"), .cell = cell};
  job.preset.model = model;
  job.preset.scaling = scaling_from(scaling);
  job.preset.lr = cell.alpha == kWeak ? 1e-3 : 1e-2;
  job.preset.epochs = study.scale.walk_epochs;
  job.train = study.scale.size(cell.p).train;
  Part part;
  part.name = fmt::format("walk-{}-{}-{}", model, scaling, cell_name(cell, 0));
  part.settings = cell_settings(study, "walk", cell, 0);
  part.settings.update(to_json(job));
  part.cost = training_cost(job);
  part.work = [&study, job](const PartContext& context) {
    return walk_and_record(study, job, context);
  };
  return part;
}

}  // namespace spodnet::figures
