#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/estimate.hpp"
#include "spodnet/problem/loss.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

class DeviceRecord;

/// Device and thread count.
struct EngineOptions {
  std::string device = "cpu";  ///< cpu; cuda or cuda:N where the library was built with it; auto
  int threads = 1;             ///< of the CPU; 0: one per available core
  ThreadPool* pool = nullptr;  ///< a team to share instead of an own one of `threads`
  DeviceRecord* record = nullptr;  ///< where methods say who computed; null: nowhere
};

/// Options of an estimate, not stored in a model file.
struct EstimateOptions {
  double sparsity = 1;         ///< factor of all thresholds: above 1 fewer edges
  ThreadPool* pool = nullptr;  ///< its threads share one large matrix; null: one thread each
};

/// Loss of one matrix.
struct MatrixLoss {
  double loss = 0, nmse = 0;
  Status status = Status::ok;
  int refreshes = 0;  ///< how often W was recomputed because it had drifted
};

/// Sums over a list of matrices, divided by the divisor; `status` is not_finite when any loss or
/// gradient is.
struct BatchLoss {
  double loss = 0;
  double nmse = 0;  ///< of ||Theta - Theta_true||_F^2 / ||Theta_true||_F^2
  Status status = Status::ok;
  int refreshes = 0;
};

/// Entries first ... first + count - 1 of a list of matrices, computed together.
struct Part {
  std::size_t first = 0, count = 0;
};

/// What computes, apart from what is computed: a model's estimates, losses and gradients on one
/// device. It reads the model's parameters in every call, so they may change between calls.
/// Results are the same bit for bit for any number of threads. One caller at a time, but for
/// `estimate`. What an engine cannot do (a size, constraints) it refuses with an Error that says
/// so.
class Engine {
 public:
  explicit Engine(const Model& model) : model_(model) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Model& model() const { return model_; }
  virtual std::string device() const = 0;  ///< cpu, cuda:0, ...

  // Training: an epoch's samples once, then batches of them.

  /// The samples that `which` counts in below; they must stay valid until the next call.
  virtual void keep(std::span<const Sample> samples) = 0;

  /// How a list of kept samples is cut: by the list and the loss alone, on any device.
  virtual std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss& loss) const = 0;

  /// Of the parts given, each: the gradient of sum(loss) / divisor over its matrices, row k of
  /// `gradients` (parts x parameters, overwritten), and the loss of each matrix of the list that
  /// lies in one of them (losses has the length of the list).
  virtual void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                              const Loss& loss, double divisor, std::span<double> gradients,
                              std::span<MatrixLoss> losses) = 0;

  /// The gradient of sum(loss) / divisor over the list (overwritten): that of its parts, added in
  /// index order.
  [[nodiscard]] virtual BatchLoss loss_gradient(std::span<const std::uint32_t> which,
                                                const Loss& loss, double divisor,
                                                std::span<double> gradient);

  // Estimates. Any number of callers at a time.

  /// One estimate per sample (whose Theta_true is not read), in their order.
  [[nodiscard]] virtual std::vector<Estimate> estimate(std::span<const Sample> samples,
                                                       const EstimateOptions& options) const = 0;
  /// The same of one covariance S of n samples, with prior knowledge where it is not null.
  [[nodiscard]] Estimate estimate(const MatrixRef& S, double n, const EstimateOptions& options = {},
                                  const Constraints* constraints = nullptr) const;

  // For callers with a loss of their own.

  /// Whether S, Theta, W and d_Theta of the two functions below may lie in the memory of the
  /// device; S and W must then stay until the backward, which gives no gradient of S.
  virtual bool reads_device_memory() const { return false; }

  /// Theta and W of samples of one size (count x p x p each) and what became of each; keeps what
  /// `backward` needs. A matrix whose status is not ok holds the last SPD iterate and has no
  /// gradient.
  virtual void forward(std::span<const Sample> samples, double* Theta, double* W,
                       std::span<Status> status) = 0;

  /// From d_Theta = dL/dTheta of the last `forward` (count x p x p, symmetric, W taken for
  /// Theta^{-1}): the gradient of the parameters (overwritten) and, unless null, of S (count x p x
  /// p, symmetric).
  virtual void backward(const double* d_Theta, std::span<double> gradient, double* d_S) = 0;

 private:
  const Model& model_;
  std::vector<double> part_gradients_;
  std::vector<MatrixLoss> losses_;
};

/// What loss_gradient makes of its parts: gradients (parts x parameters) added in index order.
BatchLoss sum_parts(std::span<const double> gradients, std::span<const MatrixLoss> losses,
                    double divisor, std::span<double> gradient);

/// The pool of the options, or a new one.
std::shared_ptr<ThreadPool> team_of(const EngineOptions& options);

/// A list of all of `count` kept samples: 0, 1, ...
std::vector<std::uint32_t> all_of(std::size_t count);

}  // namespace spodnet
