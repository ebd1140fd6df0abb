#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Everything `evaluate` reports of one estimate. NaN: not asked for, or nothing to compare with.
struct MatrixScores {
  double nmse, f1, f1_offdiag, precision, recall, matthews, hamming;  ///< need the truth
  double density, eig_min, eig_max, condition, is_spd, rank;          ///< is_spd: 1 or 0
  double residual;                 ///< ||Theta W - I||_F, needs W
  double log_likelihood;           ///< per held-out sample, needs S_test
  double modularity, communities;  ///< of |Theta| by Louvain, when restarts > 0

  MatrixScores();  ///< all NaN
};

/// What the scores need beyond Theta; every part is optional.
struct ScoreInputs {
  const Matrix* W = nullptr;       ///< the estimated covariance
  const Matrix* S_test = nullptr;  ///< covariance of held-out data about the training mean
  int louvain_restarts = 0;        ///< 0: no communities
  std::uint64_t seed = 0;          ///< of Louvain
};

/// Scores of Theta (p x p); an empty Theta_true (0 x 0) means that the truth is unknown.
MatrixScores score(const MatrixRef& Theta, const MatrixRef& Theta_true,
                   const ScoreInputs& inputs = {});

/// Each score averaged over a test set; the mean of is_spd is the share of SPD outputs.
MatrixScores mean(std::span<const MatrixScores> all);

/// Names and places of all scores, in the order to print them.
struct ScoreField {
  std::string_view name;
  double MatrixScores::*member;
};
std::span<const ScoreField> score_fields();

}  // namespace spodnet
