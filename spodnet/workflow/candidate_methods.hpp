#pragma once

#include <memory>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

// Methods made of other methods.

/// `method` as it is refitted to resamples: the graphical lasso keeps the lambda of `estimate`, a
/// graph given hidden factors their number, any other method is itself.
std::shared_ptr<const Method> resampling_method(std::shared_ptr<const Method> method,
                                                const Estimate& estimate);

/// A method that chooses lambda by splitting samples, where S is not the samples' covariance
/// (missing values, ranks): lambda is chosen on the samples, the fit is to S.
std::shared_ptr<const Method> fitted_to_given_covariance(std::shared_ptr<const Method> method);

/// `method` on S times the factor that makes the mean variance `mean_variance`; its estimate is
/// scaled back.
std::shared_ptr<const Method> on_common_scale(std::shared_ptr<const Method> method,
                                              double mean_variance);

}  // namespace spodnet
