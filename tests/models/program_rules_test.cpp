// The library's rules, written by hand and as programs: the same estimates and gradients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/devices/devices.hpp"
#include "spodnet/models/consistent_any.hpp"
#include "spodnet/models/e2e.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pnp.hpp"
#include "spodnet/models/pnp_any.hpp"
#include "spodnet/models/program_model.hpp"
#include "spodnet/models/ubg.hpp"
#include "support/rule_programs.hpp"
#include "support/toy_data.hpp"

namespace spodnet {
namespace {

using program::AnyPrograms;
using program::PaperPrograms;
using test::ToyData;

/// What a model says of some samples: outputs, the gradients of parameters by name, and of S.
struct Answers {
  std::vector<double> Theta, W, d_S;
  std::map<std::string, std::vector<double>> d;
};

Answers answers_of(const Model& model, std::span<const Sample> samples, const Matrix& G,
                   bool of_S) {
  const std::size_t p = samples[0].p, entries = p * p, count = samples.size();
  const auto engine = make_engine(model, {.threads = 2});
  Answers out;
  out.Theta.resize(count * entries), out.W = out.d_S = out.Theta;
  std::vector<Status> status(count);
  engine->forward(samples, out.Theta.data(), out.W.data(), status);
  for (const Status each : status) EXPECT_EQ(each, Status::ok);
  std::vector<double> d_Theta, gradient(model.parameters().values.size());
  for (std::size_t k = 0; k < count; ++k)
    d_Theta.insert(d_Theta.end(), G.data(), G.data() + entries);
  engine->backward(d_Theta.data(), gradient, of_S ? out.d_S.data() : nullptr);
  for (const ParameterView& view : model.parameters().layout.views())
    out.d[view.name].assign(gradient.begin() + long(view.offset),
                            gradient.begin() + long(view.offset + view.size));
  return out;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    difference = std::hypot(difference, a[k] - b[k]);
    size = std::hypot(size, b[k]);
  }
  return a.size() == b.size() ? difference / std::max(size, 1e-3) : INFINITY;
}

/// The program gives what the rule gives; its weights are taken from there by name.
void expect_same(const Model& by_hand, Model& model, std::span<const Sample> samples, bool of_S) {
  for (const ParameterView& view : by_hand.parameters().layout.views()) {
    const auto from = by_hand.parameters().view(view.name);
    std::copy(from.begin(), from.end(), model.parameters().view(view.name).begin());
  }
  const std::size_t p = samples[0].p;
  Matrix G(p, p);
  RandomStream random(1);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j) G(i, j) = G(j, i) = random.normal();
  const Answers expected = answers_of(by_hand, samples, G, of_S);
  const Answers got = answers_of(model, samples, G, of_S);
  EXPECT_LT(apart(got.Theta, expected.Theta), 1e-10);
  EXPECT_LT(apart(got.W, expected.W), 1e-10);
  if (of_S) {
    EXPECT_LT(apart(got.d_S, expected.d_S), 1e-8);
  }
  for (const auto& [name, d] : expected.d) {
    ASSERT_TRUE(got.d.count(name)) << name;
    EXPECT_LT(apart(got.d.at(name), d), 1e-8) << name;
  }
}

template <ColumnRule Rule>
void expect_same(const ModelConfig& config, const Program& program, bool of_S = false,
                 std::size_t p = 9) {
  Network<Rule> by_hand(config, Rule(RuleShape{config.p, {}, false}));
  by_hand.parameters().initialise(7);
  expect_same(by_hand, *make_program_model({program}, config, 1), ToyData(7, p, 3).samples, of_S);
}

ModelConfig config_of(std::size_t p, Scaling scaling, bool tied, bool learn_offset) {
  ModelConfig config{.p = p, .layers = 2, .tied = tied, .scaling = scaling};
  config.learn_offset = learn_offset;
  return config;
}

TEST(RulesAsPrograms, Ubg) {
  expect_same<UbgRule>(config_of(9, Scaling::normalize, false, false), PaperPrograms{9}.ubg(),
                       true);
  expect_same<UbgRule>(config_of(9, Scaling::clip, true, true), PaperPrograms{9}.ubg(), true);
  expect_same<UbgRule>(config_of(9, Scaling::relative, false, true), PaperPrograms{9}.ubg(), true);
  expect_same<UbgRule>(config_of(9, Scaling::none, false, false), PaperPrograms{9}.ubg(), true);
}

/// Long rows, and gradients that are left to the end of the columns.
TEST(RulesAsPrograms, UbgOfManyVariables) {
  for (const bool of_S : {false, true})
    expect_same<UbgRule>(config_of(40, Scaling::normalize, false, false), PaperPrograms{40}.ubg(),
                         of_S, 40);
}

TEST(RulesAsPrograms, PnpAndE2e) {
  expect_same<PnpRule>(config_of(9, Scaling::clip, false, false), PaperPrograms{9}.pnp(), true);
  expect_same<E2eRule>(config_of(9, Scaling::clip, false, true), PaperPrograms{9}.e2e(), true);
}

TEST(RulesAsPrograms, AnyNumberOfVariables) {
  expect_same<UbgAnyRule>(config_of(0, Scaling::relative, false, true), AnyPrograms().ubg());
  expect_same<PnpAnyRule>(config_of(0, Scaling::clip, false, true), AnyPrograms().pnp());
}

/// What it writes into a column, from the start S + a I: its learned start is hidden.
class ConsistentColumns : public ConsistentAnyRule {
  using Start = void;

 public:
  using ConsistentAnyRule::ConsistentAnyRule;
};
static_assert(!HasStart<ConsistentColumns>);

TEST(RulesAsPrograms, ConsistentAny) {
  const ToyData data(3, 9, 3);
  for (const std::size_t adapt : {0, 3})
    for (const double n : {12.0, 50.0, 5000.0}) {
      SCOPED_TRACE(fmt::format("n = {}, adapt = {}", n, adapt));
      Sample sample = data.samples[adapt == 0 ? 0 : 2];
      sample.n = n;
      const CovarianceSummary summary = summarize(sample.S, sample.p);
      const Program program =
          AnyPrograms({summary.begin(), summary.end()}, long(adapt)).consistent();
      ModelConfig config = config_of(0, Scaling::clip, false, false);
      const auto model = make_program_model({program}, config, 1);
      config.summary = true;
      RuleShape shape{0, {}, true};
      if (adapt > 0) shape.widths = {{"lambda_adapt", adapt}, {"psi_adapt", adapt}};
      Network<ConsistentColumns> by_hand(config, ConsistentColumns(shape));
      by_hand.parameters().initialise(7);
      RandomStream random(2);
      for (double& x : by_hand.parameters().values) x += 0.1 * random.normal();
      expect_same(by_hand, *model, {&sample, 1}, false);
    }
}

}  // namespace
}  // namespace spodnet
