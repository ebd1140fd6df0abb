#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "spodnet/core/types.hpp"

namespace spodnet {

// Arrays come in as they lie (C order, float64, not copied) and go out owning their memory.
using MatrixIn =
    nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using VectorIn =
    nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using BatchIn =
    nanobind::ndarray<const double, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;
using ArrayOut = nanobind::ndarray<nanobind::numpy, double>;

inline ConstMatrixMap as_matrix(const MatrixIn& x) {
  return {x.data(), Eigen::Index(x.shape(0)), Eigen::Index(x.shape(1))};
}

inline Eigen::Map<const Vector> as_vector(const VectorIn& x) {
  return {x.data(), Eigen::Index(x.shape(0))};
}

/// The array that `data` of an object is; the object moves to the heap and dies with the array.
template <class Owner>
ArrayOut array_of(Owner owner, std::initializer_list<std::size_t> shape) {
  auto held = std::make_unique<Owner>(std::move(owner));
  double* data = held->data();
  nanobind::capsule life(held.get(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
  held.release();
  return ArrayOut(data, shape, life);
}

inline ArrayOut array_of(Matrix A) {
  const std::size_t rows = std::size_t(A.rows()), columns = std::size_t(A.cols());
  return array_of(std::move(A), {rows, columns});
}

inline ArrayOut array_of(Vector x) {
  const std::size_t size = std::size_t(x.size());
  return array_of(std::move(x), {size});
}

inline ArrayOut array_of(MatrixBatch batch) {
  const std::size_t count = batch.count, rows = batch.rows, columns = batch.cols;
  return array_of(std::move(batch.values), {count, rows, columns});
}

}  // namespace spodnet
