// What the layer ignores: entry i and the padding of whatever a rule writes.
#include <gtest/gtest.h>

#include <limits>

#include "layer/curious_rule.hpp"
#include "layer/given_rule.hpp"
#include "spodnet/models/network.hpp"
#include "support/engine_calls.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

/// A rule that leaves NaN at entry i and in the padding of everything it writes.
class UntidyRule : public CuriousRule {
 public:
  using CuriousRule::CuriousRule;

  void preactivation(const Prepared& prepared, const Column& x, double* z, Tape& tape) const {
    CuriousRule::preactivation(prepared, x, z, tape);
    litter(x, z);
  }
  void preactivation_backward(const Prepared& prepared, const Column& x, const double* d_z,
                              Tape& tape, double* d, ColumnAdjoint& adjoint) const {
    CuriousRule::preactivation_backward(prepared, x, d_z, tape, d, adjoint);
    litter(x, adjoint.d_theta_12);
    litter(x, adjoint.d_w_12);
  }
  void thresholds(const Prepared& prepared, const Column& x, const double* z, double* lambda,
                  Tape& tape) const {
    CuriousRule::thresholds(prepared, x, z, lambda, tape);
    litter(x, lambda);
  }
  void thresholds_backward(const Prepared& prepared, const Column& x, const double* z,
                           const double* d_lambda, Tape& tape, double* d, double* d_z,
                           ColumnAdjoint& adjoint) const {
    CuriousRule::thresholds_backward(prepared, x, z, d_lambda, tape, d, d_z, adjoint);
    litter(x, d_z);
  }

 private:
  static void litter(const Column& x, double* written) {
    written[x.i] = std::numeric_limits<double>::quiet_NaN();
    std::fill(written + x.p, written + padded(x.p), written[x.i]);
  }
};

template <class Rule>
std::vector<double> loss_and_gradient(const ModelConfig& config, const ToyData& data) {
  Network<Rule> network(config, Rule(RuleShape{config.p, {}}));
  network.parameters().initialise(3);
  ThreadPool pool(1);
  std::vector<double> gradient(network.parameters().values.size());
  const BatchLoss loss = loss_gradient(network, data.samples, gradient, pool);
  EXPECT_EQ(loss.status, Status::ok);
  EXPECT_EQ(loss.refreshes, 0) << "a step was tried again";
  gradient.push_back(loss.loss);
  return gradient;
}

TEST(UntidyRule, IsTrainedLikeATidyOne) {
  for (const std::size_t p : {1, 2, 5, 8, 9})
    for (const Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none})
      for (const int layers : {1, 2}) {
        const ModelConfig config{
            .p = p, .layers = layers, .scaling = scaling, .learn_offset = layers > 1};
        const ToyData data(2, p);
        EXPECT_EQ(loss_and_gradient<UntidyRule>(config, data),
                  loss_and_gradient<CuriousRule>(config, data))
            << "p = " << p << ", " << to_string(scaling) << ", K = " << layers;
      }
}

TEST(InfiniteThreshold, IsAZeroForEverySparsity) {
  GivenRule rule;
  rule.z = [](const Column&, std::size_t) { return 1.0; };
  rule.lambda = [](const Column& c, std::size_t j) { return (c.i + j) % 3 ? 0.1 : INFINITY; };
  Network<GivenRule> network({.model = "given", .p = 9}, rule);
  const ToyData data(1, 9);
  for (const double sparsity : {0.0, 0.5, 1.0, 2.0}) {
    const Estimate got = estimate(network, data.S[0], 20, sparsity);
    ASSERT_EQ(got.status, Status::ok) << got.message;
    for (Eigen::Index r = 0; r < 9; ++r)
      for (Eigen::Index c = 0; c < r; ++c)
        EXPECT_EQ(got.Theta(r, c) == 0.0, (r + c) % 3 == 0) << sparsity;
  }
}

}  // namespace
}  // namespace spodnet::test
