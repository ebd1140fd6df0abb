// What must stay stays: small random tables of twelve kinds, prepared and estimated as the commands
// do it, once more after a change that should not matter. A fixed number of them here; ./test
// --soak MINUTES goes on with new ones (SPODNET_SOAK_MINUTES).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/judge.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/workflow/working_data.hpp"
#include "support/random_tables.hpp"

namespace spodnet::test {
namespace {

constexpr std::uint64_t kSoakSeed = 2026, kTablesOfTest = 1200;
constexpr double kSame = 1e-5;  ///< of partial correlations: rounding grows in the walk

/// A table as a user has it, and what the program makes of it.
struct UserTable {
  Matrix values;
  TableKind kind = TableKind::gaussian;
  Vector weight = {};
};

struct Estimated {
  Prepared data;
  Problem problem;
  TrainingPart part;
  Estimate estimate;  ///< in the units of `problem`
  Matrix partial;
};

Matrix partial_of(const Matrix& Theta) {
  const Vector inverse = Theta.diagonal().cwiseSqrt().cwiseInverse();
  return inverse.asDiagonal() * Theta * inverse.asDiagonal();
}

Estimated estimated_table(const Method& method, const UserTable& table) {
  PrepareOptions options;
  options.kind = table.kind;
  options.rows.weight = table.weight;
  Estimated out;
  out.data = prepare_samples({{}, {}, table.values}, options, "soak");
  const WorkingData working = working_data(out.data, true, {.shuffled = false});
  out.part = working.all;
  out.problem = {
      .S = out.part.S, .n = out.part.n, .X = out.part.X.size() > 0 ? &out.part.X : nullptr};
  out.estimate = method.estimate(out.problem);
  out.partial = partial_of(out.estimate.Theta);
  return out;
}

/// Nothing is called right that is not.
::testing::AssertionResult sound(const Estimated& got) {
  const Estimate& e = got.estimate;
  const auto wrong = [&](const char* what) {
    return ::testing::AssertionFailure() << what << ", status " << to_string(e.status);
  };
  if (!is_sound(e.status)) return ::testing::AssertionSuccess();
  if (!e.Theta.allFinite() || !e.W.allFinite()) return wrong("not finite");
  if (e.Theta != e.Theta.transpose() || e.W != e.W.transpose()) return wrong("not symmetric");
  if (!std::isfinite(spd_log_det(e.Theta))) return wrong("not SPD");
  const double size = e.Theta.norm() * e.W.norm();
  if (!(inverse_residual(e.Theta, e.W) < 1e-12 * size + 1e-9)) return wrong("W is not the inverse");
  if (!Judge(got.problem)(e.Theta).plausible) return wrong("contradicts the data");
  return ::testing::AssertionSuccess();
}

std::vector<std::uint32_t> shuffled(Eigen::Index count, RandomStream& random) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  return order;
}

Matrix with_column(const Matrix& X, const Vector& more) {
  Matrix out(X.rows(), X.cols() + 1);
  out << X, more;
  return out;
}

/// A change of a table and what becomes of the partial correlations: empty where they need not
/// stay.
struct Changed {
  UserTable table;
  Matrix partial;
};

Changed permuted_columns(const UserTable& t, const Estimated& before, RandomStream& random) {
  const auto order = shuffled(t.values.cols(), random);
  return {{t.values(Eigen::all, order), t.kind}, before.partial(order, order)};
}

Changed permuted_rows(const UserTable& t, const Estimated& before, RandomStream& random) {
  return {{t.values(shuffled(t.values.rows(), random), Eigen::all), t.kind}, before.partial};
}

Changed other_units(const UserTable& t, const Estimated& before, RandomStream& random) {
  UserTable out = t;
  for (Eigen::Index j = 0; j < out.values.cols(); ++j)
    out.values.col(j) *= std::pow(10, random.uniform(-4, 4));
  return {out, before.partial};
}

Changed flipped_signs(const UserTable& t, const Estimated& before, RandomStream& random) {
  Vector signs(t.values.cols());
  for (double& s : signs) s = random.below(2) == 0 ? 1 : -1;
  return {{t.values * signs.asDiagonal(), t.kind},
          signs.asDiagonal() * before.partial * signs.asDiagonal()};
}

Changed doubled_column(const UserTable& t, const Estimated& before, RandomStream& random) {
  const auto j = Eigen::Index(random.below(std::uint64_t(t.values.cols())));
  return {{with_column(t.values, t.values.col(j)), t.kind}, before.partial};
}

Changed constant_column(const UserTable& t, const Estimated& before, RandomStream& random) {
  const Vector constant = Vector::Constant(t.values.rows(), random.normal());
  return {{with_column(t.values, constant), t.kind}, before.partial};
}

/// S stays; what n is of rows that count half is another matter.
Changed halved_rows(const UserTable& t, const Estimated&, RandomStream&) {
  Matrix twice(2 * t.values.rows(), t.values.cols());
  twice << t.values, t.values;
  return {{twice, t.kind, Vector::Constant(twice.rows(), 0.5)}, {}};
}

Changed gaps(const UserTable& t, const Estimated&, RandomStream& random) {
  UserTable out = t;
  for (double& x : out.values.reshaped())
    if (random.uniform() < 0.15) x = std::nan("");
  return {out, {}};
}

Changed relabelled_levels(const UserTable& t, const Estimated& before, RandomStream& random) {
  if (t.kind != TableKind::ordinal) return permuted_rows(t, before, random);
  UserTable out = t;
  const double power = random.uniform(0.5, 3);
  for (double& x : out.values.reshaped()) x = 2 + std::pow(x + 1, power);
  return {out, before.partial};
}

/// Rows of Gaussian variables with the truth of a random table, some of them cut into levels.
UserTable user_table(std::uint64_t index, RandomStream& random) {
  const RandomTable drawn =
      random_table(kSoakSeed, index, {.least_p = 2, .most_p = 12, .most_ratio = 12});
  UserTable out;
  if (drawn.X.size() > 0 && drawn.kind != "paper") {
    out.values = drawn.X;
  } else {
    const auto rows = std::max<std::size_t>(12, std::size_t(drawn.n));
    out.values = sample_gaussian(drawn.Theta_true, rows, random);
  }
  if (drawn.kind != "levels") return out;
  out.kind = TableKind::ordinal;
  for (double& x : out.values.reshaped()) x = std::clamp(std::floor(1.3 * x + 2), 0.0, 4.0);
  return out;
}

using ChangeOf = Changed (*)(const UserTable&, const Estimated&, RandomStream&);
constexpr ChangeOf kChanges[] = {permuted_columns, permuted_rows,  other_units,
                                 flipped_signs,    doubled_column, constant_column,
                                 halved_rows,      gaps,           relabelled_levels};
constexpr const char* kChangeNames[] = {"columns permuted", "rows permuted",  "other units",
                                        "signs flipped",    "column doubled", "constant column",
                                        "rows halved",      "missing values", "levels relabelled"};

/// One table and one change of it.
void try_table(const Method& method, std::uint64_t index) {
  RandomStream random(kSoakSeed + 1, index);
  const std::size_t which = index % std::size(kChanges);
  const UserTable table = user_table(index / std::size(kChanges), random);
  const std::string where = fmt::format("table {}, {}", index, kChangeNames[which]);
  try {
    const Estimated before = estimated_table(method, table);
    ASSERT_TRUE(sound(before)) << where;
    const Changed changed = kChanges[which](table, before, random);
    const Estimated after = estimated_table(method, changed.table);
    ASSERT_TRUE(sound(after)) << where;
    // Eigenvalues that a repair made equal have any eigenvectors, which rounding decides.
    const bool repaired = before.data.moments.repair.needed;
    const bool all_kept = Eigen::Index(before.data.p()) == table.values.cols();
    if (changed.partial.size() == 0 || !all_kept || repaired) return;
    ASSERT_EQ(after.partial.rows(), changed.partial.rows()) << where;
    ASSERT_LT((after.partial - changed.partial).cwiseAbs().maxCoeff(), kSame) << where;
  } catch (const Error&) {  // fewer than two variables or rows are left: refused in words
  }
}

double soak_seconds() {
  const char* minutes = std::getenv("SPODNET_SOAK_MINUTES");
  return minutes ? 60 * std::atof(minutes) : 0;
}

TEST(Soak, WhatMustStayStays) {
  const auto method = make_method("pretrained", builtin_models());
  const double seconds = soak_seconds();
  const Stopwatch watch;
  std::uint64_t tried = 0;
  while ((tried < kTablesOfTest || watch.seconds() < seconds) && !HasFatalFailure())
    try_table(*method, tried++);
  RecordProperty("tables", int(tried));
  if (seconds > 0) std::printf("%llu tables\n", static_cast<unsigned long long>(tried));
}

}  // namespace
}  // namespace spodnet::test
