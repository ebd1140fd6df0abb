#include "spodnet/layer/delayed_inverse.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

/// Rows at which a triangle is cut into parts of equal area.
std::vector<std::size_t> equal_areas(std::size_t ld) {
  const std::size_t parts = std::clamp<std::size_t>(ld / 64, 1, 32);
  std::vector<std::size_t> cuts;
  for (std::size_t k = 0; k <= parts; ++k)
    cuts.push_back(padded(std::size_t(double(ld) * std::sqrt(double(k) / double(parts)))));
  cuts.back() = ld;
  return cuts;
}

/// out[first ...] += sum_k coef_k rows_k there, a few rows at a time: each is then read in a
/// stretch.
void add_rows(std::size_t first, std::size_t length, std::size_t count, const double* coef,
              const double* const* rows, double* out) {
  constexpr std::size_t kTogether = 16;
  for (std::size_t k = 0; k < count; k += kTogether) {
    const double* shifted[kTogether];
    const std::size_t some = std::min(kTogether, count - k);
    for (std::size_t l = 0; l < some; ++l) shifted[l] = rows[k + l] + first;
    kernels().combine(length, some, coef + k, shifted, out + first);
  }
}

}  // namespace

DelayedInverse::DelayedInverse(std::size_t p, ThreadPool* pool)
    : W_(p),
      pool_(pool),
      cuts_(equal_areas(W_.ld())),
      shares_((cuts_.size() - 1) * W_.ld()),
      V_(kMostPending * W_.ld()) {
  coef_.reserve(p + kMostPending);
  rows_.reserve(p + kMostPending);
}

template <class Body>
void DelayedInverse::for_each(std::size_t count, const Body& body) const {
  if (pool_ && count > 1)
    pool_->run(count, [&](std::size_t k, int) { body(k); });
  else
    for (std::size_t k = 0; k < count; ++k) body(k);
}

template <class Body>
void DelayedInverse::for_columns(const Body& body) const {
  for_each((ld() + kColumnsAtATime - 1) / kColumnsAtATime, [&](std::size_t k) {
    const std::size_t first = k * kColumnsAtATime;
    body(first, std::min(kColumnsAtATime, ld() - first));
  });
}

void DelayedInverse::assign(const double* A, double offset) {
  pending_ = 0;
  for_each(p(), [&](std::size_t r) {
    std::copy_n(A + r * p(), p(), W_.row(r));
    W_.row(r)[r] += offset;
  });
}

void DelayedInverse::column(std::size_t i, double* w) const {
  double coef[kMostPending];
  const double* rows[kMostPending];
  for (std::size_t k = 0; k < pending_; ++k) {
    rows[k] = V_.data() + k * ld();
    coef[k] = c_[k] * rows[k][i];
  }
  for_columns([&](std::size_t first, std::size_t count) {
    std::copy_n(W_.row(i) + first, count, w + first);
    add_rows(first, count, pending_, coef, rows, w);
  });
}

/// The shares of W_0 x.
void DelayedInverse::dense_product(const double* x) {
  for_each(cuts_.size() - 1, [&](std::size_t k) {
    kernels().symmetric_rows(cuts_[k], cuts_[k + 1], ld(), W_.data(), x, &shares_[k * ld()]);
  });
}

/// The rows of W_0 where x is not 0.
void DelayedInverse::sparse_rows(const double* x) {
  for (std::size_t j = 0; j < p(); ++j)
    if (x[j] != 0) {
      coef_.push_back(x[j]);
      rows_.push_back(W_.row(j));
    }
}

void DelayedInverse::product(const double* x, double* out) {
  coef_.clear();
  rows_.clear();
  sparse_rows(x);
  const bool dense = 2 * rows_.size() > p();
  if (dense) {
    coef_.clear();
    rows_.clear();
    dense_product(x);
  }
  const std::size_t own = rows_.size();
  coef_.resize(own + pending_);
  for (std::size_t k = 0; k < pending_; ++k) rows_.push_back(&V_[k * ld()]);
  for_each((pending_ + kBlock - 1) / kBlock, [&](std::size_t group) {
    for (std::size_t k = group * kBlock; k < std::min(pending_, (group + 1) * kBlock); ++k)
      coef_[own + k] = c_[k] * kernels().dot(ld(), rows_[own + k], x);
  });
  for_columns([&](std::size_t first, std::size_t count) {
    std::fill_n(out + first, count, 0.0);
    for (std::size_t k = 0; dense && k + 1 < cuts_.size(); ++k)
      if (cuts_[k + 1] > first)
        kernels().add(std::min(count, cuts_[k + 1] - first), &shares_[k * ld() + first],
                      out + first);
    add_rows(first, count, rows_.size(), coef_.data(), rows_.data(), out);
  });
}

void DelayedInverse::update(double c, const double* x) {
  std::copy_n(x, ld(), &V_[pending_ * ld()]);
  c_[pending_++] = c;
  if (pending_ == kMostPending) apply();
}

void DelayedInverse::apply() {
  const double* rows[kMostPending];
  for (std::size_t k = 0; k < kMostPending; ++k) rows[k] = &V_[k * ld()];
  for_each((p() + kRowsAtATime - 1) / kRowsAtATime, [&](std::size_t block) {
    const std::size_t first = block * kRowsAtATime, last = std::min(p(), first + kRowsAtATime);
    for (std::size_t k = 0; k < pending_; k += kMaxTerms)
      kernels().rank_update_rows(first, last, ld(), W_.data(), std::min(kMaxTerms, pending_ - k),
                                 c_ + k, rows + k, rows + k, ld());
    mirror(first, last);
  });
  pending_ = 0;
}

/// Rows [first, last) of the triangle into the other half: no other thread writes them.
void DelayedInverse::mirror(std::size_t first, std::size_t last) {
  for (std::size_t r = first; r < last; r += kBlock)
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t k = r; k < std::min(last, r + kBlock); ++k) W_.row(j)[k] = W_.row(k)[j];
}

}  // namespace spodnet
