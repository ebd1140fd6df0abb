// How often the judge is right (docs/models.md), both ways: random tables whose truth is known.
//   judged_tables COUNT SEED [METHOD...]
// METHOD is pretrained or pretrained:form=... . Tables of twelve kinds (tests/support/
// random_tables.hpp), p 2 to 60, and problems as `tables` was trained on, p 2 to 100. The margin of
// an estimate is by how much its numbers (estimators/judge.hpp) pass 0.1 and 0.55, in units of
// their noise e: above 1 it is replaced.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "experiments/program.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/estimators/effective_samples.hpp"
#include "spodnet/estimators/judge.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/generate/table_problem.hpp"
#include "spodnet/models/model.hpp"
#include "tests/support/random_tables.hpp"

namespace spodnet::experiments {
namespace {

using test::JudgedTruth;
using test::RandomTable;

RandomTable table_of_training(std::uint64_t seed, std::uint64_t index) {
  const MatrixPair drawn =
      draw_table_problem({.ratio = {0.4, 50}, .dense = 0.45, .rough = 0.5, .seed = seed}, index);
  return {.kind = "training", .S = drawn.S, .n = drawn.n, .X = {}, .Theta_true = drawn.Theta_true};
}

struct Judged {
  JudgedTruth truth;
  double margin = 0, loss_after = 0;
  bool replaced = false;
};

double margin_of(const Problem& problem, const Estimate& estimate) {
  const Verdict v = Judge(problem)(estimate.Theta, estimate.W);
  const double e = std::sqrt(2 / (effective_samples(problem) * double(problem.S.rows())));
  return (std::min(std::min(v.behind, v.loss) - 0.1, (v.behind + v.loss) / 2 - 0.55)) / e;
}

Judged judged(const RandomTable& table, const Method& plain, const Method& with_judge) {
  const Problem problem = table.problem();
  const Estimate before = plain.estimate(problem), after = with_judge.estimate(problem);
  Judged out;
  out.truth = test::judged_truth(table, before.Theta);
  out.margin = margin_of(problem, before);
  out.replaced = after.status == Status::replaced;
  out.loss_after = test::loss_of(after.Theta, table.Theta_true);
  return out;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[std::size_t(share * double(values.size() - 1))];
}

void print(const std::string& name, const char* source, const std::vector<Judged>& all) {
  std::vector<double> good, absurd, before, after;
  std::size_t good_replaced = 0, absurd_kept = 0, better = 0;
  for (const Judged& each : all) {
    if (each.truth.good) good.push_back(each.margin), good_replaced += each.replaced;
    if (each.truth.absurd) absurd.push_back(each.margin), absurd_kept += !each.replaced;
    if (!each.replaced) continue;
    before.push_back(each.truth.loss), after.push_back(each.loss_after);
    better += each.loss_after < each.truth.loss;
  }
  fmt::print("| `{}` | {} | {} | {} of {} | {} of {} | {}, {} better | {:.2f}, {:.2f} |", name,
             source, all.size(), good_replaced, good.size(), absurd_kept, absurd.size(),
             before.size(), better, quantile(before, 0.5), quantile(after, 0.5));
  fmt::print(" {:.2f}, {:.2f}, {:.2f}; {:.2f} |\n", quantile(good, 0.99), quantile(good, 0.9999),
             quantile(good, 1), quantile(absurd, 0.01));
}

int run(int argc, char** argv) {
  if (argc < 3) throw Error("usage: judged_tables COUNT SEED [METHOD...]");
  const auto count = std::size_t(std::atoll(argv[1]));
  const auto seed = std::uint64_t(std::atoll(argv[2]));
  std::vector<std::string> names(argv + 3, argv + argc);
  if (names.empty()) names = {"pretrained", "pretrained:form=tables"};
  ThreadPool pool(0);
  fmt::print(
      "| method | tables | number | good, replaced | absurd, not replaced | replaced | their "
      "median "
      "loss before, after | margin of good: 99 %, 99.99 %, most; of absurd: 1 % |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : names) {
    const auto with_judge = make_method(name, builtin_models());
    const auto plain = make_method(
        name + (name.find(':') == std::string::npos ? ":" : ",") + "judge=false", builtin_models());
    for (const bool training : {false, true}) {
      std::vector<Judged> all(count);
      pool.run(count, [&](std::size_t k, int) {
        all[k] = judged(
            training ? table_of_training(seed, k) : test::random_table(seed, k, {.most_p = 60}),
            *plain, *with_judge);
      });
      print(name, training ? "as trained on" : "twelve kinds", all);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("judged_tables", run, argc, argv);
}
