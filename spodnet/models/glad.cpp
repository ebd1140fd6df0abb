#include "spodnet/models/glad.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/glad_iterations.hpp"

namespace spodnet {
namespace {

/// Loss and gradient of one matrix: the mean over the iterations of the loss of Z_k.
struct Worker {
  glad::Tape tape;
  AlignedVector Theta_true;  ///< packed, padded
  Matrix Z, G;               ///< scratch of losses other than squared errors

  /// Of a squared error in this unit: on the packed matrices.
  double squared_error(double unit, double* gradient, const double* parameters) {
    double loss = 0;
    const double weight = 2.0 / double(tape.iterations.size());
    for (glad::Iteration& it : tape.iterations) {
      loss += tape.distance2(it.Z, Theta_true) / double(tape.iterations.size());
      for (std::size_t e = 0; e < tape.count; ++e) it.G[e] = weight * (it.Z[e] - Theta_true[e]);
    }
    glad::backward(parameters, tape, gradient);
    for (std::size_t k = 0; k < glad::kSize; ++k) gradient[k] /= unit;
    return loss / unit;
  }

  double any_loss(const Loss& loss, const ConstMatrixMap& truth, double* gradient,
                  const double* parameters) {
    double sum = 0;
    const double weight = 1 / double(tape.iterations.size());
    Z.resize(truth.rows(), truth.cols()), G.resize(truth.rows(), truth.cols());
    for (glad::Iteration& it : tape.iterations) {
      unpack_symmetric(it.Z.data(), tape.p, tape.p, Z.data());
      const ConstMatrixMap output(Z.data(), Z.rows(), Z.cols());
      sum += weight * loss.evaluate(output, truth, weight, MatrixMap(G.data(), G.rows(), G.cols()));
      pack_lower(G.data(), tape.p, tape.p, it.G.data());
    }
    glad::backward(parameters, tape, gradient);
    return sum;
  }

  MatrixLoss evaluate(const double* parameters, const Sample& sample, const Loss& loss,
                      double* gradient) {
    const auto p = Eigen::Index(sample.p);
    const ConstMatrixMap truth(sample.Theta_true, p, p);
    pack_lower(sample.Theta_true, sample.p, sample.p, Theta_true.data());
    MatrixLoss out;
    out.status = glad::forward(parameters, sample.S, tape);
    if (out.status != Status::ok) return out;
    out.nmse =
        tape.distance2(tape.iterations.back().Z, Theta_true) / tape.inner(Theta_true, Theta_true);
    const auto unit = loss.squared_error_unit(truth);
    out.loss = unit ? squared_error(*unit, gradient, parameters)
                    : any_loss(loss, truth, gradient, parameters);
    return out;
  }
};

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

/// GLAD on the CPU, one matrix at a time in each thread.
class GladEngine final : public Engine {
 public:
  GladEngine(const Model& model, const EngineOptions& options)
      : Engine(model), team_(team_of(options)) {}

  std::string device() const override { return "cpu"; }

  void keep(std::span<const Sample> samples) override {
    for (const Sample& sample : samples) check_size(sample);
    kept_.assign(samples.begin(), samples.end());
  }

  std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss&) const override {
    return equal_parts(kept_, which, 1);
  }

  void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                      const Loss& loss, double divisor, std::span<double> gradients,
                      std::span<MatrixLoss> losses) override {
    const double weight = 1.0 / divisor;
    workers_.resize(std::size_t(team_->size()));
    team_->run(parts.size(), [&](std::size_t k, int worker) {
      double* gradient = gradients.data() + k * glad::kSize;
      std::fill_n(gradient, glad::kSize, 0.0);
      const Sample& sample = kept_[which[parts[k].first]];
      losses[parts[k].first] =
          ready(workers_[std::size_t(worker)]).evaluate(weights(), sample, loss, gradient);
      for (std::size_t e = 0; e < glad::kSize; ++e) gradient[e] *= weight;
    });
  }

  std::vector<Estimate> estimate(std::span<const Sample> samples,
                                 const EstimateOptions&) const override {
    for (const Sample& sample : samples) {
      check_size(sample);
      if (sample.constraints)
        throw Error("glad: it cannot keep forbidden edges or signs; use a model such as ubg");
    }
    std::vector<Estimate> out(samples.size());
    const auto one = [&](std::size_t k, int) { out[k] = estimate_one(samples[k]); };
    if (samples.size() == 1)
      one(0, 0);
    else
      team_->run(samples.size(), one);
    return out;
  }
  using Engine::estimate;

  void forward(std::span<const Sample>, double*, double*, std::span<Status>) override {
    throw Error("glad: it trains Z, which is not SPD: it has no backward from dL/dTheta");
  }
  void backward(const double*, std::span<double>, double*) override {
    throw Error("glad: it has no backward from dL/dTheta");
  }

 private:
  const double* weights() const { return model().parameters().values.data(); }

  void check_size(const Sample& sample) const {
    if (sample.p != model().config().p)
      throw Error("glad: the covariance is " + std::to_string(sample.p) + " x " +
                  std::to_string(sample.p) +
                  " but the model was made for p = " + std::to_string(model().config().p));
  }

  Worker& ready(Worker& worker) const {
    worker.tape.resize(model().config().p, model().config().layers);
    worker.Theta_true.resize(worker.tape.count);
    return worker;
  }

  Estimate estimate_one(const Sample& sample) const {
    const auto p = Eigen::Index(sample.p);
    glad::Tape tape;
    tape.resize(sample.p, model().config().layers);
    Estimate result;
    result.Theta = result.W = Matrix::Identity(p, p);
    result.status = glad::forward(weights(), sample.S, tape);
    if (result.status != Status::ok) {
      result.message = "glad: the iterations left the range of numbers; the identity is returned";
      return result;
    }
    const glad::Iteration& last = tape.iterations.back();
    invert_theta(tape, result);
    result.Z.emplace(p, p);
    unpack_symmetric(last.Z.data(), sample.p, sample.p, result.Z->data());
    result.details = {{"iterations", double(model().config().layers)}, {"alpha", last.alpha.alpha}};
    return result;
  }

  std::shared_ptr<ThreadPool> team_;
  std::vector<Sample> kept_;
  std::vector<Worker> workers_;
};

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

std::unique_ptr<Engine> GladModel::make_cpu_engine(const EngineOptions& options) const {
  return std::make_unique<GladEngine>(*this, options);
}

std::unique_ptr<Model> make_glad(const ModelConfig& config) {
  return std::make_unique<GladModel>(config);
}

}  // namespace spodnet
