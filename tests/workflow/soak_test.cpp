// What must stay stays: small random tables of twelve kinds, prepared and estimated as the commands
// do it, once more after a change that should not matter. A fixed number of them here; ./test
// --soak MINUTES goes on with new ones (SPODNET_SOAK_MINUTES).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parallel.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/judge.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/models/model.hpp"
#include "workflow/soak_changes.hpp"

namespace spodnet::test {
namespace {

constexpr std::uint64_t kTablesOfTest = 2400;
constexpr std::size_t kMostFaults = 100;
constexpr std::size_t kAtOnce = 1200;  ///< tables that the threads share
/// Of partial correlations: rounding grows in the walk, the more where columns follow from others
/// but for rounding, of which the program warns.
constexpr double kSame = 1e-5, kSameOfDoubtful = 0.1;

/// What is wrong with an estimate that is called right; nothing: "".
std::string fault(const Estimated& got) {
  const Estimate& e = got.estimate;
  if (!is_sound(e.status)) return "";
  if (!e.Theta.allFinite() || !e.W.allFinite()) return "not finite";
  if (e.Theta != e.Theta.transpose() || e.W != e.W.transpose()) return "not symmetric";
  if (!std::isfinite(spd_log_det(e.Theta))) return "not SPD";
  const double size = e.Theta.norm() * e.W.norm();
  if (!(inverse_residual(e.Theta, e.W) < 1e-12 * size + 1e-9)) return "W is not the inverse";
  return Judge(got.problem)(e.Theta, e.W).plausible ? "" : "contradicts the data";
}

/// What became of the tables.
struct Soaked {
  std::atomic<std::uint64_t> tried = 0, refused = 0, replaced = 0;
  std::array<std::atomic<std::uint64_t>, std::size(kChanges)> compared = {};
  std::mutex writing;
  std::vector<std::string> faults;

  void add_fault(std::string words) {
    const std::lock_guard lock(writing);
    faults.push_back(std::move(words));
  }
};

bool any_equal(Vector values) {
  std::sort(values.begin(), values.end());
  for (Eigen::Index k = 1; k < values.size(); ++k)
    if (values[k] - values[k - 1] < 1e-9) return true;
  return false;
}

/// Variables enter by their summed squared correlations, and their signs go by the sizes of
/// correlations: rounding decides between those that are the same.
bool rounding_decides(const Matrix& R) {
  std::vector<double> sizes;
  for (Eigen::Index j = 0; j < R.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) sizes.push_back(std::abs(R(i, j)));
  return any_equal(R.colwise().squaredNorm().transpose()) ||
         any_equal(Eigen::Map<const Vector>(sizes.data(), Eigen::Index(sizes.size())));
}

double farthest(const Matrix& A, const Matrix& B) {
  if (A.rows() != B.rows() || A.cols() != B.cols()) return INFINITY;
  return (A - B).cwiseAbs().maxCoeff();
}

/// One table and one change of it: what is wrong, else "".
std::string fault_of_table(const Method& method, std::uint64_t index, Soaked& soaked) {
  RandomStream random(kSoakSeed + 1, index);
  const std::size_t which = index % std::size(kChanges);
  const UserTable table = user_table(index / std::size(kChanges), random);
  const Estimated before = estimated_table(method, table);
  soaked.replaced += before.estimate.status == Status::replaced;
  if (const std::string wrong = fault(before); !wrong.empty()) return wrong;
  const Changed changed = kChanges[which].of(table, before, random);
  const Estimated after = estimated_table(method, changed.table);
  if (const std::string wrong = fault(after); !wrong.empty()) return wrong + " after the change";
  // Eigenvalues that a repair made equal have any eigenvectors, which rounding decides.
  const Moments& moments = before.data.moments;
  const bool by_rounding = moments.repair.needed || rounding_decides(moments.R);
  const bool all_kept = Eigen::Index(before.data.p()) == table.values.cols();
  if ((changed.partial.size() == 0 && changed.R.size() == 0) || !all_kept || by_rounding) return "";
  ++soaked.compared[which];
  const double far = changed.R.size() > 0 ? farthest(after.data.moments.R, changed.R)
                                          : farthest(after.partial, changed.partial);
  return far < (before.data.doubtful.empty() ? kSame : kSameOfDoubtful)
             ? ""
             : fmt::format("off by {:.2g}", far);
}

void try_table(const Method& method, std::uint64_t index, Soaked& soaked) {
  ++soaked.tried;
  try {
    const std::string wrong = fault_of_table(method, index, soaked);
    if (!wrong.empty())
      soaked.add_fault(fmt::format("table {}, {}: {}", index,
                                   kChanges[index % std::size(kChanges)].name, wrong));
  } catch (const Error&) {  // fewer than two variables or rows are left: refused in words
    ++soaked.refused;
  }
}

/// Minutes or tables that the environment asks for; nothing: 0.
double asked_for(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : 0;
}

void print(const Soaked& soaked) {
  std::printf("%llu tables, %llu refused, %llu replaced; compared after the change:\n",
              static_cast<unsigned long long>(soaked.tried),
              static_cast<unsigned long long>(soaked.refused),
              static_cast<unsigned long long>(soaked.replaced));
  for (std::size_t k = 0; k < std::size(kChanges); ++k)
    std::printf("  %s %llu\n", kChanges[k].name,
                static_cast<unsigned long long>(soaked.compared[k]));
}

TEST(Soak, WhatMustStayStays) {
  const auto method = make_method("pretrained", builtin_models());
  const double seconds = 60 * asked_for("SPODNET_SOAK_MINUTES");
  const auto tables = std::max(kTablesOfTest, std::uint64_t(asked_for("SPODNET_SOAK_TABLES")));
  const Stopwatch watch;
  ThreadPool pool;
  Soaked soaked;
  while ((soaked.tried < tables || watch.seconds() < seconds) && soaked.faults.size() < kMostFaults)
    pool.run(kAtOnce, [&, first = soaked.tried.load()](std::size_t k, int) {
      try_table(*method, first + k, soaked);
    });
  for (const std::string& each : soaked.faults) ADD_FAILURE() << each;
  EXPECT_LT(double(soaked.refused), 0.1 * double(soaked.tried));
  for (std::size_t k = 0; k < std::size(kChanges); ++k)
    if (kChanges[k].of != gaps) {
      EXPECT_GT(double(soaked.compared[k]), 0.05 * double(soaked.tried)) << kChanges[k].name;
    }
  if (tables > kTablesOfTest || seconds > 0) print(soaked);
}

}  // namespace
}  // namespace spodnet::test
