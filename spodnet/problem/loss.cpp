#include "spodnet/problem/loss.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

class FunctionLoss final : public Loss {
 public:
  FunctionLoss(std::string name, LossFunction function)
      : name_(std::move(name)), function_(std::move(function)) {}
  std::string name() const override { return name_; }
  double evaluate(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true, double weight,
                  MatrixMap G) const override {
    const double value = function_(Theta, Theta_true, G);
    G *= weight;
    return value;
  }

 private:
  std::string name_;
  LossFunction function_;
};

}  // namespace

void LossRegistry::add(LossPtr loss) {
  const std::string name = loss->name();
  std::erase_if(losses_, [&](const LossPtr& known) { return known->name() == name; });
  losses_.push_back(std::move(loss));
}

void LossRegistry::add(const std::string& name, LossFunction function) {
  add(std::make_shared<FunctionLoss>(name, std::move(function)));
}

LossPtr LossRegistry::find(const std::string& name) const {
  for (const LossPtr& loss : losses_)
    if (loss->name() == name) return loss;
  std::string known;
  for (const std::string& each : names()) known += (known.empty() ? "" : ", ") + each;
  throw Error("unknown loss '" + name + "': this program knows " + known);
}

std::vector<std::string> LossRegistry::names() const {
  std::vector<std::string> names;
  for (const LossPtr& loss : losses_) names.push_back(loss->name());
  return names;
}

LossRegistry builtin_losses() {
  LossRegistry losses;
  for (const auto& make :
       {make_mse, make_nmse, make_support, make_likelihood, make_balanced, make_log_stein})
    losses.add(make());
  return losses;
}

LossPtr builtin_loss(const std::string& name) { return builtin_losses().find(name); }

}  // namespace spodnet
