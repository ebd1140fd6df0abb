#include "spodnet/models/glad.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <functional>

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
  Vector Theta_true;  ///< packed
};

struct GladWorkspace final : TrainWorkspace {
  std::vector<Worker> workers;
  std::vector<Share> shares;
};

void evaluate_sample(const double* parameters, const Sample& sample, Worker& worker, Share& share) {
  const std::size_t p = sample.p;
  glad::Tape& tape = worker.tape;
  share = {};
  pack_lower(sample.Theta_true, p, p, worker.Theta_true.data());
  share.status = glad::forward(parameters, sample.S, tape);
  if (share.status != Status::ok) return;
  const double* target = worker.Theta_true.data();
  for (const glad::Iteration& it : tape.iterations)
    share.loss += packed_distance2(it.Z.data(), target, p) / double(tape.iterations.size());
  share.nmse = packed_distance2(tape.iterations.back().Z.data(), target, p) /
               packed_inner(target, target, p);
  glad::backward(parameters, target, tape, share.gradient.data());
}

bool has_cholesky(const Matrix& A) { return Eigen::LLT<Matrix>(A).info() == Eigen::Success; }

Matrix spectral(const Matrix& V, const Vector& weights) {
  const Matrix scaled = weights.asDiagonal() * V;
  Matrix A = V.transpose() * scaled;
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  return A;
}

/// Theta and W from the eigenvalues theta, which are raised while Theta has no Cholesky factor.
void invert_theta(glad::Iteration& it, Estimate& result) {
  const Eigen::Index p = it.theta.size();
  result.Theta = spectral(it.Y.V, it.theta);
  double floor = double(p) * std::numeric_limits<double>::epsilon();
  for (; !has_cholesky(result.Theta) && floor < 1; floor *= 8) {
    it.theta = it.theta.cwiseMax(floor * it.theta.maxCoeff());
    result.Theta = spectral(it.Y.V, it.theta);
    result.status = Status::not_spd;
    result.message = "glad: Theta is singular to rounding; its smallest eigenvalues were raised";
  }
  result.W = spectral(it.Y.V, it.theta.cwiseInverse());
  result.residual = (result.Theta * result.W - Matrix::Identity(p, p)).norm();
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

std::unique_ptr<TrainWorkspace> GladModel::make_workspace() const {
  return std::make_unique<GladWorkspace>();
}

BatchLoss GladModel::loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                                   ThreadPool& pool, TrainWorkspace& workspace) const {
  auto& scratch = dynamic_cast<GladWorkspace&>(workspace);
  scratch.workers.resize(std::max(scratch.workers.size(), std::size_t(pool.size())));
  scratch.shares.resize(batch.size());
  for (Worker& worker : scratch.workers) {
    worker.tape.resize(config_.p, config_.layers);
    worker.Theta_true.resize(Eigen::Index(packed_size(config_.p)));
  }
  const auto body = [&](std::size_t k, int worker) {
    evaluate_sample(parameters_.values.data(), batch[k], scratch.workers[std::size_t(worker)],
                    scratch.shares[k]);
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
  glad::Iteration& last = tape.iterations.back();
  invert_theta(last, result);
  result.Z.emplace(p, p);
  unpack_symmetric(last.Z.data(), config_.p, config_.p, result.Z->data());
  result.details = {{"iterations", double(config_.layers)}, {"alpha", last.alpha.alpha}};
  return result;
}

std::unique_ptr<Model> make_glad(const ModelConfig& config) {
  return std::make_unique<GladModel>(config);
}

}  // namespace spodnet
