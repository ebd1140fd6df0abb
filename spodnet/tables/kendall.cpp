#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "spodnet/tables/ranks.hpp"

namespace spodnet {
namespace {

struct Pair {
  double x, y;
};

double pairs_of(double count) { return 0.5 * count * (count - 1); }

/// Pairs of equal items in a sorted sequence.
template <class Equal>
double tied_pairs(const std::vector<Pair>& items, Equal equal) {
  double tied = 0;
  for (std::size_t first = 0; first < items.size();) {
    std::size_t last = first + 1;
    while (last < items.size() && equal(items[first], items[last])) ++last;
    tied += pairs_of(double(last - first));
    first = last;
  }
  return tied;
}

/// Sorts by y and counts the pairs that were in the wrong order: merge sort, from short runs up.
double sort_counting_swaps(std::vector<Pair>& items) {
  std::vector<Pair> merged(items.size());
  double swaps = 0;
  for (std::size_t run = 1; run < items.size(); run *= 2) {
    for (std::size_t first = 0; first < items.size(); first += 2 * run) {
      const std::size_t middle = std::min(first + run, items.size());
      const std::size_t last = std::min(first + 2 * run, items.size());
      std::size_t a = first, b = middle, out = first;
      while (a < middle || b < last) {
        const bool take_b = a == middle || (b < last && items[b].y < items[a].y);
        if (take_b) swaps += double(middle - a);
        merged[out++] = take_b ? items[b++] : items[a++];
      }
    }
    items.swap(merged);
  }
  return swaps;
}

}  // namespace

double kendall_tau(std::span<const double> x, std::span<const double> y) {
  std::vector<Pair> items;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!std::isnan(x[k]) && !std::isnan(y[k])) items.push_back({x[k], y[k]});
  std::sort(items.begin(), items.end(),
            [](const Pair& a, const Pair& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  const double all = pairs_of(double(items.size()));
  const double tied_x = tied_pairs(items, [](const Pair& a, const Pair& b) { return a.x == b.x; });
  const double tied_both =
      tied_pairs(items, [](const Pair& a, const Pair& b) { return a.x == b.x && a.y == b.y; });
  const double discordant = sort_counting_swaps(items);
  const double tied_y = tied_pairs(items, [](const Pair& a, const Pair& b) { return a.y == b.y; });
  const double concordant = all - tied_x - tied_y + tied_both - discordant;
  const double scale = std::sqrt((all - tied_x) * (all - tied_y));
  return scale > 0 ? (concordant - discordant) / scale : 0;
}

}  // namespace spodnet
