// Random programs: values against the definition of each operation, gradients against differences.
#include <gtest/gtest.h>

#include "plain_program.hpp"
#include "random_program.hpp"
#include "spodnet/core/error.hpp"
#include "support/gradient_check.hpp"

namespace spodnet {
namespace {

using test::PlainProgram;

constexpr ProgramPart kParts[] = {ProgramPart::f, ProgramPart::threshold, ProgramPart::g};

double off(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    worst = std::max(worst, std::abs(a[k] - b[k]) / std::max(1.0, std::abs(b[k])));
  return worst;
}

/// Everything that has a gradient, in one vector, and back.
std::vector<double> flat(const ProgramArguments& at) {
  std::vector<double> all = at.weights;
  for (const auto& [name, values] : at.inputs) all.insert(all.end(), values.begin(), values.end());
  return all;
}
ProgramArguments moved(ProgramArguments at, std::span<const double> all) {
  std::size_t k = 0;
  for (double& x : at.weights) x = all[k++];
  for (auto& [name, values] : at.inputs)
    for (double& x : values) x = all[k++];
  return at;
}

double gradient_error_of(const Program& program, const ProgramArguments& at, ProgramPart part,
                         std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<double> d_out(PlainProgram(program, at).of(part).size());
  for (double& d : d_out) d = random.normal();
  const ProgramAnswer answer = evaluate(program, part, at, d_out);
  std::vector<double> gradient = answer.d_weights;
  for (const auto& [name, values] : at.inputs) {
    const auto found = answer.d_inputs.find(name);
    if (found != answer.d_inputs.end())
      gradient.insert(gradient.end(), found->second.begin(), found->second.end());
    else
      gradient.insert(gradient.end(), values.size(), 0.0);
  }
  const auto loss = [&](std::span<const double> x) {
    const ProgramArguments there = moved(at, x);
    const std::vector<double> out = PlainProgram(program, there).of(part);
    double sum = 0;
    for (std::size_t k = 0; k < out.size(); ++k) sum += d_out[k] * out[k];
    return sum;
  };
  return test::gradient_error(loss, flat(at), gradient,
                              {.directions = 4, .coordinates = false, .smaller_steps = 2});
}

TEST(RandomPrograms, AreWhatTheirOperationsSay) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = test::RandomProgram(seed, seed % 2 == 1, seed % 3 == 0).make();
    const std::size_t B = 1 + seed % 4, p = seed % 10 == 0 ? 40 : 2 + seed % 7;
    const ProgramArguments at = test::random_arguments(program, B, p, seed);
    const PlainProgram plain(program, at);
    for (const ProgramPart part : kParts)
      ASSERT_LT(off(evaluate(program, part, at, {}).out, plain.of(part)), 1e-11)
          << "seed " << seed << ", part " << int(part);
  }
}

TEST(RandomPrograms, HaveTheGradientOfTheirValues) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = test::RandomProgram(seed, seed % 2 == 1, seed % 3 == 0).make();
    const ProgramArguments at = test::random_arguments(
        program, 1 + seed % 3, seed % 20 == 0 ? 40 : 2 + seed % 5, seed + 1000);
    for (const ProgramPart part : kParts)
      ASSERT_LT(gradient_error_of(program, at, part, seed), 2e-6)
          << "seed " << seed << ", part " << int(part);
  }
}

TEST(RandomPrograms, SurviveTheirText) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = test::RandomProgram(seed, seed % 2 == 1, true).make();
    const Program again = Program::parse(program.text(), "text");
    EXPECT_EQ(again.text(), program.text());
    const ProgramArguments at = test::random_arguments(program, 2, 5, seed);
    EXPECT_EQ(evaluate(again, ProgramPart::f, at, {}).out,
              evaluate(program, ProgramPart::f, at, {}).out);
  }
}

TEST(RandomPrograms, AreNotWrittenWithTheOperationsOfPlans) {
  const std::string text = test::RandomProgram(0, false, true).make().text();
  const std::string first = R"("op":"in")";
  ASSERT_NE(text.find(first), std::string::npos);
  for (const char* op : {"solve_back", "gate", "mul_add", "add_relu", "mul_add_relu"}) {
    std::string changed = text;
    changed.replace(changed.find(first), first.size(), R"("op":")" + std::string(op) + R"(")");
    try {
      Program::parse(changed, "text");
      ADD_FAILURE() << op;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("has no operation"), std::string::npos) << op;
    }
  }
}

}  // namespace
}  // namespace spodnet
