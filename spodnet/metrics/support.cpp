#include "spodnet/metrics/support.hpp"

#include <fmt/format.h>

#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

bool in_support(const MatrixRef& Theta, Eigen::Index i, Eigen::Index j) {
  return i == j ? Theta(i, i) != 0 : is_edge(Theta, i, j);
}

void add(SupportCounts& counts, bool estimated, bool truth) {
  if (estimated)
    ++(truth ? counts.true_positive : counts.false_positive);
  else
    ++(truth ? counts.false_negative : counts.true_negative);
}

void check_pair(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  if (Theta.rows() != Theta.cols() || Theta.rows() != Theta_true.rows() ||
      Theta.cols() != Theta_true.cols())
    throw Error(
        fmt::format("support: the estimate is {} x {}, the truth {} x {}: both must be p x p",
                    Theta.rows(), Theta.cols(), Theta_true.rows(), Theta_true.cols()));
}

/// numerator / denominator, or `otherwise` where the denominator is 0.
double ratio(std::size_t numerator, std::size_t denominator, double otherwise) {
  return denominator > 0 ? double(numerator) / double(denominator) : otherwise;
}

bool both_empty(const SupportCounts& c) {
  return c.true_positive + c.false_positive + c.false_negative == 0;
}

}  // namespace

SupportCounts count_entries(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  check_pair(Theta, Theta_true);
  SupportCounts counts;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < Theta.cols(); ++j)
      add(counts, in_support(Theta, i, j), in_support(Theta_true, i, j));
  return counts;
}

SupportCounts count_edges(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  check_pair(Theta, Theta_true);
  SupportCounts counts;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      add(counts, is_edge(Theta, i, j), is_edge(Theta_true, i, j));
  return counts;
}

double precision_of(const SupportCounts& c) {
  return ratio(c.true_positive, c.true_positive + c.false_positive, both_empty(c));
}

double recall_of(const SupportCounts& c) {
  return ratio(c.true_positive, c.true_positive + c.false_negative, both_empty(c));
}

double f1_of(const SupportCounts& c) {
  return ratio(2 * c.true_positive, 2 * c.true_positive + c.false_positive + c.false_negative, 1);
}

double matthews_of(const SupportCounts& c) {
  const double tp = double(c.true_positive), fp = double(c.false_positive);
  const double fn = double(c.false_negative), tn = double(c.true_negative);
  const double scale =
      std::sqrt(tp + fp) * std::sqrt(tp + fn) * std::sqrt(tn + fp) * std::sqrt(tn + fn);
  if (scale == 0) return fp + fn == 0 ? 1 : 0;
  return (tp * tn - fp * fn) / scale;
}

SupportScores support_scores(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  const SupportCounts edges = count_edges(Theta, Theta_true);
  return {.f1 = f1_of(count_entries(Theta, Theta_true)),
          .f1_offdiag = f1_of(edges),
          .precision = precision_of(edges),
          .recall = recall_of(edges),
          .matthews = matthews_of(edges),
          .hamming = double(edges.false_positive + edges.false_negative)};
}

}  // namespace spodnet
