#pragma once

#include "reproduce/study.hpp"

namespace spodnet::figures {

/// Scores a method without training on the test set of a cell: glasso-cv, ledoit-wolf, oas, or
/// "truth", the true matrices themselves. Result: `measure`'s.
Part classical_part(const Study& study, const std::string& method, const Cell& cell, int k);

}  // namespace spodnet::figures
