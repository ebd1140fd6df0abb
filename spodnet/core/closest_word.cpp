#include "spodnet/core/closest_word.hpp"

#include <algorithm>
#include <vector>

namespace spodnet {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> d((a.size() + 1) * columns);  // d(i, j): of the first i and j letters
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& best = d[i * columns + j];
      if (i == 0 || j == 0) {
        best = i + j;
        continue;
      }
      best = std::min(d[(i - 1) * columns + j], d[i * columns + j - 1]) + 1;
      best = std::min(best, d[(i - 1) * columns + j - 1] + (a[i - 1] != b[j - 1]));
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = std::min(best, d[(i - 2) * columns + j - 2] + 1);
    }
  return d.back();
}

std::string closest_word(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& each : known) {
    const std::size_t distance = edit_distance(word, each);
    if (distance < least) least = distance, best = each;
  }
  return best;
}

}  // namespace spodnet
