#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/generate/sparsity_levels.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

/// Covariances, the precision matrices behind them and, where kept, the samples themselves.
struct DataSet {
  MatrixBatch S;                            ///< count x p x p, exactly symmetric
  MatrixBatch Theta_true;                   ///< count x p x p, or empty when unknown
  MatrixBatch X;                            ///< count x n x p, or empty when not kept
  double n = 0;                             ///< samples behind each S; 0: unknown
  std::map<std::string, std::string> info;  ///< how it was made: generator, alpha, seed, ...

  std::size_t count() const { return S.count; }
  std::size_t p() const { return S.rows; }
};

struct DataSetOptions {
  SizeRange p = 20;  ///< a range: each matrix has its own (mixed_dataset.hpp)
  SizeRange n = 100;
  SparsityLevels alpha = {};
  PrecisionMix generator = {};
  std::size_t count = 1000;
  std::uint64_t seed = 0;
  bool centred = true;
  bool keep_samples = false;
  std::uint64_t first_index = 0;  ///< matrix k is number first_index + k of the seed's sequence
};

/// Pairs (S, Theta_true), each from its own Theta_true. Number k depends on (seed, k) alone, so the
/// set is the same for any number of threads, and a longer set begins with the shorter one. Within
/// number k, alpha and Theta_true do not depend on n, and fewer samples are the first of more.
/// Cost per matrix: 2 n p^2 + p^3 / 3. p and n must be numbers, not ranges.
DataSet generate_dataset(const DataSetOptions& options, ThreadPool& pool);

/// What a data set says of itself: generator, alpha, seed, centred, ...
std::map<std::string, std::string> dataset_info(const DataSetOptions& options);

/// safetensors with `S`, `Theta_true` [count,p,p] and `X` [count,n,p] where present; `n` and
/// `info` as metadata. The file appears whole or not at all.
void save_dataset(const std::filesystem::path& path, const DataSet& data);

/// Reads such a file, by whichever program: `S` is required (one p x p matrix counts as a set of
/// one), `Theta_true` and `X` optional, other tensors ignored. Throws Error naming the file and the
/// place when shapes disagree, a value is not finite or a matrix is not symmetric up to rounding;
/// what is within rounding is made exactly symmetric. `n` comes from the metadata, else from `X`.
DataSet load_dataset(const std::filesystem::path& path);

/// One view per matrix, valid as long as `data` is; Theta_true is null when unknown.
std::vector<Sample> samples(const DataSet& data);

struct TrainValid {
  std::vector<Sample> train, valid;
};

/// Sets round(fraction * count) samples aside for validation, chosen by the seed; each part keeps
/// the order of the set. 0 gives none; any other fraction in (0, 1) leaves both parts at least one.
TrainValid split_validation(const std::vector<Sample>& all, double fraction, std::uint64_t seed);

}  // namespace spodnet
