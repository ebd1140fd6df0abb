#include "spodnet/workflow/analysis.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

Analysis begin_analysis(const Prepared& data, const AnalysisOptions& options,
                        const RunContext& run) {
  const auto n = std::size_t(std::max(2.0, std::round(data.moments.n)));
  Analysis analysis{
      .data = data,
      .options = options,
      .run = run,
      .working = working_data(data, options.standardize, {options.seed, !options.folds_in_order}),
      .plan = plan_for(data.p(), n, options.standardize),
      .model = {},
      .trained_on = {},
      .candidates = {},
      .notes = {}};
  if (auto constraints = constraints_for(data, options.constraints))
    analysis.constraints = std::make_shared<const Constraints>(std::move(*constraints));
  analysis.working.constraints = analysis.constraints.get();
  return analysis;
}

}  // namespace spodnet
