#pragma once

#include <array>
#include <iterator>
#include <memory>
#include <optional>

#include "spodnet/estimators/model_method.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet {

/// The models that come with the library as one method, `pretrained`, for any number of variables:
///   pretrained:form=auto|paper|raw|standardized|tables,target=nmse|f1|precision,sparsity=F,
///              rows=plain|robust,judge=true|false
/// The target sets the dial of sparsity: the models' own thresholds (of `tables` 1.25 times those
/// it learned), those with the best F1 of the edges on development data, or fewer edges of which
/// more are true. With form=auto the raw model is used where it knows such data (covariances of its
/// scale, of samples, where there are any, that could be Gaussian: gaussian_rows.hpp), else
/// `tables`, or `standardized` where the graph is the target (f1, precision) or there are more than
/// 1500 variables and n <= 2 p; the paper's takes the place of any where it knows such data and the
/// covariance looks like that of one of its matrices (paper_classifier.hpp). Which form was used
/// stands in the estimate (`form`). Where samples are given
/// the forms for tables count fewer of them if their tails are heavy (effective_samples). With
/// rows=robust the samples, which must be given, lose their tails before the estimate
/// (estimators/robust_rows.hpp); the form is chosen by the data as they are. The forms for tables
/// see variables in canonical signs (canonical_signs.hpp); the paper's and raw, which know the
/// signs of their matrices, see them as they are. An estimate that the data contradict is replaced,
/// first by that of another form (ladder.hpp), unless judge=false. Where the covariance was taken
/// for one of the paper's that speaks for it (Trust::likely): of these ill-conditioned matrices its
/// squared error is small where its likelihood is not.
class PretrainedMethod final : public Method {
 public:
  explicit PretrainedMethod(const MethodSpec& spec, const EngineOptions& engine = {});

  std::string name() const override { return "pretrained"; }
  bool needs_samples() const override { return robust_; }
  bool honours_constraints() const override { return true; }
  InputUnits input_units() const override { return InputUnits::of_data; }
  bool scale_thresholds(double sparsity) override;
  Estimate estimate(const Problem& problem) const override;
  std::vector<Estimate> estimate_all(std::span<const Problem> problems,
                                     ThreadPool* pool) const override;

 private:
  PretrainedForm choose(const Problem& problem) const;
  PretrainedForm choose(const Problem& problem, bool gaussian) const;  ///< whether rows could be
  bool uses_effective_samples(PretrainedForm form) const;
  Estimate estimate_by(PretrainedForm form, const Problem& problem) const;
  Estimate judged_by(Estimate estimate, PretrainedForm form, const Problem& problem) const;

  std::optional<PretrainedForm> form_;
  double target_ = 1;  ///< factor of the thresholds
  bool robust_ = false;
  bool judge_ = true;
  std::array<std::unique_ptr<ModelMethod>, std::size(kPretrainedForms)> models_;  ///< by form
};

}  // namespace spodnet
