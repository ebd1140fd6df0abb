#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <memory>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/models/layer_stack.hpp"

namespace spodnet {

/// One matrix of a `forward` through the layer, with what its `backward` needs.
template <ColumnRule Rule>
class WalkedMatrix {
 public:
  using Stack = LayerStack<Rule>;

  [[nodiscard]] Status forward(const Stack& stack, const typename Stack::Prepared& prepared,
                               const Sample& outside, double* Theta, double* W) {
    if (!chunk_ || chunk_->slots[0].state.p() != outside.p)
      chunk_ = std::make_unique<Chunk<Rule>>(stack.rule(), outside.p, stack.layers(), 1);
    sample_ = stack.framed() ? framed_.enter(outside, stack.config().standardized) : outside;
    stack.forward(prepared, stack.options(), *chunk_, {&sample_, 1});
    const auto p = Eigen::Index(sample_.p);
    MatrixMap Theta_out(Theta, p, p), W_out(W, p, p);
    const MatrixWorkspace& slot = chunk_->slots[0];
    if (const Status status = slot.status; status != Status::ok) {
      chunk_.reset();  // what was not finite may still lie there
      const Estimate kept = stack.estimate(prepared, outside, {});  // an answer, but no gradient
      Theta_out = kept.Theta;
      W_out = kept.W;
      return status;
    }
    slot.state.get_Theta(chunk_->tapes.back()[0], Theta);
    slot.state.get_W(W);
    if (stack.framed()) {
      Theta_out = framed_.frame().leave_precision(Matrix(Theta_out));
      W_out = framed_.frame().leave_covariance(Matrix(W_out));
    }
    return Status::ok;
  }

  /// Adds to the gradient and writes d_S, unless that is null. Once for each forward.
  void backward(const Stack& stack, const typename Stack::Prepared& prepared, const double* d_Theta,
                std::span<double> gradient, double* d_S) {
    if (d_S) std::fill_n(d_S, sample_.p * sample_.p, 0.0);
    if (!chunk_ || chunk_->slots[0].status != Status::ok) return;
    MatrixWorkspace& slot = chunk_->slots[0];
    if (stack.framed()) {
      Matrix G = ConstMatrixMap(d_Theta, Eigen::Index(sample_.p), Eigen::Index(sample_.p));
      framed_.frame().enter_gradient(d_Theta, G.data());
      slot.adjoint.assign(G.data());
    } else {
      slot.adjoint.assign(d_Theta);
    }
    slot.d_S = d_S;
    stack.backward(prepared, *chunk_, {&sample_, 1}, gradient);
    slot.d_S = nullptr;
    slot.status = Status::not_finite;  // W is undone
    double sum = 0;
    for (const double d : gradient) sum += d;
    if (!std::isfinite(sum)) chunk_.reset();  // what was not finite may still lie there
  }

 private:
  std::unique_ptr<Chunk<Rule>> chunk_;
  FramedSample framed_;
  Sample sample_;  ///< as the network sees it
};

/// Forward of a batch, then backward from a gradient d_Theta that the caller gives
/// (Engine::forward and backward): small UBG problems by the vector lanes; all others, and matrices
/// that the lanes could not do, by the layer.
template <ColumnRule Rule>
class CpuForwardBackward {
 public:
  using Stack = LayerStack<Rule>;

  CpuForwardBackward(const Stack& stack, ThreadPool& team) : stack_(stack), team_(team) {}

  /// The samples must stay until `backward`.
  void forward(std::span<const Sample> samples, double* Theta, double* W,
               std::span<Status> status) {
    stack_.prepare(prepared_);
    samples_.assign(samples.begin(), samples.end());
    matrices_.resize(samples.size());
    groups_ = lanes_take(samples) ? lanes_groups(samples.size()) : std::vector<Part>();
    by_lanes_ = std::make_unique<bool[]>(samples.size());
    walk_lanes(Theta, W);
    team_.run(samples.size(), [&](std::size_t k, int) {
      const std::size_t at = k * samples[k].p * samples[k].p;
      status[k] = by_lanes_[k]
                      ? Status::ok
                      : matrices_[k].forward(stack_, prepared_, samples[k], Theta + at, W + at);
    });
  }

  void backward(const double* d_Theta, std::span<double> gradient, double* d_S) {
    if (d_S && !groups_.empty()) leave_lanes();
    const std::size_t size = gradient.size(), rows = groups_.size() + samples_.size();
    gradients_.assign(rows * size, 0.0);
    team_.run(rows, [&](std::size_t row, int) {
      const std::span<double> mine = std::span(gradients_).subspan(row * size, size);
      if (row < groups_.size()) {
        const std::size_t first = groups_[row].first, p = samples_[0].p;
        return lanes_[row].backward(stack_.lanes_batch(samples_[0].n), d_Theta + first * p * p,
                                    mine);
      }
      const std::size_t k = row - groups_.size(), entries = samples_[k].p * samples_[k].p;
      if (!by_lanes_[k])
        matrices_[k].backward(stack_, prepared_, d_Theta + k * entries, mine,
                              d_S ? d_S + k * entries : nullptr);
    });
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t row = 0; row < rows; ++row)
      kernels().add(size, gradients_.data() + row * size, gradient.data());
  }

 private:
  bool lanes_take(std::span<const Sample> samples) const {
    return stack_.lanes_can() && std::none_of(samples.begin(), samples.end(), [](const Sample& s) {
             return s.constraints != nullptr;
           });
  }

  void walk_lanes(double* Theta, double* W) {
    lanes_.resize(std::max(lanes_.size(), groups_.size()));
    team_.run(groups_.size(), [&](std::size_t g, int) {
      const auto [first, count] = groups_[g];
      const std::size_t at = first * samples_[0].p * samples_[0].p;
      lanes_[g].forward(stack_.lanes_batch(samples_[0].n),
                        std::span(samples_).subspan(first, count), Theta + at, W + at,
                        {by_lanes_.get() + first, count});
    });
  }

  /// The lanes give no gradient of S: once more, by the layer.
  void leave_lanes() {
    const std::size_t entries = samples_.empty() ? 0 : samples_[0].p * samples_[0].p;
    team_.run(samples_.size(), [&](std::size_t k, int) {
      std::vector<double> ignored(2 * entries);
      if (by_lanes_[k])
        (void)matrices_[k].forward(stack_, prepared_, samples_[k], ignored.data(),
                                   ignored.data() + entries);
      by_lanes_[k] = false;
    });
    groups_.clear();
  }

  const Stack& stack_;
  ThreadPool& team_;
  typename Stack::Prepared prepared_;
  std::vector<Sample> samples_;
  std::vector<WalkedMatrix<Rule>> matrices_;
  std::vector<Part> groups_;
  std::vector<LanesGroup> lanes_;
  std::unique_ptr<bool[]> by_lanes_;  ///< of each matrix; threads write their own entries
  std::vector<double> gradients_;     ///< of each group, then of each matrix
};

}  // namespace spodnet
