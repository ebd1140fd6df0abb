#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "spodnet/core/types.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// The size-free models that come with the library (docs/models.md says how they were made):
/// `paper` knows the paper's matrices alone and is far off on others; `raw` knows many kinds. Both
/// read the scale of the data, which says a lot when samples are few. `tables` works on
/// correlations, whatever the units: it is made for tables of measurements, consistent (the more
/// rows, the nearer to the inverse covariance) and at ease with collinear variables.
/// `standardized` is what came before it.
enum class PretrainedForm { paper, raw, standardized, tables };

inline constexpr PretrainedForm kPretrainedForms[] = {PretrainedForm::paper, PretrainedForm::raw,
                                                      PretrainedForm::standardized,
                                                      PretrainedForm::tables};

std::string to_string(PretrainedForm form);  ///< `paper`, `raw`, `standardized`, `tables`

/// One of them, ready to estimate; each call makes a new one.
std::unique_ptr<Model> pretrained_model(PretrainedForm form);

/// Whether a model may be used for a covariance of n samples: level and spread of the variances are
/// those of the matrices it was trained on, and they differ as variances of samples do. Data
/// that were standardised already have variances that are all the same. `raw` was also seen to fail
/// on matrices larger than those. True for standardized
/// and tables.
bool within_training_range(PretrainedForm form, const MatrixRef& S, double n);

/// The bytes of an embedded model file; empty when there is none of this name.
std::span<const std::byte> pretrained_file(std::string_view name);

}  // namespace spodnet
