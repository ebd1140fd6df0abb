#include "spodnet/models/glad.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/models/glad_iterations.hpp"

namespace spodnet {
namespace {

/// What one matrix of the batch contributes; summed in index order.
struct Share {
  std::array<double, glad::kSize> gradient{};
  double loss = 0, nmse = 0;
  Status status = Status::ok;
};

struct Worker {
  glad::Tape tape;
  AlignedVector Theta_true;  ///< packed, padded
};

struct GladWorkspace final : TrainWorkspace {
  std::vector<Worker> workers;
  std::vector<Share> shares;
};

void evaluate_sample(const double* parameters, const Sample& sample, Loss loss, Worker& worker,
                     Share& share) {
  const std::size_t p = sample.p;
  glad::Tape& tape = worker.tape;
  share = {};
  pack_lower(sample.Theta_true, p, p, worker.Theta_true.data());
  share.status = glad::forward(parameters, sample.S, tape);
  if (share.status != Status::ok) return;
  double last = 0;
  for (const glad::Iteration& it : tape.iterations) {
    last = tape.distance2(it.Z, worker.Theta_true);
    share.loss += last / double(tape.iterations.size());
  }
  share.nmse = last / tape.inner(worker.Theta_true, worker.Theta_true);
  glad::backward(parameters, worker.Theta_true, tape, share.gradient.data());
  const double unit = loss_unit(loss, sample);
  share.loss /= unit;
  for (double& g : share.gradient) g /= unit;
}

void check_batch(std::span<const Sample> batch, std::span<const double> gradient, std::size_t p) {
  if (batch.empty()) throw Error("glad: the batch is empty");
  if (gradient.size() != glad::kSize)
    throw Error("glad: the gradient has " + std::to_string(gradient.size()) +
                " numbers instead of " + std::to_string(glad::kSize));
  for (const Sample& sample : batch)
    if (sample.p != p)
      throw Error("glad: a sample has " + std::to_string(sample.p) +
                  " variables but the model was made for p = " + std::to_string(p));
}

bool has_cholesky(const Matrix& A) { return Eigen::LLT<Matrix>(A).info() == Eigen::Success; }

/// V' diag(weights) V, exactly symmetric.
Matrix spectral(const SymmetricEigen& basis, const AlignedVector& weights, glad::Tape& tape) {
  const auto p = Eigen::Index(basis.p);
  Matrix A(p, p);
  tape.products.assemble(basis, weights.data(), tape.work.data());
  unpack_symmetric(tape.work.data(), basis.p, basis.p, A.data());
  return A;
}

/// Theta and W from the eigenvalues theta, which are raised while Theta has no Cholesky factor.
void invert_theta(glad::Tape& tape, Estimate& result) {
  glad::Iteration& it = tape.iterations.back();
  const double largest = *std::max_element(it.theta.begin(), it.theta.end());
  double floor = double(tape.p) * std::numeric_limits<double>::epsilon();
  result.Theta = spectral(it.Y, it.theta, tape);
  for (; !has_cholesky(result.Theta) && floor < 1; floor *= 8) {
    for (double& theta : it.theta) theta = std::max(theta, floor * largest);
    result.Theta = spectral(it.Y, it.theta, tape);
    result.status = Status::not_spd;
    result.message = "glad: Theta is singular to rounding; its smallest eigenvalues were raised";
  }
  for (std::size_t i = 0; i < tape.p; ++i) it.s[i] = 1 / it.theta[i];
  result.W = spectral(it.Y, it.s, tape);
  result.residual = inverse_residual(result.Theta, result.W);
}

}  // namespace

GladModel::GladModel(const ModelConfig& config) {
  if (config.p < 1) throw Error("glad: the number of variables p must be at least 1");
  if (config.layers < 1) throw Error("glad: the number of iterations (layers) must be at least 1");
  for (const auto& [network, width] : config.widths)
    if (width != glad::kWidth)
      throw Error("glad: hidden width " + std::to_string(width) + " of '" + network +
                  "': its networks have width 3");
  config_ = config;
  config_.tied = true;  // the iterations share their weights
  config_.learn_offset = true;
  parameters_ = Parameters(glad::layout());
}

std::vector<std::string> GladModel::unused_settings() const {
  return {"init_offset", "scaling", "standardized", "summary", "v_min", "zeta"};
}

std::unique_ptr<TrainWorkspace> GladModel::make_workspace() const {
  return std::make_unique<GladWorkspace>();
}

BatchLoss GladModel::loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                                   ThreadPool& pool, TrainWorkspace& workspace) const {
  check_batch(batch, gradient, config_.p);
  if (run_.loss != Loss::squared && run_.loss != Loss::relative)
    throw Error("glad: its loss is mse or nmse");
  auto& scratch = dynamic_cast<GladWorkspace&>(workspace);
  scratch.workers.resize(std::max(scratch.workers.size(), std::size_t(pool.size())));
  scratch.shares.resize(batch.size());
  for (Worker& worker : scratch.workers) {
    worker.tape.resize(config_.p, config_.layers);
    worker.Theta_true.resize(worker.tape.count);
  }
  const auto body = [&](std::size_t k, int worker) {
    evaluate_sample(parameters_.values.data(), batch[k], run_.loss,
                    scratch.workers[std::size_t(worker)], scratch.shares[k]);
  };
  pool.run(batch.size(), std::cref(body));

  BatchLoss result;
  const double weight = 1.0 / double(batch.size());
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (const Share& share : scratch.shares) {
    result.loss += weight * share.loss;
    result.nmse += weight * share.nmse;
    if (share.status != Status::ok) result.status = share.status;
    for (std::size_t k = 0; k < glad::kSize; ++k) gradient[k] += weight * share.gradient[k];
  }
  double sum = result.loss;
  for (double g : gradient) sum += g;
  if (!std::isfinite(sum)) result.status = Status::not_finite;
  return result;
}

Estimate GladModel::estimate(const MatrixRef& S, double) const {
  const auto p = Eigen::Index(config_.p);
  if (S.rows() != p || S.cols() != p)
    throw Error("glad: the covariance is " + std::to_string(S.rows()) + " x " +
                std::to_string(S.cols()) + " but the model was made for p = " + std::to_string(p));
  glad::Tape tape;
  tape.resize(config_.p, config_.layers);
  Estimate result;
  result.Theta = result.W = Matrix::Identity(p, p);
  const Matrix input = S;
  result.status = glad::forward(parameters_.values.data(), input.data(), tape);
  if (result.status != Status::ok) {
    result.message = "glad: the iterations left the range of numbers; the identity is returned";
    return result;
  }
  const glad::Iteration& last = tape.iterations.back();
  invert_theta(tape, result);
  result.Z.emplace(p, p);
  unpack_symmetric(last.Z.data(), config_.p, config_.p, result.Z->data());
  result.details = {{"iterations", double(config_.layers)}, {"alpha", last.alpha.alpha}};
  return result;
}

std::unique_ptr<Model> make_glad(const ModelConfig& config) {
  return std::make_unique<GladModel>(config);
}

}  // namespace spodnet
