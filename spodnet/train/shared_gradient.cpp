#include "spodnet/train/shared_gradient.hpp"

#include <algorithm>
#include <numeric>

#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kFewNumbers = 8192;  // 64 kB: from here on a second message costs less
constexpr std::size_t kLossNumbers = 4;    // of a MatrixLoss

struct Slice {
  std::size_t first = 0, size = 0;
};

/// Of `count` parameters, those that a process adds up.
Slice slice_of(std::size_t count, int rank, int ranks) {
  const std::size_t first = count * std::size_t(rank) / std::size_t(ranks);
  return {first, count * std::size_t(rank + 1) / std::size_t(ranks) - first};
}

void append(std::vector<double>& numbers, const MatrixLoss& loss) {
  numbers.insert(numbers.end(),
                 {loss.loss, loss.nmse, double(int(loss.status)), double(loss.refreshes)});
}

MatrixLoss loss_from(const double* numbers) {
  return {numbers[0], numbers[1], Status(int(numbers[2])), int(numbers[3])};
}

}  // namespace

std::vector<int> share_out(std::span<const double> costs, int ranks) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<double> load(std::size_t(ranks), 0.0);
  std::vector<int> owner(costs.size());
  for (const std::size_t k : order) {
    const auto least = std::min_element(load.begin(), load.end());
    owner[k] = int(least - load.begin());
    *least += costs[k];
  }
  return owner;
}

std::vector<double> part_costs(std::span<const Part> parts, std::span<const std::uint32_t> which,
                               std::span<const Sample> kept) {
  std::vector<double> costs;
  for (const Part& part : parts) {
    double cost = 0;
    for (const std::uint32_t k : which.subspan(part.first, part.count)) {
      const double p = double(kept[k].p);
      cost += p * p * p;
    }
    costs.push_back(cost);
  }
  return costs;
}

/// A batch in parts, the process of each, and what each process sends to the others.
struct SharedGradient::Cut {
  std::vector<Part> parts;
  std::vector<int> owner;
  std::vector<std::vector<Part>> of;  ///< of each rank, in index order
  std::size_t parameters;
  bool few;  ///< everyone gets every part's gradient, not only the sums of slices

  Cut(std::vector<Part> all, std::vector<int> owners, int ranks, std::size_t parameters_)
      : parts(std::move(all)),
        owner(std::move(owners)),
        of(std::size_t(ranks)),
        parameters(parameters_),
        few(parts.size() * parameters <= kFewNumbers) {
    for (std::size_t k = 0; k < parts.size(); ++k) of[std::size_t(owner[k])].push_back(parts[k]);
  }

  Slice slice(std::size_t rank) const { return slice_of(parameters, int(rank), int(of.size())); }
  std::size_t rows(std::size_t rank) const { return of[rank].size(); }
  /// The gradient's numbers in a rank's message to all ...
  std::size_t head(std::size_t rank) const {
    return few ? rows(rank) * parameters : slice(rank).size;
  }
  /// ... and with the losses and the wish to stop behind them.
  std::size_t message(std::size_t rank) const {
    std::size_t matrices = 0;
    for (const Part& part : of[rank]) matrices += part.count;
    return head(rank) + kLossNumbers * matrices + 1;
  }
};

/// This process' slice of every part, from those who have them, added up in index order.
std::vector<double> SharedGradient::sum_of_slice(const Cut& cut) {
  const auto rank = std::size_t(group_.rank());
  const std::size_t N = cut.parameters, size = cut.slice(rank).size;
  std::vector<std::size_t> sent, expected, place(1, 0);
  blocks_.clear();
  for (std::size_t r = 0; r < cut.of.size(); ++r) {
    const Slice theirs = cut.slice(r);
    for (std::size_t k = 0; k < cut.rows(rank); ++k) {
      const auto row = rows_.begin() + std::ptrdiff_t(k * N + theirs.first);
      blocks_.insert(blocks_.end(), row, row + std::ptrdiff_t(theirs.size));
    }
    sent.push_back(cut.rows(rank) * theirs.size);
    expected.push_back(cut.rows(r) * size);
    place.push_back(place.back() + expected.back());
  }
  received_.resize(place.back());
  group_.exchange(blocks_, sent, received_, expected);
  std::vector<double> sum(size, 0.0);
  add_rows(cut, received_, place, sum);
  return sum;
}

/// Adds the rows of all parts in index order; those of rank r begin at numbers[place[r]].
void SharedGradient::add_rows(const Cut& cut, std::span<const double> numbers,
                              std::vector<std::size_t> place, std::span<double> sum) {
  for (const int r : cut.owner) {
    kernels().add(sum.size(), numbers.data() + place[std::size_t(r)], sum.data());
    place[std::size_t(r)] += sum.size();
  }
}

/// From what all processes send: the sum, all losses, and whether one of them wants to stop.
void SharedGradient::tell_all(const Cut& cut, std::span<const double> mine) {
  std::vector<std::size_t> counts, place(1, 0);
  for (std::size_t r = 0; r < cut.of.size(); ++r) {
    counts.push_back(cut.message(r));
    place.push_back(place.back() + counts.back());
  }
  all_.resize(place.back());
  group_.gather(mine, counts, all_);
  sum_.assign(cut.parameters, 0.0);
  if (cut.few) add_rows(cut, all_, place, sum_);
  for (std::size_t r = 0; r < cut.of.size(); ++r) {
    const double* next = all_.data() + place[r];
    if (!cut.few) std::copy_n(next, cut.head(r), sum_.data() + cut.slice(r).first);
    next += cut.head(r);
    for (const Part& part : cut.of[r])
      for (std::size_t s = 0; s < part.count; ++s, next += kLossNumbers)
        losses_[part.first + s] = loss_from(next);
    stopped_ = stopped_ || *next != 0;
  }
}

BatchLoss SharedGradient::operator()(std::span<const std::uint32_t> which,
                                     std::span<const Sample> kept, const Loss& loss, double divisor,
                                     bool stop, std::span<double> gradient) {
  const int ranks = group_.size();
  std::vector<Part> parts = engine_.parts(which, loss);
  std::vector<int> owner = share_out(part_costs(parts, which, kept), ranks);
  const Cut cut(std::move(parts), std::move(owner), ranks, gradient.size());
  const std::vector<Part>& own = cut.of[std::size_t(group_.rank())];
  parts_ = cut.parts.size();
  rows_.resize(own.size() * gradient.size());
  losses_.assign(which.size(), {});
  if (!own.empty()) engine_.part_gradients(which, own, loss, divisor, rows_, losses_);
  std::vector<double> mine = cut.few ? rows_ : sum_of_slice(cut);
  for (const Part& part : own)
    for (std::size_t s = 0; s < part.count; ++s) append(mine, losses_[part.first + s]);
  mine.push_back(stop ? 1 : 0);
  tell_all(cut, mine);
  return sum_parts(sum_, losses_, divisor, gradient);
}

}  // namespace spodnet
