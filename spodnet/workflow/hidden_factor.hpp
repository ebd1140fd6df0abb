#pragma once

#include <optional>

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// Shares of the variance of standardised variables along the first two principal components, and
/// the share of the variables that take part in the first one, 1 / (p sum v_j^4).
struct LeadingShares {
  double first = 0, second = 0, variables = 0;

  double common() const { return first * variables; }
};
LeadingShares leading_shares(const Matrix& S);

/// Parallel analysis against sparse graphs: the shares where the first, times the share of the
/// variables in it, is larger than in 19 of 20 of `kFactorSets` synthetic data sets of the table's
/// shape with sparse graphs (up to 3 edges per variable) and no hidden cause; none elsewhere, and
/// for fewer than 4 or more than 400 variables. A common cause that was not measured makes all
/// pairs dependent; the edges then stand for it and not for direct links. Cost: as many eigenvalue
/// problems of size p.
std::optional<LeadingShares> find_hidden_factor(const Analysis& analysis);

/// Says that edges may stand for a hidden cause (of 5 to 9 variables: that one factor explains them
/// better than links, by BIC) or, where the chosen graph is one given hidden
/// factors, how many there are and what its edges mean.
void tell_of_hidden_factor(Analysis& analysis, const Candidate& chosen);

/// How many hidden factors an estimate is given: 0 for most methods.
int hidden_factors(const Candidate& candidate);

/// Their loadings Lambda for variables of variance 1, p x factors, from S = Lambda Lambda' + W: the
/// leading eigenvectors of S - W. In canonical signs (canonical_signs.hpp): recoding a variable
/// does not change them. Empty without factors.
Matrix hidden_loadings(const Candidate& candidate, const Matrix& S);

/// The least share of a variable's variance that an estimate from S leaves it: (Theta^{-1})_jj
/// over S_jj. Below kLeastOwnShare the "hidden" factor is that variable itself: a hub of the graph.
double least_own_share(const Estimate& estimate, const Matrix& S);

/// Which edges of the chosen graph (method auto, kFewestForDoubt to kAutoVariables variables) one
/// would also see given one to kMoreFactors more hidden factors than were found: those of the same
/// sign in these graphs too. All of them where nothing suggests more factors: no such graph has a
/// smaller BIC than that with the factors found, even if a loading costs kDoubtfulLoading of an
/// edge (to be found, 1.5), or a variable is the factor itself. Factors that are too weak to be
/// found still leave edges behind; these are the ones that fall away. Of sparse graphs without
/// factors hardly any is concerned (docs/lab/factors_and_tails.md).
std::vector<bool> edges_despite_factors(const Analysis& analysis, const Candidate& chosen,
                                        const std::vector<EdgePlace>& edges);

inline constexpr std::size_t kFactorSets = 48;
inline constexpr int kMoreFactors = 3;
inline constexpr double kDoubtfulLoading = 1.1;
inline constexpr std::size_t kFewestForFactors = 10;  ///< variables: to be a candidate
inline constexpr std::size_t kFewestForDoubt = 5;     ///< variables: to say that there may be one
inline constexpr double kLeastOwnShare = 0.07;

}  // namespace spodnet
