#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/workflow/working_data.hpp"
#include "support/random_tables.hpp"

namespace spodnet::test {

inline constexpr std::uint64_t kSoakSeed = 2026;

/// A table as a user has it, and what the program makes of it.
struct UserTable {
  Matrix values;
  TableKind kind = TableKind::gaussian;
  RowFacts rows = {};
};

struct Estimated {
  Prepared data;
  std::optional<Constraints> constraints;
  Problem problem;
  TrainingPart part;
  Estimate estimate;  ///< in the units of `problem`
  Matrix partial;
};

inline Matrix partial_of(const Matrix& Theta) {
  const Vector inverse = Theta.diagonal().cwiseSqrt().cwiseInverse();
  return inverse.asDiagonal() * Theta * inverse.asDiagonal();
}

inline Estimated estimated_table(const Method& method, const UserTable& table) {
  PrepareOptions options;
  options.kind = table.kind;
  options.rows = table.rows;
  Estimated out;
  out.data = prepare_samples({{}, {}, table.values}, options, "soak");
  const WorkingData working = working_data(out.data, true, {.shuffled = false});
  out.part = working.all;
  out.constraints = constraints_for(out.data, nullptr);
  out.problem = {.S = out.part.S,
                 .n = out.part.n,
                 .X = out.part.X.size() > 0 ? &out.part.X : nullptr,
                 .constraints = out.constraints ? &*out.constraints : nullptr};
  out.estimate = method.estimate(out.problem);
  out.partial = partial_of(out.estimate.Theta);
  return out;
}

inline std::vector<std::uint32_t> shuffled(Eigen::Index count, RandomStream& random) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  return order;
}

inline Matrix with_column(const Matrix& X, const Vector& more) {
  Matrix out(X.rows(), X.cols() + 1);
  out << X, more;
  return out;
}

/// A change of a table and what becomes of the partial correlations, or of the correlations of the
/// data alone: empty where they need not stay.
struct Changed {
  UserTable table;
  Matrix partial, R = {};
};

inline Changed permuted_columns(const UserTable& t, const Estimated& before, RandomStream& random) {
  const auto order = shuffled(t.values.cols(), random);
  return {{t.values(Eigen::all, order), t.kind}, before.partial(order, order)};
}

inline Changed permuted_rows(const UserTable& t, const Estimated& before, RandomStream& random) {
  return {{t.values(shuffled(t.values.rows(), random), Eigen::all), t.kind}, before.partial};
}

inline Changed other_units(const UserTable& t, const Estimated& before, RandomStream& random) {
  UserTable out = t;
  for (Eigen::Index j = 0; j < out.values.cols(); ++j)
    out.values.col(j) *= std::pow(10, random.uniform(-4, 4));
  return {out, before.partial};
}

inline Changed flipped_signs(const UserTable& t, const Estimated& before, RandomStream& random) {
  Vector signs(t.values.cols());
  for (double& s : signs) s = random.below(2) == 0 ? 1 : -1;
  return {{t.values * signs.asDiagonal(), t.kind},
          signs.asDiagonal() * before.partial * signs.asDiagonal()};
}

inline Changed doubled_column(const UserTable& t, const Estimated& before, RandomStream& random) {
  const auto j = Eigen::Index(random.below(std::uint64_t(t.values.cols())));
  return {{with_column(t.values, t.values.col(j)), t.kind}, before.partial};
}

inline Changed constant_column(const UserTable& t, const Estimated& before, RandomStream& random) {
  const Vector constant = Vector::Constant(t.values.rows(), random.normal());
  return {{with_column(t.values, constant), t.kind}, before.partial};
}

inline UserTable each_row_twice(const UserTable& t) {
  UserTable out = t;
  out.values.resize(2 * t.values.rows(), t.values.cols());
  out.values << t.values, t.values;
  out.rows.weight = Vector::Constant(out.values.rows(), 0.5);
  return out;
}

/// Where the number of rows counts, copies or not: at empty corners of levels, and where pairs were
/// seldom seen together.
inline bool counts_rows(const UserTable& t) {
  return t.kind != TableKind::gaussian || t.values.hasNaN();
}

/// Weights are relative: without a word on the copies these are twice as many rows.
inline Changed halved_rows(const UserTable& t, const Estimated& before, RandomStream&) {
  if (counts_rows(t)) return {each_row_twice(t), {}};
  return {each_row_twice(t), {}, before.data.moments.R};
}

inline Changed halved_rows_of_one_cluster(const UserTable& t, const Estimated& before,
                                          RandomStream&) {
  UserTable out = each_row_twice(t);
  for (std::uint32_t copy = 0; copy < 2; ++copy)
    for (Eigen::Index k = 0; k < t.values.rows(); ++k) out.rows.cluster.push_back(std::uint32_t(k));
  if (counts_rows(t)) return {out, {}};
  return {out, before.partial};
}

/// The table is cut from one with a column without a value and rows that do not count.
inline Changed cut_from_larger(const UserTable& t, const Estimated& before, RandomStream& random) {
  const Eigen::Index n = t.values.rows(), more = 1 + Eigen::Index(random.below(5));
  UserTable out = t;
  out.values = Matrix::Constant(n + more, t.values.cols() + 1, std::nan(""));
  out.values.topLeftCorner(n, t.values.cols()) = t.values;
  for (Eigen::Index k = n; k < n + more; ++k)
    out.values.row(k).head(t.values.cols()) =
        3 * t.values.row(Eigen::Index(random.below(std::uint64_t(n))));
  out.rows.weight = Vector::Ones(n + more);
  out.rows.weight.tail(more).setZero();
  if (!before.data.rows.cluster.empty()) return {out, {}};  // copies: with weights they are meant
  return {out, before.partial};
}

inline void leave_gaps(UserTable& table, RandomStream& random) {
  for (double& x : table.values.reshaped())
    if (random.uniform() < 0.15) x = std::nan("");
}

inline Changed gaps(const UserTable& t, const Estimated&, RandomStream& random) {
  UserTable out = t;
  leave_gaps(out, random);
  return {out, {}};
}

inline Changed relabelled_levels(const UserTable& t, const Estimated& before,
                                 RandomStream& random) {
  if (t.kind != TableKind::ordinal) return permuted_rows(t, before, random);
  UserTable out = t;
  const double power = random.uniform(0.5, 3);
  for (double& x : out.values.reshaped()) x = 2 + std::pow(x + 1, power);
  return {out, before.partial};
}

/// Rows of a random table; of some kinds Gaussian ones with its truth, cut into levels or with
/// gaps.
inline UserTable user_table(std::uint64_t index, RandomStream& random) {
  const RandomTable drawn =
      random_table(kSoakSeed, index, {.least_p = 2, .most_p = 12, .most_ratio = 12});
  UserTable out;
  if (drawn.X.size() > 0 && drawn.kind != "paper") {
    out.values = drawn.X;
  } else {
    const auto rows = std::max<std::size_t>(12, std::size_t(drawn.n));
    out.values = sample_gaussian(drawn.Theta_true, rows, random);
  }
  if (drawn.kind == "gaps") leave_gaps(out, random);
  if (drawn.kind == "counts") out.kind = TableKind::automatic;
  if (drawn.kind != "levels") return out;
  out.kind = TableKind::ordinal;
  for (double& x : out.values.reshaped()) x = std::clamp(std::floor(1.3 * x + 2), 0.0, 4.0);
  return out;
}

struct Change {
  const char* name;
  Changed (*of)(const UserTable&, const Estimated&, RandomStream&);
};
inline constexpr Change kChanges[] = {{"columns permuted", permuted_columns},
                                      {"rows permuted", permuted_rows},
                                      {"other units", other_units},
                                      {"signs flipped", flipped_signs},
                                      {"column doubled", doubled_column},
                                      {"constant column", constant_column},
                                      {"rows twice, half the weight", halved_rows},
                                      {"the same in clusters", halved_rows_of_one_cluster},
                                      {"cut from a larger table", cut_from_larger},
                                      {"missing values", gaps},
                                      {"levels relabelled", relabelled_levels}};

}  // namespace spodnet::test
