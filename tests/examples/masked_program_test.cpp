// The rule of docs/extending.md, by hand and as expressions: the same estimates and gradients.
#include "examples/masked_program.hpp"

#include <gtest/gtest.h>

#include "examples/masked_rule.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/program_model.hpp"
#include "support/engine_calls.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kMaskedP = 7;

ModelRegistry with_masked_program() {
  ModelRegistry models = builtin_models();
  add_program(models, "masked", [](std::size_t) {
    return program::make_program(masked, program::paper_margin(), program::paper_threshold());
  });
  return models;
}

std::vector<double> band(std::size_t p) {
  std::vector<double> mask(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) mask[i * p + j] = std::max(i, j) - std::min(i, j) < 3;
  return mask;
}

TEST(MaskedProgram, IsTheRuleWrittenByHand) {
  const ModelConfig config{.model = "masked", .p = kMaskedP, .layers = 2, .scaling = Scaling::clip};
  const RuleShape shape{kMaskedP, {}, false};
  Network<MaskedRule> by_hand(config, MaskedRule(shape, band(kMaskedP)));
  by_hand.parameters().initialise(2);
  const auto model = with_masked_program().make(config);
  for (const ParameterView& view : by_hand.parameters().layout.views()) {
    const auto from = by_hand.parameters().view(view.name);
    std::copy(from.begin(), from.end(), model->parameters().view(view.name).begin());
  }
  const test::ToyData data(6, kMaskedP, 3);
  ThreadPool pool(1);
  std::vector<double> expected(by_hand.parameters().values.size()),
      got(model->parameters().values.size());
  const double loss = test::loss_gradient(by_hand, data.samples, expected, pool).loss;
  EXPECT_NEAR(test::loss_gradient(*model, data.samples, got, pool).loss, loss, 1e-11 * loss);
  for (const ParameterView& view : by_hand.parameters().layout.views())
    for (std::size_t k = 0; k < view.size; ++k)
      EXPECT_NEAR(got[model->parameters().find(view.name)->offset + k], expected[view.offset + k],
                  1e-9 * (1 + std::abs(expected[view.offset + k])))
          << view.name;
}

TEST(MaskedProgram, ItsFileIsReadByEveryProgram) {
  const test::TemporaryFolder folder;
  const auto model = with_masked_program().make({.model = "masked", .p = kMaskedP});
  model->parameters().initialise(4);
  save_model(folder / "masked.safetensors", *model);
  const auto again = load_model(folder / "masked.safetensors", builtin_models());
  const test::ToyData data(1, kMaskedP, 5);
  const Matrix Theta = test::estimate(*again, data.S[0], 50).Theta;
  EXPECT_EQ(Theta, test::estimate(*model, data.S[0], 50).Theta);
  EXPECT_LE((Theta - Matrix(Theta.diagonal().asDiagonal())).maxCoeff(), 0.0);
}

}  // namespace
}  // namespace spodnet
