#pragma once

#include "spodnet/problem/estimate.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// What S says of an estimate, as log-likelihoods per variable, twice those per row: the unit of
/// Stein's loss.
struct Verdict {
  bool plausible = true;
  bool wide = false;  ///< every variance of W is more than four times that of S
  double behind = 0;  ///< how far the likelihood at S is below what linear shrinkage promises
  double loss = 0;    ///< expected loss above nonlinear shrinkage; `behind` where that is small
};

/// What speaks for an estimate before the data do.
enum class Trust {
  usual,
  likely,  ///< the matrix is of a kind that its model knows, as far as can be told or its user says
};

/// Whether the data allow an estimate, by two references that use nothing but S and n. With R the
/// correlations of S, Theta in units of R, n* the effective samples (effective_samples.hpp),
/// M = (1 - a) R + a I linear shrinkage (OAS) and N nonlinear shrinkage of R,
///   behind = (-log det M - p - log det Theta + tr(R Theta)) / p
///   loss   = (tr(N Theta) - log det(N Theta) - p) / p
/// estimate, each in its way, how much more Theta loses on new rows than the reference:
/// -log det M - p is the log-likelihood that linear shrinkage expects of new rows, which Theta
/// should reach at S itself, from which it has learned; the eigenvalues of N estimate the variances
/// of new rows along its eigenvectors. Their noise is e = sqrt(2 / (n* p)), the standard deviation
/// of tr(S Theta) / p where Theta is true. A good estimate loses at most 0.1 more than a reference,
/// an absurd one more than 1: it is implausible where both numbers are above 0.1 + e and their mean
/// is above the middle, 0.55 + e (where it is trusted as likely: where both are above 3 + e); and
/// where every variance of W is more than four times that of S. (docs/methods.md)
///
/// Not judged (plausible): one variable, n < 2 or unknown, a variance of 0. With constraints, which
/// may cost any likelihood, M is I, unrelated variables, which keep them all, and loss is behind.
/// Cost of a plausible estimate: 2/3 p^3 flops.
class Judge {
 public:
  explicit Judge(const Problem& problem);  ///< which must stay
  explicit Judge(Problem&&) = delete;

  /// W is the inverse of Theta.
  Verdict operator()(const Matrix& Theta, const Matrix& W, Trust trust = Trust::usual) const;

  /// Whether Theta reaches what linear shrinkage promises after 2 / (n p) for each of its edges
  /// (Akaike's criterion, per row and variable).
  bool worth_its_edges(const Matrix& Theta) const;

  /// Whether every variance W_jj is within a factor 4 of S_jj: asked of what replaces an estimate,
  /// since S and n that upset one network upset its kin.
  bool keeps_variances(const Matrix& W) const;

  /// An answer that cannot fail: nonlinear shrinkage of R where n* >= 2 p, else linear shrinkage,
  /// in the units of S. With constraints: the variances alone.
  Estimate reference() const;

 private:
  Matrix correlations() const;
  double behind(const Matrix& Theta) const;
  double noise_of(double n) const;
  double expected_loss(const Matrix& Theta) const;

  const Problem& problem_;
  bool able_ = false;
  Vector scale_;
  double promised_ = -1;  ///< by linear shrinkage, per variable
};

}  // namespace spodnet
