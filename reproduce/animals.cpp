#include "reproduce/animals.hpp"

#include <fmt/format.h>

#include "reproduce/learned.hpp"
#include "spodnet/core/digest.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::figures {
namespace {

constexpr int kRestarts = 50;
constexpr double kFaint = 0.01;  // entries of EGFM below this are far from converged

bool is_trained(const std::string& source) { return source == "ubg" || source == "glad"; }

Communities communities_of(const Matrix& Theta, double threshold, std::uint64_t seed) {
  return louvain(graph_of(Theta, {.threshold = threshold}), {.restarts = kRestarts, .seed = seed});
}

/// Edges with their weights and partial correlations, i < j.
Json edges_of(const Matrix& Theta, double threshold) {
  Json edges = Json::array();
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = i + 1; j < Theta.cols(); ++j)
      if (std::abs(Theta(i, j)) > threshold)
        edges.push_back(
            {i, j, Theta(i, j), to_json(-Theta(i, j) / std::sqrt(Theta(i, i) * Theta(j, j)))});
  return edges;
}

Json graph_record(const Matrix& Theta, std::uint64_t seed) {
  const Communities found = communities_of(Theta, 0, seed);
  return {{"modularity", found.modularity},
          {"communities", found.count},
          {"community", found.community},
          {"edges", edges_of(Theta, 0)},
          {"modularity_001", communities_of(Theta, kFaint, seed).modularity},
          {"edges_001", edges_of(Theta, kFaint).size()}};
}

Json outputs_of(const Estimate& estimate, std::uint64_t seed) {
  Json out = {{"theta", graph_record(estimate.Theta, seed)}};
  if (estimate.Z) out["z"] = graph_record(*estimate.Z, seed);
  return out;
}

std::optional<Json> work_on_animals(const Study& study, const std::string& source,
                                    const TrainJob& job, const Animals& animals,
                                    const PartContext& context) {
  Problem problem{.S = empirical_covariance(animals.X), .n = double(animals.X.rows())};
  problem.X = &animals.X;
  if (!is_trained(source)) {
    const Estimate estimate = make_method(source, study.models)->estimate(problem);
    Json out = outputs_of(estimate, study.seed);
    for (const auto& [name, value] : estimate.details) out["details"][name] = to_json(value);
    return out;
  }
  const std::optional<Trained> trained = train_job(study, job, context);
  if (!trained) return std::nullopt;
  const Estimate estimate = make_engine(*trained->model)->estimate(problem.S, problem.n);
  Json out = outputs_of(estimate, study.seed);
  out.update(training_record(trained->result));
  out["lr"] = job.preset.lr;
  forget_checkpoint(context);
  return out;
}

}  // namespace

Animals read_animals(const std::filesystem::path& path) {
  const Table table = read_table(path);
  if (table.columns.size() != std::size_t(table.values.cols()) || table.values.rows() < 2 ||
      !table.values.allFinite())
    throw Error(shown_path(path) +
                ": is not the Animals data: one column per animal with its name, one row of 0 and "
                "1 per question");
  return {table.columns, table.values};
}

const std::vector<AnimalsMethod>& animals_methods() {
  static const double none = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<AnimalsMethod> methods = {
      {"ubg", "ubg", "theta", 0.78},
      {"glasso", "glasso:lambda=0.047859949346427504", "theta", 0.61},
      {"glasso-cv", "glasso-cv", "theta", none},
      {"egfm", "egfm", "theta", 0.86},
      {"glad-z", "glad", "z", 0.72},
      {"glad-theta", "glad", "theta", none},
  };
  return methods;
}

Part animals_part(const Study& study, const std::string& source) {
  const auto animals = std::make_shared<const Animals>(read_animals(study.animals));
  Cell cell = study.scale.animals;
  if (std::size_t(animals->X.cols()) != cell.p)
    throw Error(shown_path(study.animals) + ": has " + std::to_string(animals->X.cols()) +
                " columns, the Animals data have " + std::to_string(cell.p));
  TrainJob job;
  if (is_trained(source)) job = learned_job(study, source, cell, 0);
  job.patience = 0;  // the paper: 100 epochs
  Part part;
  part.name = "animals-" + source.substr(0, source.find(':'));
  part.settings = cell_settings(study, "animals", cell, 0);
  part.settings["source"] = source;
  const auto* bytes = reinterpret_cast<const char*>(animals->X.data());
  part.settings["animals"] =
      fmt::format("{:016x}", digest({bytes, std::size_t(animals->X.size()) * sizeof(double)}));
  if (is_trained(source)) part.settings.update(to_json(job));
  part.cost = is_trained(source) ? training_cost(job) : 1;
  part.work = [&study, source, job, animals](const PartContext& context) {
    return work_on_animals(study, source, job, *animals, context);
  };
  return part;
}

}  // namespace spodnet::figures
