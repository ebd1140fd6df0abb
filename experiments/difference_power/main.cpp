// How often `spodnet difference` finds a difference: its level where groups have one graph, its
// power where edges differ, and what joint estimation brings.
//   difference_power [TIMES [PERMUTATIONS [SEED [paired|unpaired]]]]
// Groups of p = 10 variables on a ring whose edges have partial correlation 0.3; in the second
// group `changed` of them are 0. Means and scales of the groups differ always.
// paired: the groups are the same people, whose two rows have half of their variance in common;
// unpaired: the same rows, tested as if they were of different people.
// docs/graph_statistics.md has the tables.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "experiments/program.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/workflow/difference.hpp"
#include "spodnet/workflow/groups.hpp"
#include "spodnet/workflow/joint.hpp"

namespace spodnet::experiments {
namespace {

constexpr Eigen::Index kP = 10;
constexpr double kLink = 0.3;

Matrix ring(int changed) {
  Matrix Theta = Matrix::Identity(kP, kP);
  for (Eigen::Index i = 0; i < kP; ++i) {
    const double link = i < changed ? 0 : -kLink;
    Theta(i, (i + 1) % kP) = Theta((i + 1) % kP, i) = link;
  }
  return Theta;
}

enum class People { different, paired, unpaired };

Prepared drawn(const Matrix& A, const Matrix& B, std::size_t n, std::uint64_t seed, std::uint64_t k,
               People people) {
  RandomStream random(seed, k);
  Matrix X = sample_gaussian(A, n, random), Y = sample_gaussian(B, n, random);
  if (people != People::different) {
    const Matrix common = sample_gaussian(A, n, random);
    X += common, Y += common;
  }
  Table table;
  table.values.resize(Eigen::Index(2 * n), kP);
  table.values << X, (Y.array() * 2 + 5).matrix();
  PrepareOptions options;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    options.rows.group.push_back(i < n ? 0 : 1);
    if (people == People::paired) options.rows.person.push_back(std::uint32_t(i % n));
  }
  return prepare_samples(std::move(table), options, "experiment");
}

/// Mean squared error of the partial correlations.
double error_of(const Matrix& partial, const Matrix& Theta) {
  return (partial - partial_correlations(Theta, Theta)).squaredNorm() / double(kP * (kP - 1));
}

double error_alone(Prepared data, const Matrix& A, const Matrix& B, const Method& method) {
  const auto parts = split_groups(data, {"A", "B"});
  double sum = 0;
  for (const int g : {0, 1}) {
    const WorkingData group = working_data(parts[std::size_t(g)], true, {});
    const Matrix Theta = method.estimate(problem_of(group, group.all)).Theta;
    sum += error_of(partial_correlations(Theta, Theta), g == 0 ? A : B) / 2;
  }
  return sum;
}

void study(int changed, std::size_t n, int times, std::size_t permutations, std::uint64_t seed,
           People people, ThreadPool& pool) {
  const Matrix A = ring(0), B = ring(changed);
  const auto method = make_method("glasso-ebic", builtin_models());
  double structure = 0, strength = 0, any_false = 0, found = 0, joint = 0, alone = 0, w = 0;
  for (int k = 0; k < times; ++k) {
    const Prepared data = drawn(A, B, n, seed, std::uint64_t(k), people);
    const Difference d = difference(
        data, {"A", "B"}, {.permutations = permutations, .seed = std::uint64_t(k)}, {.pool = pool});
    const PermutationTest& test = d.pairs[0].test;
    structure += test.p_structure <= 0.05;
    strength += test.p_strength <= 0.05;
    bool wrong = false;
    for (Eigen::Index i = 0; i < kP; ++i)
      for (Eigen::Index j = i + 1; j < kP; ++j)
        if (test.p_max(i, j) <= 0.05) {
          const bool truly = A(i, j) != B(i, j);
          found += truly;
          wrong = wrong || !truly;
        }
    any_false += wrong;
    w += d.joint;
    joint += (error_of(d.groups[0].partial, A) + error_of(d.groups[1].partial, B)) / 2;
    alone += error_alone(data, A, B, *method);
  }
  const double t = double(times);
  std::printf("| %zu | %d | %.3f | %.3f | %.3f | %s | %.2f | %.5f | %.5f |\n", n, changed,
              structure / t, strength / t, any_false / t,
              changed > 0 ? std::to_string(found / t / changed).substr(0, 5).c_str() : "-", w / t,
              joint / t, alone / t);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 200;
  const std::size_t permutations = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 199;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::string said = argc > 4 ? argv[4] : "";
  const People people = said == "paired"     ? People::paired
                        : said == "unpaired" ? People::unpaired
                                             : People::different;
  ThreadPool pool(1);
  std::printf(
      "| rows of a group | edges changed | structure p <= 0.05 | strength p <= 0.05 | any false "
      "edge "
      "| changed edges found | borrowed | error, joint | error, alone |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const std::size_t n : {50, 150, 400})
    for (const int changed : {0, 1, 4}) study(changed, n, times, permutations, seed, people, pool);
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("difference_power", run, argc, argv);
}
