#include "spodnet/models/pretrained.hpp"

#include <cmath>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet {
namespace {

/// Mean and spread (standard deviation) of the log variances of the paper's matrices, for which the
/// raw model was trained: -0.8 ... 0.4 and 0.1 ... 1.1 over all p, n and alpha.
constexpr double kLeastLevel = -0.9, kLargestLevel = 0.6, kLargestSpread = 1.2;
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
  const double level = logs.mean(), spread = std::sqrt((logs - level).square().mean());
  const bool in_range = level > kLeastLevel && level < kLargestLevel && spread < kLargestSpread;
  const bool as_sampled = spread > kEqualShare * std::sqrt(2 / n);
  return in_range && as_sampled ? PretrainedForm::raw : PretrainedForm::standardized;
}

}  // namespace spodnet
