#include "reproduce/classical.hpp"

#include <fmt/format.h>

#include "reproduce/cost.hpp"
#include "reproduce/measure.hpp"
#include "spodnet/estimators/method.hpp"

namespace spodnet::figures {
namespace {

std::optional<Json> score_truth(const DataSet& test, const PartContext& context) {
  return measure(test, context, [&](std::size_t k) {
    Estimate truth;
    truth.Theta = test.Theta_true[k];
    return truth;
  });
}

std::optional<Json> fit_classical(const Study& study, const std::string& name, const Cell& cell,
                                  int k, const PartContext& context) {
  const std::size_t count = study.scale.size(cell.p).test;
  const DataSet test = cell_data(study, "test", cell, k, count, true, context.pool);
  if (name == "truth") return score_truth(test, context);
  const std::unique_ptr<Method> method = make_method(name, study.models);
  return measure(test, context, [&](std::size_t i) {
    const Matrix X = test.X[i];
    return method->estimate({.S = test.S[i], .n = test.n, .X = &X});
  });
}

}  // namespace

Part classical_part(const Study& study, const std::string& method, const Cell& cell, int k) {
  const std::size_t count = study.scale.size(cell.p).test;
  Part part;
  part.name = fmt::format("{}-{}", method, cell_name(cell, k));
  part.settings = cell_settings(study, "classical", cell, k);
  part.settings["method"] = method;
  part.settings["test"] = count;
  part.cost = double(count) * (estimate_seconds(cell.p) + data_seconds(cell.p, cell.n) +
                               (method == "glasso-cv" ? glasso_cv_seconds(cell.p, cell.n) : 0));
  part.work = [&study, method, cell, k](const PartContext& context) {
    return fit_classical(study, method, cell, k, context);
  };
  return part;
}

}  // namespace spodnet::figures
