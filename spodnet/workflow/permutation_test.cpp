#include "spodnet/workflow/permutation_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/metrics/edge_agreement.hpp"

namespace spodnet {
namespace {

constexpr double kAsFar = 1 - 1e-9;  // of the observed difference: rounding is no difference

/// Two groups' partial correlations.
struct Both {
  Matrix a, b;
  bool ok = false;
  Matrix difference() const { return a - b; }
};

double largest_of(const Matrix& difference) {
  return difference.size() > 0 ? difference.cwiseAbs().maxCoeff() : 0;
}

/// Sum of |partial correlations| over the pairs.
double total_strength(const Matrix& partial) {
  return (partial.cwiseAbs().sum() - partial.diagonal().cwiseAbs().sum()) / 2;
}

/// A deal of the pooled rows: those of the first group, then those of the second.
struct Deal {
  RowList first, second;
};

Deal dealt(const WorkingData& pooled, std::size_t first_rows, RandomStream random) {
  const bool clusters = pooled.clusters;
  RowList units(clusters ? pooled.blocks.size() : std::size_t(pooled.Y.rows()));
  std::iota(units.begin(), units.end(), 0u);
  random.shuffle(units);
  Deal deal;
  for (const std::uint32_t unit : units) {
    RowList& side = deal.first.size() < first_rows ? deal.first : deal.second;
    const RowList block = clusters ? pooled.blocks[unit] : RowList{unit};
    side.insert(side.end(), block.begin(), block.end());
  }
  return deal;
}

/// Rows of b that belong to the persons of a, row by row.
RowList partners(const WorkingData& a, const WorkingData& b) {
  std::map<std::uint32_t, std::uint32_t> row_of;
  for (std::uint32_t i = 0; i < b.person.size(); ++i) row_of[b.person[i]] = i;
  RowList out;
  for (const std::uint32_t person : a.person) {
    const auto found = row_of.find(person);
    if (found == row_of.end()) throw Error("paired groups: a person has a row in one group alone");
    out.push_back(found->second);
  }
  if (row_of.size() != out.size() || b.person.size() != out.size())
    throw Error("paired groups: each person has one row in each group");
  return out;
}

/// Whether each person's two rows change places is decided by a coin of their own.
Deal swapped_within_persons(const RowList& partner, RandomStream random) {
  Deal deal;
  for (std::uint32_t i = 0; i < partner.size(); ++i) {
    const std::uint32_t a = i, b = std::uint32_t(partner.size()) + partner[i];
    const bool swap = random.uniform() < 0.5;
    deal.first.push_back(swap ? b : a);
    deal.second.push_back(swap ? a : b);
  }
  return deal;
}

/// The two estimates of each deal, in order.
std::vector<Both> compared(const WorkingData& pooled, const std::vector<Deal>& deals,
                           const Method& method, ThreadPool& pool) {
  std::vector<TrainingPart> parts(2 * deals.size());
  pool.run(parts.size(), [&](std::size_t k, int) {
    parts[k] = part_of(pooled, k % 2 == 0 ? deals[k / 2].first : deals[k / 2].second);
  });
  std::vector<Problem> problems;
  for (const TrainingPart& part : parts) problems.push_back(problem_of(pooled, part));
  const std::vector<Estimate> estimates = method.estimate_all(problems, &pool);
  std::vector<Both> out(deals.size());
  for (std::size_t k = 0; k < deals.size(); ++k) {
    const Estimate &a = estimates[2 * k], &b = estimates[2 * k + 1];
    out[k].ok = is_sound(a.status) && is_sound(b.status);
    if (!out[k].ok) continue;
    out[k].a = partial_correlations(a.Theta, a.Theta);
    out[k].b = partial_correlations(b.Theta, b.Theta);
  }
  return out;
}

/// How many permutations were at least as far apart as the groups.
struct Counts {
  double structure = 0, strength = 0;
  Matrix edge, max;

  void add(const Both& drawn, const PermutationTest& seen) {
    const Matrix found = (seen.partial_a - seen.partial_b).cwiseAbs() * kAsFar;
    const Matrix other = drawn.difference().cwiseAbs();
    const double largest = largest_of(other);
    structure += largest >= seen.largest * kAsFar;
    strength += std::abs(total_strength(drawn.a) - total_strength(drawn.b)) >=
                std::abs(seen.strength_a - seen.strength_b) * kAsFar;
    edge += (other.array() >= found.array()).cast<double>().matrix();
    max += (largest >= found.array()).cast<double>().matrix();
  }
};

void finish(const Counts& counts, PermutationTest& test) {
  const double all = 1 + double(test.done);
  test.p_structure = (1 + counts.structure) / all;
  test.p_strength = (1 + counts.strength) / all;
  test.p_edge = (1 + counts.edge.array()) / all;
  test.p_max = (1 + counts.max.array()) / all;
  test.p_edge.diagonal().setOnes();
  test.p_max.diagonal().setOnes();
  test.p_holm = holm(test.p_edge);
}

/// Gaussian columns about their mean, in their own scale; scores and NaN stay.
Matrix standardised(const WorkingData& data) {
  Matrix Z = data.Y;
  for (Eigen::Index j = 0; j < Z.cols(); ++j) {
    const auto& kinds = data.moments.kinds;
    if (data.moments.ranks || (!kinds.empty() && kinds[std::size_t(j)] != ColumnKind::gaussian))
      continue;
    Z.col(j) = (Z.col(j).array() - data.all.mean[j]) / data.all.scale[j];
  }
  return Z;
}

}  // namespace

Matrix holm(const Matrix& p_values) {
  std::vector<std::pair<Eigen::Index, Eigen::Index>> order;
  for (Eigen::Index i = 0; i < p_values.rows(); ++i)
    for (Eigen::Index j = i + 1; j < p_values.cols(); ++j) order.emplace_back(i, j);
  std::stable_sort(order.begin(), order.end(), [&](const auto& u, const auto& v) {
    return p_values(u.first, u.second) < p_values(v.first, v.second);
  });
  Matrix out = Matrix::Ones(p_values.rows(), p_values.cols());
  double most = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto [i, j] = order[k];
    most = std::max(most, std::min(1.0, double(order.size() - k) * p_values(i, j)));
    out(i, j) = out(j, i) = most;
  }
  return out;
}

WorkingData pooled_rows(const WorkingData& a, const WorkingData& b) {
  if (a.Y.cols() != b.Y.cols()) throw Error("permutation_test: the groups have other variables");
  WorkingData out = a;
  const Matrix Z_a = standardised(a), Z_b = standardised(b);
  out.Y.resize(Z_a.rows() + Z_b.rows(), Z_a.cols());
  out.Y << Z_a, Z_b;
  out.scale = Vector::Ones(out.Y.cols());
  out.standardize = true;
  if (a.weight.size() > 0) {
    out.weight.resize(out.Y.rows());
    out.weight << a.weight, b.weight;
  }
  for (RowList block : b.blocks) {
    for (std::uint32_t& row : block) row += std::uint32_t(Z_a.rows());
    out.blocks.push_back(std::move(block));
  }
  out.design_effect =
      (a.design_effect * double(Z_a.rows()) + b.design_effect * double(Z_b.rows())) /
      double(out.Y.rows());
  out.all = part_of(out, out.Y, out.weight);
  return out;
}

PermutationTest permutation_test(const WorkingData& a, const WorkingData& b, const Method& method,
                                 const PermutationOptions& options, ThreadPool& pool) {
  const WorkingData pooled = pooled_rows(a, b);
  const auto rows_a = std::size_t(a.Y.rows());
  const bool paired = !a.person.empty();
  const RowList partner = paired ? partners(a, b) : RowList();
  Deal seen;
  for (std::uint32_t i = 0; i < std::uint32_t(pooled.Y.rows()); ++i)
    (i < rows_a ? seen.first : seen.second).push_back(i);
  const Both found = compared(pooled, {seen}, method, pool)[0];
  if (!found.ok) throw Error("the method has numerical trouble with one of the groups");
  PermutationTest test;
  test.partial_a = found.a, test.partial_b = found.b;
  test.largest = largest_of(found.difference());
  test.strength_a = total_strength(found.a), test.strength_b = total_strength(found.b);
  const Eigen::Index p = pooled.Y.cols();
  Counts counts{.edge = Matrix::Zero(p, p), .max = Matrix::Zero(p, p)};
  constexpr std::size_t kAtOnce = 32;
  for (std::size_t first = 0; first < options.permutations; first += kAtOnce) {
    test.interrupted = options.stop && options.stop->load();
    if (test.interrupted) return test;
    std::vector<Deal> deals;
    for (std::size_t k = first; k < std::min(options.permutations, first + kAtOnce); ++k)
      deals.push_back(paired ? swapped_within_persons(partner, RandomStream(options.seed, k + 1))
                             : dealt(pooled, rows_a, RandomStream(options.seed, k + 1)));
    for (const Both& drawn : compared(pooled, deals, method, pool)) {
      ++(drawn.ok ? test.done : test.failures);
      if (drawn.ok) counts.add(drawn, test);
    }
    if (options.progress)
      options.progress(double(first + deals.size()) / double(options.permutations));
  }
  finish(counts, test);
  return test;
}

}  // namespace spodnet
