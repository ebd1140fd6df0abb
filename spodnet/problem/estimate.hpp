#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// The hidden factors of a graph given factors.
struct HiddenFactors {
  int count = 0;
  double bic = 0;  ///< of the graph with so many
};

/// An estimated precision matrix with its certificate.
struct Estimate {
  Matrix Theta;             ///< precision
  Matrix W;                 ///< covariance, the inverse of Theta
  std::optional<Matrix> Z;  ///< GLAD's second matrix (sparse, not SPD)
  Status status = Status::ok;
  double residual = 0;           ///< ||Theta W - I||_F
  int refreshes = 0;             ///< how often W was recomputed from Theta because it had drifted
  std::string message;           ///< one line when status is not ok, or a doubt (ladder.hpp)
  std::optional<double> lambda;  ///< the penalty of a graphical lasso, given or chosen
  std::optional<HiddenFactors> factors;  ///< where the method looks for some
  std::string form;  ///< which network of `pretrained` it is from; empty: of another method
  std::vector<std::pair<std::string, double>> details;  ///< method's own numbers, for people
  std::vector<std::string> score_columns;  ///< of a model selection: lambda, score, ...
  Matrix scores;                           ///< one row per candidate it tried
};

}  // namespace spodnet
