#pragma once

#include <optional>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/generate/mixed_dataset.hpp"

namespace spodnet {

/// What a table of answers in ordered levels poses, by the very preparation of such tables: n rows
/// of N(0, R), R the correlations of Theta^{-1}, whose columns are cut into 2 to 7 levels, all
/// columns of a table alike or each in its own way, evenly or with nearly all answers in few levels
/// (90 to 10 and beyond). In one table of four a part of the columns stays numbers; in three of
/// ten, 1 to 30 % of the values are missing. S and n are the prepared ones: polychoric and
/// polyserial correlations, repaired, with the standard deviations of the levels in these rows, and
/// as many samples as they are worth. Theta_true is n / (n + 1) times the inverse of R with the
/// standard deviations of the levels in the population. Columns that are constant in these rows, or
/// follow from others, are left out of both; nothing where fewer than two are left. Theta SPD, n
/// >= 2. Cost: n p^2 + 2 p^3 + some us for each pair.
std::optional<MatrixPair> draw_level_problem(const MatrixRef& Theta, std::size_t n,
                                             RandomStream& random);

}  // namespace spodnet
