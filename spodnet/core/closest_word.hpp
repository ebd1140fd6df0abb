#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spodnet {

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that `word` was probably meant to be: the closest within a third of its length,
/// at least one change; empty when there is none.
std::string closest_word(std::string_view word, std::span<const std::string> known);

}  // namespace spodnet
