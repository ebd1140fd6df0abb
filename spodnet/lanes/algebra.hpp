// Symmetric matrices as packed lower triangles of lane numbers. Included like number.hpp.

/// Rows swept together, so that the vectors along the columns are loaded once for all of them.
#if SPODNET_VECTOR_BYTES == 64
constexpr std::size_t kSweepRows = 4;
#else
constexpr std::size_t kSweepRows = 2;
#endif

template <class V>
SPODNET_INLINE V dot(std::size_t p, const V* x, const V* y) {
  V s0 = {}, s1 = {};
  std::size_t j = 0;
  for (; j + 2 <= p; j += 2) s0 += x[j] * y[j], s1 += x[j + 1] * y[j + 1];
  if (j < p) s0 += x[j] * y[j];
  return s0 + s1;
}

template <class V>
SPODNET_INLINE void get_column(std::size_t p, const V* A, std::size_t i, V* out) {
  for (std::size_t j = 0; j <= i; ++j) out[j] = A[tri(i, j)];
  for (std::size_t j = i + 1; j < p; ++j) out[j] = A[tri(j, i)];
}

template <class V>
SPODNET_INLINE void set_column(std::size_t p, V* A, std::size_t i, const V* column) {
  for (std::size_t j = 0; j <= i; ++j) A[tri(i, j)] = column[j];
  for (std::size_t j = i + 1; j < p; ++j) A[tri(j, i)] = column[j];
}

/// Rows r .. r + R - 1 of: A += c1 x1 x1' + c2 x2 x2' (when kUpdate), out += A z.
template <bool kUpdate, std::size_t R, class V>
SPODNET_INLINE void sweep_rows(std::size_t r, V* A, const V* x1, V c1, const V* x2, V c2,
                               const V* z, V* out) {
  V acc[R], f1[R], f2[R], zr[R];
  V* row[R];
  for (std::size_t k = 0; k < R; ++k) {
    acc[k] = V{};
    zr[k] = z[r + k];
    row[k] = A + tri(r + k, 0);
    if (kUpdate) f1[k] = c1 * x1[r + k], f2[k] = c2 * x2[r + k];
  }
  for (std::size_t c = 0; c < r; ++c) {
    const V zc = z[c];
    V x1c = {}, x2c = {}, mirrored = out[c];
    if (kUpdate) x1c = x1[c], x2c = x2[c];
    for (std::size_t k = 0; k < R; ++k) {
      V a = row[k][c];
      if (kUpdate) {
        a += f1[k] * x1c;
        a += f2[k] * x2c;
        row[k][c] = a;
      }
      acc[k] += a * zc;
      mirrored += a * zr[k];
    }
    out[c] = mirrored;
  }
  for (std::size_t k = 0; k < R; ++k)
    for (std::size_t c = 0; c <= k; ++c) {
      V a = row[k][r + c];
      if (kUpdate) {
        a += f1[k] * x1[r + c];
        a += f2[k] * x2[r + c];
        row[k][r + c] = a;
      }
      acc[k] += a * z[r + c];
      if (c < k) acc[c] += a * zr[k];
    }
  for (std::size_t k = 0; k < R; ++k) out[r + k] = acc[k];
}

/// A += c1 x1 x1' + c2 x2 x2' (when kUpdate), then out = A z, in one sweep.
template <bool kUpdate, class V>
SPODNET_INLINE void product(std::size_t p, V* A, const V* x1, V c1, const V* x2, V c2, const V* z,
                            V* out) {
  std::size_t r = 0;
  for (; r + kSweepRows <= p; r += kSweepRows)
    sweep_rows<kUpdate, kSweepRows>(r, A, x1, c1, x2, c2, z, out);
  for (; r < p; ++r) sweep_rows<kUpdate, 1>(r, A, x1, c1, x2, c2, z, out);
}

/// Rows r .. r + R - 1, columns < columns, of G -= d_q y y' + d_q0 h h' + (m w' + w m') / 2.
template <std::size_t R, class V>
SPODNET_INLINE void adjoint_rows(std::size_t r, std::size_t columns, V* G, V d_q, const V* y,
                                 V d_q0, const V* h, const V* m, const V* w) {
  V fy[R], fh[R], fm[R], fw[R];
  V* row[R];
  for (std::size_t k = 0; k < R; ++k) {
    fy[k] = d_q * y[r + k];
    fh[k] = d_q0 * h[r + k];
    fm[k] = 0.5 * m[r + k];
    fw[k] = 0.5 * w[r + k];
    row[k] = G + tri(r + k, 0);
  }
  const std::size_t full = r < columns ? r : columns;
  const auto entry = [&](std::size_t k, V yc, V hc, V wc, V mc, V g) {
    g -= fy[k] * yc;
    g -= fh[k] * hc;
    g -= fm[k] * wc;
    g -= fw[k] * mc;
    return g;
  };
  for (std::size_t c = 0; c < full; ++c) {
    const V yc = y[c], hc = h[c], wc = w[c], mc = m[c];
    for (std::size_t k = 0; k < R; ++k) row[k][c] = entry(k, yc, hc, wc, mc, row[k][c]);
  }
  for (std::size_t k = 0; k < R; ++k)
    for (std::size_t c = full; c <= r + k && c < columns; ++c)
      row[k][c] = entry(k, y[c], h[c], w[c], m[c], row[k][c]);
}

template <class V>
SPODNET_INLINE void adjoint_update(std::size_t p, std::size_t columns, V* G, V d_q, const V* y,
                                   V d_q0, const V* h, const V* m, const V* w) {
  std::size_t r = 0;
  for (; r + kSweepRows <= p; r += kSweepRows)
    adjoint_rows<kSweepRows>(r, columns, G, d_q, y, d_q0, h, m, w);
  for (; r < p; ++r) adjoint_rows<1>(r, columns, G, d_q, y, d_q0, h, m, w);
}

/// A = A^{-1} by the symmetric sweep; returns the lanes in which every pivot was positive.
template <class V>
SPODNET_INLINE MaskOf<V> invert(std::size_t p, V* A, V* column) {
  MaskOf<V> positive = ~MaskOf<V>{};
  for (std::size_t k = 0; k < p; ++k) {
    get_column(p, A, k, column);
    positive &= column[k] > 0.0;
    const V d = 1.0 / column[k];
    column[k] = V{};
    std::size_t r = 0;
    for (; r + kSweepRows <= p; r += kSweepRows) {
      V f[kSweepRows];
      for (std::size_t s = 0; s < kSweepRows; ++s) f[s] = column[r + s] * d;
      for (std::size_t c = 0; c < r; ++c)
        for (std::size_t s = 0; s < kSweepRows; ++s) A[tri(r + s, c)] -= f[s] * column[c];
      for (std::size_t s = 0; s < kSweepRows; ++s)
        for (std::size_t c = r; c <= r + s; ++c) A[tri(r + s, c)] -= f[s] * column[c];
    }
    for (; r < p; ++r)
      for (std::size_t c = 0; c <= r; ++c) A[tri(r, c)] -= column[r] * d * column[c];
    for (std::size_t j = 0; j < p; ++j) column[j] *= d;
    column[k] = -d;
    set_column(p, A, k, column);
  }
  for (std::size_t e = 0; e < tri(p, 0); ++e) A[e] = -A[e];
  return positive;
}
