#pragma once

#include "spodnet/estimators/compare.hpp"
#include "spodnet/workflow/analyse.hpp"

namespace spodnet {

/// What `compare` runs by default: the candidates of `graph` under the same names, and
/// others.
inline constexpr const char* kCommonMethods[] = {"pretrained:target=precision,refit=true",
                                                 "pretrained",
                                                 "glasso-cv",
                                                 "glasso-ebic",
                                                 "ledoit-wolf",
                                                 "oas",
                                                 "egfm"};

struct CompareDataOptions {
  std::vector<std::string> methods;  ///< as in make_method, or tailored (auto): beside the
                                     ///< common ones ...
  bool only_these = false;           ///< ... or instead of them
  int folds = 5;
  bool standardize = true;
  std::uint64_t seed = 0;
  bool folds_in_order = false;               ///< consecutive rows, not shuffled ones
  const Constraints* constraints = nullptr;  ///< a common method that cannot keep them has a note
  std::filesystem::path cache;               ///< of trained models; empty: none
};

/// All methods side by side on the same rows and folds of one table. Data without samples, fewer
/// than two rows a fold, an unknown method, one named in `methods` that cannot keep the
/// constraints: Error.
[[nodiscard]] Comparison compare_data(const Prepared& data, const CompareDataOptions& options,
                                      const RunContext& run);

}  // namespace spodnet
