#pragma once

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

// What an answer says of how it was made.

/// Warns where the data lie outside what the model was trained on.
void warn_if_beyond_training(Analysis& analysis, const Candidate& chosen);

/// Says that the data contradicted the learned estimate, and what took its place.
void warn_if_contradicted(Analysis& analysis, const Candidate& chosen);

/// Warns where a method goes by the samples although ranks or gaps ask for the covariance: it sees
/// them with their ranks' scores and filled gaps. Only where it says a lambda is it fitted to the
/// covariance in the end (fitted_to_given_covariance).
void warn_if_by_samples(Analysis& analysis, const Candidate& chosen);

/// What was done to the data, and in which units the answer is.
void add_data_notes(const Prepared& data, bool standardize, Answer& answer);

/// The settings of an analysis in words, for the record of its answer: how the table was made
/// ready, the method, resamples and seed, and which columns say something of the rows.
std::vector<std::pair<std::string, std::string>> settings_record(const Prepared& data,
                                                                 const AnalysisOptions& options);

}  // namespace spodnet
