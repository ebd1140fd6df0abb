#pragma once

#include <memory>

#include "spodnet/methods/method.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet {

/// The models that come with the library as one method, `pretrained`, for any number of variables:
///   pretrained:form=auto|raw|standardized,target=nmse|f1|precision,sparsity=F
/// The target sets the dial of sparsity: the models' own thresholds, those with the best F1 of the
/// edges on development data, or fewer edges of which more are true. With form=auto the raw model
/// is used where the variances are of its range (pretrained_form) and it predicts either half of
/// the samples from the other about as well as the standardized one. Which form is used stands in
/// the estimate's details (standardized: 0 or 1).
class PretrainedMethod final : public Method {
 public:
  explicit PretrainedMethod(const MethodSpec& spec);

  std::string name() const override { return "pretrained"; }
  bool honours_constraints() const override { return true; }
  bool scale_thresholds(double sparsity) override;
  Estimate estimate(const Problem& problem) const override;

 private:
  bool raw_is_better(const Problem& problem) const;

  std::string form_;
  double target_ = 1;  ///< factor of the thresholds
  std::unique_ptr<Model> raw_, standardized_;
};

}  // namespace spodnet
