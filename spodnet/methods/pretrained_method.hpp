#pragma once

#include <array>
#include <memory>
#include <optional>

#include "spodnet/methods/method.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet {

/// The models that come with the library as one method, `pretrained`, for any number of variables:
///   pretrained:form=auto|paper|raw|standardized,target=nmse|f1|precision,sparsity=F
/// The target sets the dial of sparsity: the models' own thresholds, those with the best F1 of the
/// edges on development data, or fewer edges of which more are true. With form=auto the raw model
/// is used where it knows such data, else the standardized one; the paper's takes the place of
/// either where it knows such data and the covariance looks like that of one of its matrices
/// (papers_kind.hpp). Which form was used stands in the estimate's details (paper, standardized: 0
/// or 1).
class PretrainedMethod final : public Method {
 public:
  explicit PretrainedMethod(const MethodSpec& spec);

  std::string name() const override { return "pretrained"; }
  bool honours_constraints() const override { return true; }
  bool scale_thresholds(double sparsity) override;
  Estimate estimate(const Problem& problem) const override;

 private:
  PretrainedForm choose(const Problem& problem) const;
  const Model& model(PretrainedForm form) const { return *models_[std::size_t(form)]; }

  std::optional<PretrainedForm> form_;
  double target_ = 1;  ///< factor of the thresholds
  std::array<std::unique_ptr<Model>, 3> models_;
};

}  // namespace spodnet
