#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/generate/dataset.hpp"

namespace spodnet {

/// A covariance of n samples and the precision matrix behind them, both p x p.
struct MatrixPair {
  Matrix S, Theta_true;
  double n = 0;
};

/// Pairs of any sizes: matrix k has its own p and n. 16 p^2 bytes each.
using MixedDataSet = std::vector<MatrixPair>;

/// How S comes about: from samples that are drawn, or from the law of S itself (Wishart), which for
/// n > p costs p^3 instead of n p^2: the same distribution, other numbers. Data that are not
/// centred, and n = 1, always have samples.
enum class CovarianceFrom { samples, wishart };

/// The pairs options.first_index ... + count - 1 of the seed's sequence, p and n drawn
/// log-uniformly where they are ranges. Where they are not, and S comes from samples, the numbers
/// are generate_dataset's. Number k depends on (seed, k) alone, its Theta_true not on n. Where
/// `needed` is not empty, those whose entry is 0 are left empty.
MixedDataSet generate_mixed(const DataSetOptions& options, ThreadPool& pool,
                            CovarianceFrom from = CovarianceFrom::samples,
                            std::span<const char> needed = {});

/// One view per matrix, valid as long as `data` is.
std::vector<Sample> samples(const MixedDataSet& data);

}  // namespace spodnet
