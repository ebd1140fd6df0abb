#include "spodnet/workflow/resampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr std::uint32_t kBlocks = 1000;
constexpr Eigen::Index kMostSummed = 100;  // variables: 320 MB of sums
constexpr std::uint64_t kBlockSeed = 77;   // of which row is in which block
constexpr double kFewestRows = 4;

bool sums_will_do(const MatrixRef& X, const MomentsOptions& moments) {
  return X.rows() >= kLargeTable && X.cols() <= kMostSummed && !moments.ranks &&
         moments.kinds.empty() && !(moments.missing == Missing::em && X.hasNaN());
}

RowList in_random_order(std::size_t count, RandomStream random) {
  RowList out(count);
  std::iota(out.begin(), out.end(), 0u);
  random.shuffle(out);
  return out;
}

}  // namespace

bool draws_blocks(const MatrixRef& X, const MomentsOptions& moments, const RowFacts& rows) {
  return sums_will_do(X, moments) && rows.weight.size() == 0 && !rows.depend();
}

Resampler::Resampler(const WorkingData& data, const Method& method) : data_(data) {
  if (method.needs_samples() || data.weight.size() > 0 || !data.blocks.empty() ||
      !sums_will_do(data.Y, data.moments))
    return;
  origin_ = data.all.mean;
  const auto n = std::size_t(data.Y.rows());
  const RowList order = in_random_order(n, RandomStream(kBlockSeed));
  for (std::size_t b = 0; b < kBlocks; ++b) {
    leave_if_stopped();
    const std::size_t first = b * n / kBlocks, last = (b + 1) * n / kBlocks;
    Matrix Z(Eigen::Index(last - first), data.Y.cols());
    for (std::size_t k = first; k < last; ++k)
      Z.row(Eigen::Index(k - first)) = data.Y.row(order[k]) - origin_.transpose();
    sums_.push_back(pair_sums(Z));
  }
}

TrainingPart Resampler::sum_of(const RowList& blocks) const {
  PairSums sum = sums_[blocks[0]];
  for (std::size_t k = 1; k < blocks.size(); ++k) sum += sums_[blocks[k]];
  return part_of(data_, moments_of(sum, origin_));
}

TrainingPart Resampler::resampled(RandomStream random) const {
  if (!sums_.empty()) return sum_of(resampled_rows({}, false, kBlocks, random));
  return part_of(data_,
                 resampled_rows(data_.blocks, data_.clusters, std::size_t(data_.Y.rows()), random));
}

RowList Resampler::rows_without(double share, RandomStream random) const {
  const auto n = std::size_t(data_.Y.rows());
  const RowList units = in_random_order(data_.clusters ? data_.blocks.size() : n, random);
  const double wanted = std::round((1 - share) * double(n));
  const auto kept = std::size_t(std::clamp(wanted, kFewestRows, double(n)));
  RowList rows;
  for (std::size_t k = 0; k < units.size() && rows.size() < kept; ++k) {
    const RowList block = data_.clusters ? data_.blocks[units[k]] : RowList{units[k]};
    rows.insert(rows.end(), block.begin(), block.end());
  }
  return rows;
}

TrainingPart Resampler::without(double share, RandomStream random) const {
  if (sums_.empty()) return part_of(data_, rows_without(share, random));
  RowList blocks = in_random_order(kBlocks, random);
  blocks.resize(std::size_t(std::max(1.0, std::round((1 - share) * kBlocks))));
  return sum_of(blocks);
}

Problem Resampler::problem_of(const TrainingPart& part) const {
  Problem problem = spodnet::problem_of(data_, part);
  if (!sums_.empty() && data_.all.X.size() > 0) problem.X = &data_.all.X;
  return problem;
}

}  // namespace spodnet
