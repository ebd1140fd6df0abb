#include "spodnet/models/pretrained.hpp"

#include <cmath>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet {
namespace {

/// Mean and spread (standard deviation) of the true log variances of a kind of matrices.
struct Scale {
  double least, largest, spread;
};

constexpr Eigen::Index kLargestRaw = 320;  ///< variables in the training of `raw`

/// The paper's: -0.1 ... 0.4 and 0 ... 1.06 for p = 5 ... 200, alpha = 0.6 ... 0.98.
constexpr Scale kPaper{-0.12, 0.45, 1.1};
/// 98 % of the others that `raw` has seen: -3.2 ... 3.9 and 0 ... 1.6.
constexpr Scale kRaw{-3.2, 3.9, 1.6};
/// Standard errors by which the samples' variances may leave that range.
constexpr double kErrors = 3;
/// Below this share of the spread that sampling alone causes, sqrt(2 / n), variances are equal.
constexpr double kEqualShare = 0.3;

}  // namespace

std::string to_string(PretrainedForm form) {
  constexpr const char* kNames[] = {"paper", "raw", "standardized", "tables"};
  return kNames[std::size_t(form)];
}

std::unique_ptr<Model> pretrained_model(PretrainedForm form) {
  const std::string name = to_string(form);
  return model_from_tensors(parse_safetensors(pretrained_file(name), "pretrained " + name),
                            "pretrained " + name, builtin_models());
}

bool within_training_range(PretrainedForm form, const MatrixRef& S, double n) {
  if (form == PretrainedForm::standardized || form == PretrainedForm::tables) return true;
  if (form == PretrainedForm::raw && S.rows() > kLargestRaw) return false;
  if (!(S.diagonal().array() > 0).all()) return false;
  const Scale& scale = form == PretrainedForm::paper ? kPaper : kRaw;
  const Eigen::ArrayXd logs = S.diagonal().array().log();
  const double mean = logs.mean(), spread = std::sqrt((logs - mean).square().mean());
  const double level = mean + 2 / n;  // E log s_jj is about log sigma_jj - 2 / n
  const double noise = std::sqrt(2 / n), error = noise / std::sqrt(double(S.rows()));
  const bool in_range = level > scale.least - kErrors * error &&
                        level < scale.largest + kErrors * error &&
                        spread < std::hypot(scale.spread, noise);
  return in_range && spread > kEqualShare * noise;
}

}  // namespace spodnet
