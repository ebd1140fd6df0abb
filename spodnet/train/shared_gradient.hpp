#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spodnet/core/group.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet {

/// Which process computes which part of a batch: the costly ones first, each to the process with
/// the least to do. costs[k] is part k's, the result its rank.
std::vector<int> share_out(std::span<const double> costs, int ranks);

/// What each part of a list costs, up to a factor: p^3 for a matrix.
std::vector<double> part_costs(std::span<const Part> parts, std::span<const std::uint32_t> which,
                               std::span<const Sample> kept);

/// Loss and gradient of batches by a group of processes. Each computes whole parts; the sum is
/// formed part after part, in index order, and so is the same bit for bit for any number of
/// processes, the engine's own loss_gradient included.
///
/// A process has a slice of the parameters: it gets that slice of every part from the others, adds
/// them up and gives everyone the sum. With P parts, N parameters and R processes each sends about
/// 8 N (P / R + 1) bytes in two steps. Few numbers are sent to everyone as they are, in one.
class SharedGradient {
 public:
  SharedGradient(Engine& engine, Group& group) : engine_(engine), group_(group) {}

  /// As Engine::loss_gradient, for a list of the engine's kept samples `kept`. `stop` of any
  /// process is known to all afterwards.
  [[nodiscard]] BatchLoss operator()(std::span<const std::uint32_t> which,
                                     std::span<const Sample> kept, const Loss& loss, double divisor,
                                     bool stop, std::span<double> gradient);

  bool stopped() const { return stopped_; }     ///< whether some process asked to stop
  std::size_t parts() const { return parts_; }  ///< of the last batch

 private:
  struct Cut;

  std::vector<double> sum_of_slice(const Cut& cut);
  static void add_rows(const Cut& cut, std::span<const double> numbers,
                       std::vector<std::size_t> place, std::span<double> sum);
  void tell_all(const Cut& cut, std::span<const double> mine);

  Engine& engine_;
  Group& group_;
  bool stopped_ = false;
  std::size_t parts_ = 0;
  std::vector<double> rows_, blocks_, received_, all_, sum_;
  std::vector<MatrixLoss> losses_;
};

}  // namespace spodnet
