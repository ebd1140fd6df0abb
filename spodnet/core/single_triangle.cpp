#include "spodnet/core/single_triangle.hpp"

#include <algorithm>

namespace spodnet {
namespace {

/// Numbers before row r, the first of a block row.
std::size_t numbers_before(std::size_t r) { return r * (r + kBlock) / 2; }

}  // namespace

SingleTriangle::SingleTriangle(std::size_t p)
    : rows_(numbers_before(padded(p))), diagonal_(padded(p)) {}

void SingleTriangle::assign_rows(const TriMatrix& A, std::size_t first, std::size_t last) {
  for (std::size_t r = first; r < last; ++r) {
    const std::size_t block = r / kBlock * kBlock, length = block + kBlock;
    float* row = rows_.data() + numbers_before(block) + (r - block) * length;
    kernels().twice_single(length, A.row(r), row);
    std::fill(row + r, row + length, 0.0f);
    diagonal_[r] = A.row(r)[r];
  }
}

double SingleTriangle::form(std::size_t first, std::size_t last, const double* x) const {
  double sum = kernels().single_form(first, last, rows_.data(), x);
  for (std::size_t r = first; r < last; ++r) sum += diagonal_[r] * x[r] * x[r];
  return sum;
}

double SingleTriangle::rounding(const double* x) const {
  constexpr double kUnit = 1.0 / (1 << 24);
  double sum = 0;
  for (std::size_t r = 0; r < diagonal_.size(); ++r) sum += diagonal_[r] * x[r] * x[r];
  return kUnit * sum;
}

}  // namespace spodnet
