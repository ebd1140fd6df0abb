#pragma once

#include <cstddef>

#include "spodnet/core/types.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {

/// An estimated set against the true one.
struct SupportCounts {
  std::size_t true_positive = 0, false_positive = 0, false_negative = 0, true_negative = 0;
};

/// Over all p^2 entries: the edges (metrics/edge.hpp), each twice, and the diagonal where it is not
/// 0.
SupportCounts count_entries(const MatrixRef& Theta, const MatrixRef& Theta_true);

/// Over the p (p - 1) / 2 pairs i < j.
SupportCounts count_edges(const MatrixRef& Theta, const MatrixRef& Theta_true);

// Scores of counts. Where a denominator is 0: 1 if both sets are empty, else 0.

double precision_of(const SupportCounts& counts);  ///< TP / (TP + FP)
double recall_of(const SupportCounts& counts);     ///< TP / (TP + FN)
double f1_of(const SupportCounts& counts);         ///< 2 TP / (2 TP + FP + FN)

/// (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN)), in [-1, 1]; where a factor is 0:
/// 1 if the two sets are equal, else 0.
double matthews_of(const SupportCounts& counts);

struct SupportScores {
  double f1 = 0;          ///< all entries: the authors' convention, comparable with the paper
  double f1_offdiag = 0;  ///< edges only, as are the following
  double precision = 0;   ///<
  double recall = 0;      ///<
  double matthews = 0;    ///< Matthews correlation coefficient
  double hamming = 0;     ///< structural Hamming distance: edges missing plus edges too many
};

SupportScores support_scores(const MatrixRef& Theta, const MatrixRef& Theta_true);

}  // namespace spodnet
