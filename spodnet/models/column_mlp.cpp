#include "spodnet/models/column_mlp.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr std::size_t kPendingRows = kMaxTerms;

/// out (rows x padded(cols)) = A (rows x cols, contiguous).
void pad_rows(std::size_t rows, std::size_t cols, const double* A, AlignedVector& out) {
  out.resize(rows * padded(cols));
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(A + r * cols, cols, out.data() + r * padded(cols));
}

/// out (cols x padded(rows)) = A' for A (rows x cols, contiguous).
void pad_transpose(std::size_t rows, std::size_t cols, const double* A, AlignedVector& out) {
  out.resize(cols * padded(rows));
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) out[c * padded(rows) + r] = A[r * cols + c];
}

/// to (rows x cols, contiguous) += from (rows x padded(cols)); from becomes 0.
void move_rows(std::size_t rows, std::size_t cols, AlignedVector& from, double* to) {
  for (std::size_t r = 0; r < rows; ++r)
    kernels().add(cols, from.data() + r * padded(cols), to + r * cols);
  std::fill(from.begin(), from.end(), 0.0);
}

/// The same for from (cols x padded(rows)), transposed.
void move_transposed(std::size_t rows, std::size_t cols, AlignedVector& from, double* to) {
  for (std::size_t c0 = 0; c0 < cols; c0 += kBlock)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = c0; c < std::min(cols, c0 + kBlock); ++c)
        to[r * cols + c] += from[c * padded(rows) + r];
  std::fill(from.begin(), from.end(), 0.0);
}

/// C (rows x stride) += X (rows x count, stride ldx) A (count x stride).
void add_product(std::size_t rows, std::size_t count, const double* X, std::size_t ldx,
                 const double* A, std::size_t stride, double* C) {
  if (rows == 1)  // passes over zeros
    kernels().row_product(count, count, stride, X, A, stride, C);
  else
    kernels().gemm(rows, stride, count, X, ldx, 1, A, stride, C, stride);
}

/// The first n columns (a multiple of kBlock) of the same, passing over the zeros of X, as ReLU
/// units have many: a part of A that fits the nearest cache serves all rows in turn.
void add_sparse_product(std::size_t rows, std::size_t count, const double* X, std::size_t ldx,
                        const double* A, std::size_t stride, std::size_t n, double* C) {
  constexpr std::size_t kNumbers = 2560;
  const std::size_t part = std::max(kBlock, kNumbers / (n + 1) / kBlock * kBlock);
  for (std::size_t k = 0; k < count; k += part)
    for (std::size_t r = 0; r < rows; ++r)
      kernels().row_product(std::min(part, count - k), count, n, X + r * ldx + k, A + k * stride,
                            stride, C + r * stride);
}

}  // namespace

ColumnMlp::ColumnMlp(ParameterLayout& layout, const std::string& name, std::size_t in,
                     std::size_t hidden, std::size_t out, std::vector<double> start, double spread)
    : in_(in), hidden_(hidden), out_(out) {
  const double bound1 = 1 / std::sqrt(double(std::max<std::size_t>(in, 1)));
  const double bound2 = 1 / std::sqrt(double(hidden));
  A1_ = layout.add(name + ".0.weight", {hidden, in}, bound1);
  b1_ = layout.add(name + ".0.bias", {hidden}, bound1);
  A2_ = layout.add(name + ".1.weight", {out, hidden}, start.empty() ? bound2 : spread * bound2);
  b2_ = start.empty() ? layout.add(name + ".1.bias", {out}, bound2)
                      : layout.add_values(name + ".1.bias", {out}, std::move(start));
}

void ColumnMlp::prepare(const double* weights, Prepared& prepared) const {
  pad_rows(hidden_, in_, weights + A1_, prepared.A1);
  pad_transpose(hidden_, in_, weights + A1_, prepared.A1_T);
  pad_rows(out_, hidden_, weights + A2_, prepared.A2);
  pad_transpose(out_, hidden_, weights + A2_, prepared.A2_T);
  pad_rows(1, hidden_, weights + b1_, prepared.b1);
  pad_rows(1, out_, weights + b2_, prepared.b2);
}

void ColumnMlp::reserve(Pending& pending) const {
  pending.x.assign(kPendingRows * in_stride(), 0.0);
  pending.h.assign(kPendingRows, nullptr);
  pending.d_h.assign(kPendingRows * hidden_stride(), 0.0);
  pending.d_out.assign(kPendingRows * out_stride(), 0.0);
  pending.d_A1.assign(hidden_ * in_stride(), 0.0);
  pending.d_A2.assign(hidden_stride() * (out_ == 1 ? 1 : out_stride()), 0.0);
  pending.d_b1.assign(hidden_stride(), 0.0);
  pending.d_b2.assign(out_stride(), 0.0);
  pending.scratch.assign(in_stride(), 0.0);
  pending.rows = 0;
}

void ColumnMlp::forward(const Prepared& prepared, std::size_t rows, const double* x, double* h,
                        double* out) const {
  const Kernels& kernel = kernels();
  const std::size_t lh = hidden_stride(), lo = out_stride();
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(prepared.b1.data(), lh, h + r * lh);
    std::copy_n(prepared.b2.data(), lo, out + r * lo);
  }
  add_product(rows, in_, x, in_stride(), prepared.A1_T.data(), lh, h);
  kernel.relu(rows * lh, h);
  if (out_ == 1) {
    for (std::size_t r = 0; r < rows; ++r)
      out[r * lo] += kernel.dot(lh, h + r * lh, prepared.A2.data());
  } else {
    add_sparse_product(rows, hidden_, h, lh, prepared.A2_T.data(), lo, lo, out);
  }
}

void ColumnMlp::backward(const Prepared& prepared, std::size_t rows, const double* x,
                         const double* h, const double* d_out, double* d_x, std::size_t wanted,
                         Pending& pending) const {
  const std::size_t li = in_stride(), lh = hidden_stride(), lo = out_stride();
  if (pending.rows + rows > kPendingRows) flush(pending);
  double* d_h = pending.d_h.data() + pending.rows * lh;
  std::copy_n(x, rows * li, pending.x.data() + pending.rows * li);
  std::copy_n(d_out, rows * lo, pending.d_out.data() + pending.rows * lo);
  for (std::size_t r = 0; r < rows; ++r) pending.h[pending.rows + r] = h + r * lh;
  pending.rows += rows;

  std::fill_n(d_h, rows * lh, 0.0);
  add_product(rows, out_, d_out, lo, prepared.A2.data(), lh, d_h);
  kernels().relu_backward(rows * lh, h, d_h);
  std::fill_n(d_x, rows * li, 0.0);
  add_sparse_product(rows, hidden_, d_h, lh, prepared.A1.data(), li, padded(wanted), d_x);
}

void ColumnMlp::begin_without(const Prepared& prepared, const double* X, std::size_t ldx,
                              double* begun, std::size_t stride) const {
  const std::size_t lh = hidden_stride(), p = in_ + 1;
  for (std::size_t i = 0; i < p; i += kBlock) {
    const std::size_t rows = std::min(kBlock, p - i), right = i + rows;
    for (std::size_t r = i; r < right; ++r) std::copy_n(prepared.b1.data(), lh, begun + r * stride);
    if (right < p)
      kernels().gemm(rows, lh, p - right, X + i * ldx + right, ldx, 1,
                     prepared.A1_T.data() + (right - 1) * lh, lh, begun + i * stride, stride);
  }
}

double ColumnMlp::forward_without(const Prepared& prepared, std::size_t i, const double* x,
                                  bool begun, double* h) const {
  const Kernels& kernel = kernels();
  const std::size_t lh = hidden_stride(), p = in_ + 1;
  if (!begun) std::copy_n(prepared.b1.data(), lh, h);
  const std::size_t left = begun ? std::min(p, (i / kBlock + 1) * kBlock) : p;
  kernel.row_product(left, i, lh, x, prepared.A1_T.data(), lh, h);
  kernel.relu(lh, h);
  return prepared.b2[0] + kernel.dot(lh, h, prepared.A2.data());
}

void ColumnMlp::backward_without(const Prepared& prepared, std::size_t i, const double* x,
                                 const double* h, double d_out, std::size_t wanted, double* d_x,
                                 Pending& pending) const {
  const Kernels& kernel = kernels();
  const std::size_t li = in_stride(), lh = hidden_stride();
  if (pending.rows == kPendingRows) flush(pending);
  double* d_h = pending.d_h.data() + pending.rows * lh;
  remove_entry(in_ + 1, i, x, pending.x.data() + pending.rows * li);
  pending.d_out[pending.rows * out_stride()] = d_out;
  pending.h[pending.rows++] = h;
  kernel.linear(lh, d_out, prepared.A2.data(), 0.0, prepared.A2.data(), d_h);
  kernel.relu_backward(lh, h, d_h);
  if (wanted <= i) {  // before entry i nothing is shifted
    kernel.row_product(hidden_, hidden_, padded(wanted), d_h, prepared.A1.data(), li, d_x);
    return;
  }
  std::fill(pending.scratch.begin(), pending.scratch.end(), 0.0);
  kernel.row_product(hidden_, hidden_, li, d_h, prepared.A1.data(), li, pending.scratch.data());
  add_without_entry(in_ + 1, i, pending.scratch.data(), d_x);
}

void ColumnMlp::flush(Pending& pending) const {
  const Kernels& kernel = kernels();
  const std::size_t li = in_stride(), lh = hidden_stride(), lo = out_stride();
  const double* d_h[kPendingRows];
  for (std::size_t r = 0; r < pending.rows; ++r) {
    d_h[r] = pending.d_h.data() + r * lh;
    kernel.axpy(lh, 1.0, d_h[r], pending.d_b1.data());
    kernel.axpy(lo, 1.0, pending.d_out.data() + r * lo, pending.d_b2.data());
  }
  kernel.transposed_product(hidden_, li, pending.rows, d_h, pending.x.data(), li,
                            pending.d_A1.data(), li);
  if (out_ == 1) {
    double d_out[kPendingRows];
    for (std::size_t r = 0; r < pending.rows; ++r) d_out[r] = pending.d_out[r * lo];
    kernel.combine(lh, pending.rows, d_out, pending.h.data(), pending.d_A2.data());
  } else {
    kernel.transposed_product(hidden_, lo, pending.rows, pending.h.data(), pending.d_out.data(), lo,
                              pending.d_A2.data(), lo);
  }
  pending.rows = 0;
}

void ColumnMlp::finish(Pending& pending, double* d_weights) const {
  flush(pending);
  move_rows(hidden_, in_, pending.d_A1, d_weights + A1_);
  move_rows(1, hidden_, pending.d_b1, d_weights + b1_);
  if (out_ == 1)
    move_rows(1, hidden_, pending.d_A2, d_weights + A2_);
  else
    move_transposed(out_, hidden_, pending.d_A2, d_weights + A2_);
  move_rows(1, out_, pending.d_b2, d_weights + b2_);
}

void remove_entry(std::size_t p, std::size_t i, const double* x, double* compact) {
  std::copy_n(x, i, compact);
  std::copy(x + i + 1, x + p, compact + i);
  std::fill(compact + (p - 1), compact + padded(p - 1), 0.0);
}

void add_without_entry(std::size_t p, std::size_t i, const double* compact, double* x) {
  for (std::size_t k = 0; k < i; ++k) x[k] += compact[k];
  for (std::size_t k = i + 1; k < p; ++k) x[k] += compact[k - 1];
}

}  // namespace spodnet
