#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// How an edge fared over bootstrap resamples of the rows.
struct EdgeConfidence {
  double share = 0;           ///< of the resamples that have the edge
  double sign_agreement = 0;  ///< among those, the share with the estimate's sign
  double low = 0, high = 0;   ///< 2.5 % and 97.5 % points of the partial correlation: a stability
                              ///< range of a shrunken estimate, not a confidence interval
  bool stable = true;         ///< kept by --stable Q (always true without it)
};

/// An edge of the graph (edge.hpp), i < j.
struct AnswerEdge {
  std::size_t i = 0, j = 0;
  double theta = 0;                ///< Theta_ij, in the data's units
  double partial_correlation = 0;  ///< -Theta_ij / sqrt(Theta_ii Theta_jj)
  std::optional<EdgeConfidence> confidence;
};

/// What the nodes are like, one row per variable and one column per measure (centrality.hpp).
struct AnswerNodes {
  Matrix value;      ///< p x 6; empty: not measured
  Matrix low, high;  ///< 2.5 % and 97.5 % points over the resamples; empty without a bootstrap
  Vector stability;  ///< of each measure's order when rows are dropped (workflow/case_dropping);
                     ///< empty: not asked
};

/// The 2.5 % and 97.5 % points of a difference a - b over the resamples; it differs from 0 where
/// the range does not hold it (no correction for the number of pairs).
struct AnswerDifference {
  std::size_t a = 0, b = 0;
  double low = 0, high = 0;
  bool differs() const { return low > 0 || high < 0; }
};

/// One line about the data or the answer, for people.
struct AnswerNote {
  /// What was done to the data, what to be careful about, or why this method was taken.
  enum class Kind { done, warning, choice };
  Kind kind = Kind::done;
  std::string text;
  Advice advice = Advice::none;  ///< what would help
  std::string value = {};        ///< ... and with what, where that is known
};

/// A method that was considered, with the score by which the choice was made.
struct AnswerCandidate {
  std::string method;
  double held_out = 0;  ///< mean held-out Gaussian log-likelihood per sample, higher is better
  double spread = 0;    ///< standard deviation of it over the folds
  std::optional<double> nmse;  ///< on synthetic validation matrices of the data's shape
  std::size_t edges = 0;
  double seconds = 0;
  bool chosen = false;
  std::string note;  ///< why it failed or was left out, else empty
};

/// What makes the pair (Theta, W) trustworthy without trusting us.
struct AnswerCertificate {
  double residual = 0;  ///< ||Theta W - I||_F
  double eig_min = 0, eig_max = 0, condition = 0;
  double density = 0;  ///< share of the off-diagonal pairs that are edges
};

/// How a variable is shown where the user said so.
struct NodeStyle {
  std::string label;   ///< instead of its name in pictures and on the page; empty: the name
  std::string group;   ///< whose colour it has; empty: none
  std::string colour;  ///< #rrggbb; empty: the next of eight, one per group
};

/// A table of measurements turned into a graph: all that is written and shown.
struct Answer {
  Status status = Status::ok;          ///< of the estimate; interrupted: nothing else is there
  std::string message;                 ///< one line when status is not ok
  std::string title;                   ///< the file's name
  std::vector<std::string> names;      ///< p variables, in the order of the rows of Theta
  std::vector<std::string> kinds;      ///< what each is taken for; empty: all gaussian
  double n = 0;                        ///< samples behind the estimate, fewer where values miss
  double rows = 0;                     ///< of the table; 0: as many as n
  std::string method;                  ///< that gave Theta
  Matrix Theta, W;                     ///< precision and covariance, in the data's units
  Matrix partial;                      ///< partial correlations, 1 on the diagonal
  Vector eigenvalues;                  ///< of Theta standardised as it was estimated, ascending
  std::vector<AnswerEdge> edges;       ///< strongest |partial correlation| first
  std::vector<EdgeConfidence> pairs;   ///< of all pairs (0, 1), (0, 2), ..., or none
  std::vector<std::size_t> community;  ///< 0, 1, ... per variable, largest community first
  double modularity = 0;
  AnswerNodes nodes;
  std::vector<AnswerDifference> edge_differences;       ///< among the strongest, places in `edges`
  std::vector<AnswerDifference> strength_differences;   ///< among the strongest variables
  std::vector<AnswerDifference> influence_differences;  ///< the same, of expected influence
  std::vector<NodeStyle> styles;  ///< one per variable, or none: coloured by community
  AnswerCertificate certificate;
  std::vector<AnswerCandidate> candidates;
  std::vector<AnswerNote> notes;
  std::vector<std::pair<std::string, std::string>> settings;  ///< as text, for the record
  std::size_t resamples = 0;                                  ///< bootstrap; 0: none
  std::optional<double> stable_q;                             ///< the Q of --stable
  std::string stable_check;                                   ///< how Q was checked, in words
  double seconds = 0;
};

}  // namespace spodnet
