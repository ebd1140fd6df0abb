#include "support/toy_model.hpp"

#include <Eigen/LU>
#include <cmath>

namespace spodnet::test {
namespace {

class NoWorkspace : public TrainWorkspace {};

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

std::unique_ptr<TrainWorkspace> ToyModel::make_workspace() const {
  return std::make_unique<NoWorkspace>();
}

Matrix ToyModel::theta(const MatrixRef& S) const {
  const std::vector<double>& x = parameters_.values;
  const std::size_t width = x.size() - 1;
  Matrix Theta = std::exp(x[width]) * Matrix::Identity(S.rows(), S.cols());
  for (std::size_t k = 0; k < width; ++k)
    Theta.array() += x[k] * (double(k + 1) * S.array()).tanh();
  return Theta;
}

BatchLoss ToyModel::loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                                  ThreadPool& pool, TrainWorkspace&) const {
  const std::vector<double>& x = parameters_.values;
  const std::size_t width = x.size() - 1;
  std::vector<std::vector<double>> parts(batch.size(), std::vector<double>(x.size() + 2));
  pool.run(batch.size(), [&](std::size_t k, int) {
    const auto p = Eigen::Index(batch[k].p);
    const ConstMatrixMap S(batch[k].S, p, p), Theta_true(batch[k].Theta_true, p, p);
    const Matrix D = theta(S) - Theta_true;
    const double unit = loss_unit(run_.loss, batch[k]);
    for (std::size_t j = 0; j < width; ++j)
      parts[k][j] = 2 * (D.array() * (double(j + 1) * S.array()).tanh()).sum() / unit;
    parts[k][width] = 2 * std::exp(x[width]) * D.trace() / unit;
    parts[k][width + 1] = D.squaredNorm() / unit;
    parts[k][width + 2] = D.squaredNorm() / Theta_true.squaredNorm();
  });
  std::vector<double> sum(x.size() + 2);
  for (const auto& part : parts)
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j] / double(batch.size());
  std::copy_n(sum.begin(), x.size(), gradient.begin());
  BatchLoss loss{sum[width + 1], sum[width + 2], Status::ok, 0};
  if (loss.loss < break_below) loss.status = Status::not_finite;
  return loss;
}

Estimate ToyModel::estimate(const MatrixRef& S, double) const {
  Estimate out;
  out.Theta = theta(S);
  out.W = out.Theta.inverse();
  out.residual = (out.Theta * out.W - Matrix::Identity(S.rows(), S.cols())).norm();
  return out;
}

ModelRegistry toy_registry() {
  ModelRegistry models;
  models.add("toy", [](const ModelConfig& config) { return std::make_unique<ToyModel>(config); });
  return models;
}

}  // namespace spodnet::test
