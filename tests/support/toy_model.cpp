#include "support/toy_model.hpp"

#include <Eigen/LU>
#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet::test {
namespace {

class ToyEngine final : public Engine {
 public:
  ToyEngine(const ToyModel& model, const EngineOptions& options)
      : Engine(model), toy_(model), team_(team_of(options)) {}

  std::string device() const override { return "cpu"; }
  void keep(std::span<const Sample> samples) override {
    kept_.assign(samples.begin(), samples.end());
  }
  std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss&) const override {
    std::vector<Part> parts;
    for (std::size_t k = 0; k < which.size(); ++k) parts.push_back({k, 1});
    return parts;
  }

  void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                      const Loss& loss, double divisor, std::span<double> gradients,
                      std::span<MatrixLoss> losses) override {
    const std::vector<double>& x = toy_.parameters().values;
    team_->run(parts.size(), [&](std::size_t k, int) {
      const Sample& sample = kept_[which[parts[k].first]];
      const auto p = Eigen::Index(sample.p);
      const ConstMatrixMap S(sample.S, p, p), Theta_true(sample.Theta_true, p, p);
      const Matrix Theta = toy_.theta(S);
      Matrix G(p, p);
      MatrixLoss& out = losses[parts[k].first];
      out.loss = loss.evaluate(ConstMatrixMap(Theta.data(), p, p), Theta_true, 1 / divisor,
                               MatrixMap(G.data(), p, p));
      out.nmse = (Theta - Theta_true).squaredNorm() / Theta_true.squaredNorm();
      double* gradient = gradients.data() + k * x.size();
      const std::size_t width = x.size() - 1;
      for (std::size_t j = 0; j < width; ++j)
        gradient[j] = (G.array() * (double(j + 1) * S.array()).tanh()).sum();
      gradient[width] = std::exp(x[width]) * G.trace();
    });
  }

  BatchLoss loss_gradient(std::span<const std::uint32_t> which, const Loss& loss, double divisor,
                          std::span<double> gradient) override {
    BatchLoss out = Engine::loss_gradient(which, loss, divisor, gradient);
    if (out.loss < toy_.break_below) out.status = Status::not_finite;
    return out;
  }

  std::vector<Estimate> estimate(std::span<const Sample> samples,
                                 const EstimateOptions&) const override {
    std::vector<Estimate> all(samples.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto p = Eigen::Index(samples[k].p);
      all[k].Theta = toy_.theta(ConstMatrixMap(samples[k].S, p, p));
      all[k].W = all[k].Theta.inverse();
      all[k].residual = (all[k].Theta * all[k].W - Matrix::Identity(p, p)).norm();
    }
    return all;
  }

  void forward(std::span<const Sample>, double*, double*, std::span<Status>) override {
    throw Error("toy: no forward");
  }
  void backward(const double*, std::span<double>, double*) override {
    throw Error("toy: no backward");
  }

 private:
  const ToyModel& toy_;
  std::shared_ptr<ThreadPool> team_;
  std::vector<Sample> kept_;
};

}  // namespace

ToyModel::ToyModel(const ModelConfig& config) {
  config_ = config;
  const auto found = config.widths.find("toy");
  const std::size_t width = found == config.widths.end() ? 3 : found->second;
  ParameterLayout layout;
  layout.add("layers.0.toy.0.weight", {width, 1}, 1.0);
  layout.add("layers.0.toy.0.bias", {1}, 1.0);
  parameters_ = Parameters(layout);
}

Matrix ToyModel::theta(const MatrixRef& S) const {
  const std::vector<double>& x = parameters_.values;
  const std::size_t width = x.size() - 1;
  Matrix Theta = std::exp(x[width]) * Matrix::Identity(S.rows(), S.cols());
  for (std::size_t k = 0; k < width; ++k)
    Theta.array() += x[k] * (double(k + 1) * S.array()).tanh();
  return Theta;
}

std::unique_ptr<Engine> ToyModel::make_cpu_engine(const EngineOptions& options) const {
  return std::make_unique<ToyEngine>(*this, options);
}

ModelRegistry toy_registry() {
  ModelRegistry models;
  models.add("toy", [](const ModelConfig& config) { return std::make_unique<ToyModel>(config); });
  return models;
}

}  // namespace spodnet::test
