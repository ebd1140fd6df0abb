#pragma once

#include <string>
#include <vector>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/tables/lagged_rows.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/run_context.hpp"

namespace spodnet {

struct TemporalOptions {
  std::string method = "glasso-ebic";  ///< of the contemporaneous graph
  double gamma = 0.5;                  ///< of the extended BIC that chooses the effects
  std::size_t resamples = 200;
  std::uint64_t seed = 0;
};

/// What resamples say of each entry of a matrix.
struct EntryConfidence {
  Matrix share;      ///< of the resamples in which it is not zero
  Matrix low, high;  ///< of 95 %
};

/// How variables follow one another, and how they go together at one time.
struct Temporal {
  std::vector<std::string> names;
  Matrix B;        ///< p x p: (i, j) is the effect of variable i on variable j at the next beep, in
                   ///< within-person standard deviations; exact zeros
  Matrix partial;  ///< partial correlations of what the beep before does not predict
  Matrix Theta;    ///< their precision matrix
  Vector explained;  ///< of each variable's variance, by the beep before
  EntryConfidence B_confidence, partial_confidence;
  std::size_t pairs = 0, persons = 0, resamples = 0, failures = 0;
  std::size_t block = 0;  ///< successive pairs that were drawn together; 0: persons were
  std::string method;     ///< of the contemporaneous graph
  bool interrupted = false;
  std::vector<AnswerNote> notes;
  std::vector<std::size_t> community;
  Points points;
};

/// A sparse vector autoregression of lag 1, y = B' x + e, and the graph of the covariance of e.
/// Each column of B by the lasso over 30 penalties, the set of effects with the smallest extended
/// BIC of their least-squares fit, m log(RSS / m) + k log m + 2 gamma k log p, and that fit, the
/// bias of removed means taken away (unbiased_effects). The graph of the residuals by `method`,
/// which needs the covariance alone. Confidence: persons (10 or more), else blocks of successive
/// pairs, are drawn with replacement and everything is fitted again, the graph with its penalty
/// fixed. Ranges of effects are of all effects fitted at once, so that no choice moves them: this
/// fit plus and minus its spread over the resamples times Student's t for so many persons or
/// blocks. The same for any number of threads.
[[nodiscard]] Temporal temporal(const LaggedRows& rows, const TemporalOptions& options,
                                const RunContext& run);

/// B alone, and the residuals of its fit.
struct SparseVar {
  Matrix B, residuals;
};
SparseVar fit_sparse_var(const Matrix& X, const Matrix& Y, double gamma);

/// Least-squares effects of these pairs where `keep` (p x p) is not 0, the others 0, without the
/// bias that estimated means leave: twice those about the persons' means less those about the means
/// of halves of their rows, whose bias, of 1 over the number of rows, is twice as large (the
/// half-panel jackknife of Dhaene and Jochmans, 2015).
Matrix unbiased_effects(const LaggedRows& rows, const RowList& places, const Matrix& keep);

}  // namespace spodnet
