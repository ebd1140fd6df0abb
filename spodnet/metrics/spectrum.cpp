#include "spodnet/metrics/spectrum.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <limits>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kSymmetryTolerance = 1e-8;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_square(const MatrixRef& Theta, const char* where) {
  if (Theta.rows() < 1 || Theta.rows() != Theta.cols())
    throw Error(
        fmt::format("{}: {} x {} is not a square matrix", where, Theta.rows(), Theta.cols()));
}

}  // namespace

bool is_spd(const MatrixRef& Theta) {
  if (Theta.rows() < 1 || Theta.rows() != Theta.cols() || !Theta.allFinite()) return false;
  const double largest = Theta.cwiseAbs().maxCoeff();
  if ((Theta - Theta.transpose()).cwiseAbs().maxCoeff() > kSymmetryTolerance * largest)
    return false;
  return Eigen::LLT<Matrix>(Theta).info() == Eigen::Success;
}

Spectrum spectrum(const MatrixRef& Theta) {
  check_square(Theta, "spectrum");
  if (!Theta.allFinite()) return {.eig_min = kNaN, .eig_max = kNaN, .condition = kNaN};
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Theta, Eigen::EigenvaluesOnly);
  const Eigen::ArrayXd sizes = eigen.eigenvalues().array().abs();
  const double smallest = sizes.minCoeff(), largest = sizes.maxCoeff();
  const double noise = double(Theta.rows()) * std::numeric_limits<double>::epsilon() * largest;
  return {.eig_min = eigen.eigenvalues()[0],
          .eig_max = eigen.eigenvalues()[Theta.rows() - 1],
          .condition = smallest > 0 ? largest / smallest : std::numeric_limits<double>::infinity(),
          .is_spd = is_spd(Theta),
          .rank = int((sizes > noise).count())};
}

}  // namespace spodnet
