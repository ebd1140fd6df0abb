#pragma once

#include "reproduce/figure.hpp"
#include "reproduce/reproduce.hpp"

namespace spodnet::figures {

/// What every table's JSON twin says of its making: seed, scale, settings, version, machine,
/// command.
Json table_record(const Study& study, const ReproduceOptions& options);

/// plan.json: scale, counts, epochs, cells, learning rates and how they came about, seconds.
Json plan_record(const Study& study, const ReproduceOptions& options,
                 const std::vector<Figure>& figures, const std::vector<Part>& parts,
                 const ReproduceResult& result);

}  // namespace spodnet::figures
