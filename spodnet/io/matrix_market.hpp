#pragma once

#include <filesystem>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Writes A in Matrix Market coordinate format, non-zero entries only, columns in order, indices
/// from 1, numbers as the shortest text that reads back to the same double. A square matrix equal
/// to its transpose is declared symmetric and given by its lower triangle; any other is general.
/// Atomic. Throws when an entry is NaN or infinite, which the format cannot hold. Cost: O(rows x
/// cols).
void write_matrix_market(const std::filesystem::path& path, const MatrixRef& A);

}  // namespace spodnet
