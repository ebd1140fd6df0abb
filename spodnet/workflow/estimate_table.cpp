#include "spodnet/workflow/estimate_table.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

namespace spodnet {

PosedTable pose_table(const Prepared& data, const PoseOptions& options) {
  PosedTable out;
  if (data.X.size() == 0) {
    out.S = data.S;
    out.n = data.moments.n;
    return out;
  }
  if (options.uncentred && !data.plain())
    throw Error("a covariance about 0 needs every value, and no ranks, levels or weights");
  const bool standardize = options.standardize && !options.uncentred;
  WorkingData working = working_data(data, standardize, options.order);
  if (!standardize && data.plain()) {
    out.S = empirical_covariance(data.X, {.centred = !options.uncentred});
    out.X = std::move(working.Y);
    out.n = double(data.X.rows());
    return out;
  }
  out.complete = working.complete();
  out.S = std::move(working.all.S);
  out.X = std::move(working.all.X);
  out.n = working.all.n;
  if (standardize) out.scale = working.scale;
  return out;
}

bool wants_standard_units(const Method& method) {
  return method.input_units() == InputUnits::standardized;
}

Estimate estimate_posed(const PosedTable& table, std::shared_ptr<const Method> method,
                        const Constraints* constraints, ThreadPool* pool) {
  if (method->needs_samples() && table.X.size() == 0)
    throw Error("method '" + method->name() + "' needs the samples, a covariance has none");
  if (!table.complete) method = fitted_to_given_covariance(std::move(method));
  const Problem problem{.S = table.S,
                        .n = table.n,
                        .X = table.X.size() > 0 ? &table.X : nullptr,
                        .pool = pool,
                        .constraints = constraints};
  Estimate out = method->estimate(problem);
  if (table.scale.size() > 0) to_data_units(out, table.scale);
  if (out.status == Status::ok && !(out.Theta.allFinite() && out.W.allFinite())) {
    out.status = Status::not_finite;
    out.message = "the estimate has numbers beyond their range; rescale the variables";
  }
  return out;
}

}  // namespace spodnet
