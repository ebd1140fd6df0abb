#pragma once

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// Judges the candidates and returns the one to take.
std::size_t choose_candidate(Analysis& analysis);

/// Warns where the data lie outside what the model was trained on.
void warn_if_beyond_training(Analysis& analysis, const Candidate& chosen);

/// Says that the data contradicted the learned estimate, and what took its place.
void warn_if_contradicted(Analysis& analysis, const Candidate& chosen);

/// Warns where a method goes by the samples although ranks or gaps ask for the covariance: it sees
/// them with their ranks' scores and filled gaps. Only where it says a lambda is it fitted to the
/// covariance in the end (fitted_to_given_covariance).
void warn_if_by_samples(Analysis& analysis, const Candidate& chosen);

}  // namespace spodnet
