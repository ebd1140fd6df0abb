#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace spodnet {

/// Dense matrices are row-major; symmetric ones read the same either way.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using MatrixRef = Eigen::Ref<const Matrix>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;

/// `count` matrices of one shape, contiguous: count x rows x cols, row-major.
struct MatrixBatch {
  std::size_t count = 0, rows = 0, cols = 0;
  std::vector<double> values;

  MatrixBatch() = default;
  MatrixBatch(std::size_t count_, std::size_t rows_, std::size_t cols_)
      : count(count_), rows(rows_), cols(cols_), values(count_ * rows_ * cols_) {}

  bool empty() const { return count == 0; }
  std::size_t stride() const { return rows * cols; }
  double* data(std::size_t k) { return values.data() + k * stride(); }
  const double* data(std::size_t k) const { return values.data() + k * stride(); }
  MatrixMap operator[](std::size_t k) { return {data(k), Eigen::Index(rows), Eigen::Index(cols)}; }
  ConstMatrixMap operator[](std::size_t k) const {
    return {data(k), Eigen::Index(rows), Eigen::Index(cols)};
  }
};

}  // namespace spodnet
