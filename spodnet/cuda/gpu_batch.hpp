#pragma once

#include <functional>
#include <span>
#include <vector>

#include "spodnet/cuda/kept_samples.hpp"
#include "spodnet/cuda/learned_starts.hpp"
#include "spodnet/models/input_offset.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet::cuda {

/// Walks lists of kept samples through a model's layers on the device, sizes in buckets, and owns
/// the memory that takes. Results are by place in the list ("row").
class GpuBatch {
 public:
  GpuBatch(const Model& model, const WalkShape& shape)
      : model_(model), shape_(shape), starts_(model, shape.start_terms) {}

  const WalkShape& shape() const { return shape_; }
  /// Whether the device can walk a matrix of this size; `backward`: and go back over it.
  bool fits(std::size_t p, bool backward) const;

  /// Of the network's input, with the model's parameters.
  InputOffset offset() const;

  /// Copies the model's parameters to the device.
  void set_weights();

  /// G from Theta of row k (p x p each).
  using LossOf = std::function<void(std::size_t row, const double* Theta, double* G)>;

  /// Forward, loss and backward of the rows whose `which` is not kSkip; factor[row] is 2 / (unit
  /// divisor) of a squared error. With `loss` its G is used instead.
  void train(KeptSamples& samples, std::span<const std::uint32_t> which,
             std::span<const double> factor, const LossOf& loss, ThreadPool& team);
  /// Who takes Theta and its inverse (p x p each) of a row; `pool`: threads that are free for it.
  using Take = std::function<void(std::size_t row, const Outcome& outcome, const double* Theta,
                                  const double* W, ThreadPool* pool)>;
  /// Forward alone, of the samples `which` (row k is sample which[k]).
  void estimate(const KeptSamples& samples, std::span<const std::uint32_t> which, double sparsity,
                const Take& take, ThreadPool& team);

  /// The problem of sample k, whose results are row `row`'s.
  WalkProblem problem(const KeptSamples& samples, std::size_t k, std::size_t row) const;
  /// W_in of sample which[k] for problem k, where the start is learned; for the way back, too.
  void begin_starts(const KeptSamples& samples, std::span<const std::uint32_t> which,
                    std::span<WalkProblem> problems, ThreadPool& team) {
    if (starts_.any()) starts_.begin(samples, which, problems, true, team);
  }
  /// After the way back: the gradients of its weights, rows x start_terms.
  std::vector<double> start_gradients(std::size_t rows, ThreadPool& team) {
    return starts_.gradients(rows, outcomes_, team);
  }
  /// Forward alone of problems of one size, rows 0, 1, ..., whose Theta and state are set; the
  /// tapes are kept while there is memory for them.
  void forward(std::vector<WalkProblem> problems);
  /// Goes on from the last `forward`: the gradients of its rows from G[row] on.
  void backward(std::span<const double* const> G);

  /// What became of each row of the last call.
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  /// Puts a gradient in the place of row k's.
  void set_gradient(std::size_t row, std::span<const double> gradient);
  /// Sums of rows of the last call: of parts of kPartSize and of all, in index order.
  void sum(std::size_t rows, std::span<double> parts, std::span<double> total);

  static constexpr std::uint32_t kSkip = UINT32_MAX;

 private:
  struct Bucket {
    int largest = 0;  ///< p
    std::vector<WalkProblem> problems;
  };
  /// What a training step walks; the last one's where nothing has changed since.
  struct Listed {
    std::vector<std::uint32_t> which;
    std::vector<double> factor;
    std::size_t version = 0;  ///< of the samples; 0: to be made again
    std::vector<Bucket> buckets;
  };
  void list(const KeptSamples& samples, std::span<const std::uint32_t> which,
            std::span<const double> factor, bool with_truth, ThreadPool& team);
  std::vector<Bucket> buckets(std::vector<WalkProblem> problems, bool backward) const;
  Launch launch(const Bucket& bucket, std::size_t first, std::size_t count);
  void keep_inputs(KeptSamples& samples);
  void walk_with_loss(const Bucket& bucket, const LossOf& loss, ThreadPool& team);
  void estimate_bucket(const Bucket& bucket, double sparsity, const Take& take, ThreadPool& team);
  void fetch_outcomes(std::size_t rows);
  void begin_sum(std::size_t rows);
  std::size_t most_tapes(int p) const;

  const Model& model_;
  WalkShape shape_;
  LearnedStarts starts_;
  std::vector<Outcome> outcomes_;
  HostMemory weights_here_, listed_;  ///< what lies in weights_ and problems_
  std::size_t listed_count_ = 0;
  bool uploading_ = false, listing_ = false;  ///< they may still be on their way there
  DeviceMemory weights_, transposed_, problems_, gradients_, memory_, results_, parts_, total_;
  Listed trained_;
  Bucket walked_;                       ///< of the last `forward`
  DeviceMemory matrices_;               ///< Theta with state, or with W
  HostMemory staged_;                   ///< the host's side of them
  HostMemory fetched_, total_fetched_;  ///< outcomes; the sum of all gradients
  bool summed_ = false;                 ///< the sums are those of the gradients
};

}  // namespace spodnet::cuda
