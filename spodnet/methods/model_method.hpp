#pragma once

#include <memory>
#include <string>

#include "spodnet/methods/method.hpp"

namespace spodnet {

/// A model's estimate of a problem, within its constraints where there are any.
Estimate estimate_problem(const Model& model, const Problem& problem);

/// A trained model as a method; problems of another size than the model's are refused, unless it
/// is for any size.
class ModelMethod : public Method {
 public:
  ModelMethod(std::string name, std::unique_ptr<Model> model);
  std::string name() const override { return name_; }
  bool honours_constraints() const override { return model_->honours_constraints(); }
  bool scale_thresholds(double sparsity) override;
  Estimate estimate(const Problem& problem) const override;
  const Model& model() const { return *model_; }
  Model& model() { return *model_; }

 private:
  std::string name_;
  std::unique_ptr<Model> model_;
};

}  // namespace spodnet
