#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "spodnet/models/model.hpp"

namespace spodnet {

/// The size-free models that come with the library (docs/models.md says how they were made):
/// `raw` knows the paper's matrices and reads the scale of the data, which says a lot about them
/// when samples are few; `standardized` works on correlations, whatever the units, and knows many
/// kinds.
enum class PretrainedForm { raw, standardized };

std::string to_string(PretrainedForm form);  ///< `raw`, `standardized`

/// One of them, ready to estimate; each call makes a new one.
std::unique_ptr<Model> pretrained_model(PretrainedForm form);

/// The form for a covariance of n samples: raw where level and spread of the variances are those of
/// the paper's matrices and they differ as variances of samples do, else standardized. Data that
/// were standardised already have variances that are all the same, and are no raw data.
PretrainedForm pretrained_form(const MatrixRef& S, double n);

/// The bytes of an embedded model file; empty when there is none of this name.
std::span<const std::byte> pretrained_file(std::string_view name);

}  // namespace spodnet
