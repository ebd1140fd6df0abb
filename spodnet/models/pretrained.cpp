#include "spodnet/models/pretrained.hpp"

#include <cmath>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet {
namespace {

/// Mean and spread (standard deviation) of the true log variances of the paper's matrices, for
/// which the raw model was trained: -0.1 ... 0.4 and 0 ... 1.06 for p = 5 ... 200, alpha = 0.6 ...
/// 0.98.
constexpr double kLeastLevel = -0.12, kLargestLevel = 0.45, kLargestSpread = 1.1;
/// Standard errors by which the samples' variances may leave that range.
constexpr double kErrors = 3;
/// Below this share of the spread that sampling alone causes, sqrt(2 / n), variances are equal.
constexpr double kEqualShare = 0.3;

}  // namespace

std::string to_string(PretrainedForm form) {
  return form == PretrainedForm::raw ? "raw" : "standardized";
}

std::unique_ptr<Model> pretrained_model(PretrainedForm form) {
  const std::string name = to_string(form);
  return model_from_tensors(parse_safetensors(pretrained_file(name), "pretrained " + name),
                            "pretrained " + name, builtin_models());
}

PretrainedForm pretrained_form(const MatrixRef& S, double n) {
  if (!(S.diagonal().array() > 0).all()) return PretrainedForm::standardized;
  const Eigen::ArrayXd logs = S.diagonal().array().log();
  const double mean = logs.mean(), spread = std::sqrt((logs - mean).square().mean());
  const double level = mean + 2 / n;  // E log s_jj is about log sigma_jj - 2 / n
  const double noise = std::sqrt(2 / n), error = noise / std::sqrt(double(S.rows()));
  const bool in_range = level > kLeastLevel - kErrors * error &&
                        level < kLargestLevel + kErrors * error &&
                        spread < std::hypot(kLargestSpread, noise);
  const bool as_sampled = spread > kEqualShare * noise;
  return in_range && as_sampled ? PretrainedForm::raw : PretrainedForm::standardized;
}

}  // namespace spodnet
