#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spodnet/estimators/held_out.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/scores.hpp"

namespace spodnet {

/// One method of a comparison.
struct ComparedMethod {
  std::string name;
  bool done = false;      ///< false: it has no result, and `note` says why
  std::string note;       ///< also the line of an estimate whose status is not ok
  Estimate estimate;      ///< from all rows, in the units the methods see (standardised)
  Matrix partial;         ///< partial correlations of its graph (of Z where there is one)
  MatrixScores scores;    ///< of Theta: spectrum, residual; of the graph: density, modularity,
                          ///< communities (Louvain on |partial correlations|, or on |Theta|
                          ///< when not standardised)
  std::size_t edges = 0;  ///< pairs with Theta_ij != 0 or Z_ij
  double seconds = 0;     ///< of the estimate from all rows
  HeldOut held_out;       ///< over the common folds
  double behind = 0;      ///< mean over the folds of (best method - this one), >= 0
  double behind_sd = 0;   ///< its standard deviation over the folds: paired, so smaller than sd
};

struct Comparison {
  std::vector<ComparedMethod> methods;  ///< best held-out likelihood first, failed ones last
  double n = 0;
  std::size_t p = 0;
  int folds = 0;
  bool interrupted = false;  ///< stopped on request: methods are missing

  /// Agreement of the graphs of two methods that are done.
  EdgeAgreement agreement(std::size_t a, std::size_t b) const;
};

struct CompareOptions {
  HeldOutOptions held_out;    ///< folds, seed, standardize, constraints, pool, preparation of rows
  int louvain_restarts = 10;  ///< 0: no communities
  std::function<void(double done, const std::string& method)> progress = {};  ///< may be null
  const std::atomic<bool>* stop = nullptr;  ///< looked at before each method
};

/// A method and the name to show it under.
struct NamedMethod {
  std::string name;
  std::shared_ptr<const Method> method;
};

/// Runs all methods on the same rows X (n x p) and the same folds. What a method refuses (an Error)
/// is its note, not the end of the comparison.
[[nodiscard]] Comparison compare_methods(std::span<const NamedMethod> methods, const Matrix& X,
                                         const CompareOptions& options = {});

}  // namespace spodnet
