#pragma once
// Where things lie that the blocks of a group share, and those of one of them.
#include "spodnet/cuda/tape.cuh"
#include "spodnet/cuda/walk.hpp"

namespace spodnet::cuda {

/// Vectors that the blocks of a group show each other, in global memory.
enum GroupVector {
  kShownX,
  kShownU,
  kShownW,  ///< two
  kShownY = kShownW + 2,
  kShownHidden,
  kShownTerms,  ///< y, h, m, w, d_theta, diagonal: two of each
  kShownVectors = kShownTerms + 12
};

/// Where the parts of a group's global memory start, in numbers.
struct GroupLayout {
  static constexpr int kHeader = 16;      ///< the barrier's counter
  static constexpr int kMostSums = 12;    ///< of a sum over the blocks
  static constexpr int kMostArray = 512;  ///< numbers of an array that is summed at once
  int ld, length;                         ///< of a row; of a shown vector
  long slots, arrays, vectors, T, rest, size;

  __host__ __device__ GroupLayout(const WalkShape& shape, int p, int blocks) {
    ld = even(p), length = ld;
    if (shape.rule.map.hidden > length) length = even(shape.rule.map.hidden);
    slots = kHeader;
    arrays = slots + 2 * kMostSums * even(blocks);
    vectors = arrays + 2L * blocks * kMostArray;
    T = vectors + long(kShownVectors) * length;
    rest = T + long(p) * ld;
    size = rest + long(p + blocks) * ld;
  }
};

/// Of a block of a group, at the start of shared memory.
struct alignas(16) GroupShared {
  double product[128], row[128], diag_S[128], x[128];  ///< of the entries it owns
  double sums[GroupLayout::kMostSums][16], result[GroupLayout::kMostSums];
  double fetched[8][128];  ///< of a tape
  double collected[6];     ///< see GroupBlock::collect
  double coef[8];
  unsigned phase;  ///< barriers of the group so far
};

}  // namespace spodnet::cuda
