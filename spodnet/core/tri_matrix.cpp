#include "spodnet/core/tri_matrix.hpp"

#include <algorithm>

namespace spodnet {

void TriMatrix::assign(const double* full, std::size_t stride) {
  for (std::size_t r = 0; r < p_; ++r) {
    std::copy_n(full + r * stride, r + 1, row(r));
    const std::size_t block = r / kBlock * kBlock;
    for (std::size_t c = block; c < r; ++c) row(c)[r] = row(r)[c];
  }
}

void TriMatrix::get_column(std::size_t i, double* column) const {
  kernels().triangle_column(ld_, data(), i, 0, nullptr, 0, nullptr, column);
}

void TriMatrix::mirror_row(std::size_t i) {
  for (std::size_t r = i / kBlock * kBlock; r < i; ++r) row(r)[i] = row(i)[r];
}

void TriMatrix::set_column(std::size_t i, const double* column) {
  const std::size_t end = row_end(i);
  std::copy_n(column, end, row(i));
  for (std::size_t r = end - kBlock; r < ld_; ++r) row(r)[i] = column[r];
}

}  // namespace spodnet
