#include "spodnet/c/call.hpp"
#include "spodnet/c/handles.hpp"
#include "spodnet/c/options.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet::c {
namespace {

void put_estimate(const Prepared& data, const Method& method, const Estimate& estimate,
                  spod_result& out) {
  put(out, "precision", estimate.Theta);
  put(out, "covariance", estimate.W);
  const Matrix& graph = estimate.Z ? *estimate.Z : estimate.Theta;
  put(out, "partial", partial_correlations(graph, estimate.Theta));
  if (estimate.Z) put(out, "Z", *estimate.Z);
  if (data.moments.mean.size() > 0) out.numbers["mean"] = data.moments.mean;
  put(out, "sample_covariance", data.X.size() > 0 ? data.moments.covariance() : data.S);
  put(out, "n", data.moments.n);
  put(out, "residual", estimate.residual);
  if (!estimate.form.empty()) out.texts["form"] = {estimate.form};
  if (estimate.lambda) put(out, "lambda", *estimate.lambda);
  for (const auto& [name, value] : estimate.details) {
    out.texts["details"].push_back(name);
    out.numbers["details"].conservativeResize(Eigen::Index(out.texts["details"].size()), 1);
    out.numbers["details"](out.numbers["details"].rows() - 1, 0) = value;
  }
  if (estimate.scores.size() > 0) out.numbers["scores"] = estimate.scores;
  out.texts["scores.columns"] = estimate.score_columns;
  out.texts["names"] = data.names;
  for (const ColumnKind kind : data.kinds) out.texts["kinds"].push_back(to_string(kind));
  out.texts["method"] = {method.name()};
  out.texts["status"] = {std::string(to_string(estimate.status))};
  out.texts["message"] = {estimate.message};
  put_notes(out, notes_of(data));
}

}  // namespace
}  // namespace spodnet::c

using namespace spodnet;

extern "C" int spod_estimate(const spod_data* data, const char* text, spod_watch watch, void* user,
                             spod_result** result) {
  return c::guarded("spod_estimate", [&] {
    if (!data || !result) throw Error("spod_estimate: data and a place for the result are needed");
    c::Options options(text, "spod_estimate");
    const std::string name = options.text("method", "pretrained");
    const bool raw = !options.flag("standardize", true);
    const RowOrder order{options.count("seed", 0), !options.flag("folds_in_order", false)};
    const int threads = int(options.count("threads", 0));
    options.refuse_others();
    auto made = std::make_unique<spod_result>();
    Status status = Status::ok;
    c::watched(watch, user, threads, [&](const RunContext& run) {
      const std::shared_ptr<const Method> method = make_method(name, run.models, run.engine);
      const auto constraints = constraints_for(data->prepared, nullptr);
      WorkingData posed = pose(
          data->prepared, {.standardize = !raw && wants_standard_units(*method), .order = order});
      const Estimate estimate = estimate_table(std::move(posed), method,
                                               constraints ? &*constraints : nullptr, &run.pool);
      status = estimate.status;
      c::put_estimate(data->prepared, *method, estimate, *made);
    });
    c::put_names(*made);
    *result = made.release();
    return is_sound(status) ? SPOD_OK : SPOD_NUMERICAL;
  });
}
