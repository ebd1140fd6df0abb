#pragma once

#include <memory>
#include <string>

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

/// The graph of `method`, refitted: Theta maximises the likelihood of S among the matrices
/// with zeros where the method has them, each entry penalised by 3/n sqrt(S_ii S_jj) |Theta_ij|. A
/// model trained to a small squared error shrinks what it keeps; this does not.
std::shared_ptr<const Method> refitted_graph(std::shared_ptr<const Method> method);

/// make_method, and `refit=true` among the settings of any method: its graph, refitted.
std::shared_ptr<const Method> make_table_method(MethodSpec spec, const ModelRegistry& models,
                                                const EngineOptions& engine = {});
std::shared_ptr<const Method> make_table_method(const std::string& text,
                                                const ModelRegistry& models,
                                                const EngineOptions& engine = {});

/// `method` on S times the factor that makes the mean variance `mean_variance`; its estimate is
/// scaled back.
std::shared_ptr<const Method> on_common_scale(std::shared_ptr<const Method> method,
                                              double mean_variance);

}  // namespace spodnet
