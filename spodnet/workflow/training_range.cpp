#include "spodnet/workflow/training_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/devices/devices.hpp"
#include "spodnet/metrics/largest_eigenvalue.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet {
namespace {

constexpr double kSamplesRatio = 1.5, kMargin = 1.25;

void widen(ShapeRange& range, const ShapeNumbers& numbers, bool first) {
  for (double ShapeNumbers::*member : {&ShapeNumbers::scale, &ShapeNumbers::spread,
                                       &ShapeNumbers::strongest, &ShapeNumbers::density}) {
    const double value = numbers.*member;
    range.low.*member = first ? value : std::min(range.low.*member, value);
    range.high.*member = first ? value : std::max(range.high.*member, value);
  }
}

}  // namespace

ShapeNumbers shape_numbers(const Matrix& S, const Matrix& Theta) {
  const Vector variance = S.diagonal(), inverse = variance.cwiseSqrt().cwiseInverse();
  const double p = double(S.rows());
  return {
      .scale = variance.mean(),
      .spread = variance.maxCoeff() / variance.minCoeff(),
      .strongest = largest_eigenvalue(Matrix(inverse.asDiagonal() * S * inverse.asDiagonal())) / p,
      .density = density(Theta)};
}

ShapeRange training_range(const Model& model, const TrainingPlan& plan, std::size_t count,
                          ThreadPool& pool) {
  TrainingPlan fresh = plan;
  fresh.seed = plan.seed + 2'000'000;
  const DataSet data = plan_data(fresh, 0, count, false, pool);
  const auto engine = make_engine(model, {.pool = &pool});
  const std::vector<Estimate> estimates = engine->estimate(samples(data), {});
  std::vector<ShapeNumbers> numbers(count);
  pool.run(count,
           [&](std::size_t k, int) { numbers[k] = shape_numbers(data.S[k], estimates[k].Theta); });
  ShapeRange range;
  for (std::size_t k = 0; k < count; ++k) widen(range, numbers[k], k == 0);
  return range;
}

std::vector<DataNote> range_warnings(const ShapeNumbers& numbers, double n, const ShapeRange& range,
                                     const TrainingPlan& plan) {
  std::vector<DataNote> out;
  const auto warn = [&](std::string text, Advice advice) {
    out.push_back({true, std::move(text), advice});
  };
  const double ratio = n / double(plan.n);
  if (ratio > kSamplesRatio || ratio < 1 / kSamplesRatio)
    warn(fmt::format("the model was trained on {} samples of {} variables, these data have {:.0f}: "
                     "it {} them; choose the method by the data",
                     plan.n, plan.p, n, ratio > 1 ? "trusts too little in" : "trusts too much in"),
         Advice::auto_method);
  const auto beyond = [](double value, double low, double high) {
    return value > kMargin * high || value < low / kMargin;
  };
  if (beyond(numbers.scale, range.low.scale, range.high.scale))
    warn(fmt::format("the variances are {:.3g} on average, {:.3g} to {:.3g} in the model's "
                     "training: estimate in standard units or with glasso-cv",
                     numbers.scale, range.low.scale, range.high.scale),
         Advice::standardize);
  else if (numbers.spread > kMargin * range.high.spread)
    warn(fmt::format("the largest variance is {:.3g} times the smallest, at most {:.3g} times in "
                     "the model's training: estimate in standard units or with glasso-cv",
                     numbers.spread, range.high.spread),
         Advice::standardize);
  if (numbers.strongest > kMargin * range.high.strongest)
    warn(
        fmt::format("one direction carries {:.0f} % of the variance, {:.0f} to {:.0f} % in the "
                    "model's training: the variables move together more than in any sparse graph "
                    "it has seen (a common cause, or groups of rows); compare with glasso-cv",
                    100 * numbers.strongest, 100 * range.low.strongest, 100 * range.high.strongest),
        Advice::glasso_cv);
  if (numbers.density > kMargin * range.high.density)
    warn(fmt::format("the graph joins {:.0f} % of the pairs, {:.0f} to {:.0f} % in the model's "
                     "training: denser than all graphs of its training",
                     100 * numbers.density, 100 * range.low.density, 100 * range.high.density),
         Advice::none);
  return out;
}

}  // namespace spodnet
