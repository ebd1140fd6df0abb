// Symmetric matrices as packed lower triangles of lane numbers. Included like number.hpp.

/// Rows swept together, so that the vectors along the columns are loaded once for all of them.
#if SPODNET_VECTOR_BYTES == 64
constexpr std::size_t kSweepRows = 4;
#else
constexpr std::size_t kSweepRows = 2;
#endif

template <std::size_t N>
struct Index {
  constexpr operator std::size_t() const { return N; }
};

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

/// body(k, c) for c <= k < R, all constants: g++ keeps arrays in memory, not in registers, when it
/// meets the triangle as two loops.
template <std::size_t R, std::size_t K = 0, std::size_t C = 0, class Body>
SPODNET_INLINE void for_triangle(const Body& body) {
  if constexpr (K < R) {
    body(Index<K>{}, Index<C>{});
    constexpr bool inside = C < K;
    for_triangle<R, inside ? K : K + 1, inside ? C + 1 : 0>(body);
  }
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
  for_triangle<R>([&](auto k, auto c) {
    V a = row[k][r + c];
    if (kUpdate) {
      a += f1[k] * x1[r + c];
      a += f2[k] * x2[r + c];
      row[k][r + c] = a;
    }
    acc[k] += a * zr[c];
    if (c < k) acc[c] += a * zr[k];
  });
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
  for_triangle<R>([&](auto k, auto c) {
    if (r + c < columns)
      row[k][r + c] = entry(k, y[r + c], h[r + c], w[r + c], m[r + c], row[k][r + c]);
  });
}

template <class V>
SPODNET_INLINE void adjoint_update(std::size_t p, std::size_t columns, V* G, V d_q, const V* y,
                                   V d_q0, const V* h, const V* m, const V* w) {
  std::size_t r = 0;
  for (; r + kSweepRows <= p; r += kSweepRows)
    adjoint_rows<kSweepRows>(r, columns, G, d_q, y, d_q0, h, m, w);
  for (; r < p; ++r) adjoint_rows<1>(r, columns, G, d_q, y, d_q0, h, m, w);
}

/// Rows r .. r + R - 1 of A -= x1 f1' + x2 f2' (symmetric in sum).
template <std::size_t R, class V>
SPODNET_INLINE void subtract_rows(std::size_t r, V* A, const V* x1, const V* f1, const V* x2,
                                  const V* f2) {
  V a1[R], a2[R];
  V* row[R];
  for (std::size_t k = 0; k < R; ++k) {
    a1[k] = x1[r + k], a2[k] = x2[r + k];
    row[k] = A + tri(r + k, 0);
  }
  for (std::size_t c = 0; c < r; ++c) {
    const V b1 = f1[c], b2 = f2[c];
    for (std::size_t k = 0; k < R; ++k) {
      V a = row[k][c];
      a -= a1[k] * b1;
      a -= a2[k] * b2;
      row[k][c] = a;
    }
  }
  for_triangle<R>([&](auto k, auto c) { row[k][r + c] -= a1[k] * f1[r + c] + a2[k] * f2[r + c]; });
}

template <class V>
SPODNET_INLINE void subtract_pair(std::size_t p, V* A, const V* x1, const V* f1, const V* x2,
                                  const V* f2) {
  std::size_t r = 0;
  for (; r + kSweepRows <= p; r += kSweepRows) subtract_rows<kSweepRows>(r, A, x1, f1, x2, f2);
  for (; r < p; ++r) subtract_rows<1>(r, A, x1, f1, x2, f2);
}

/// A = A^{-1} by the symmetric sweep, two pivots at a time (half the stores of one at a time);
/// returns the lanes in which every pivot was positive. scratch: 4 p numbers.
template <class V>
SPODNET_INLINE MaskOf<V> invert(std::size_t p, V* A, V* scratch) {
  V *x1 = scratch, *x2 = x1 + p, *f1 = x2 + p, *f2 = f1 + p;
  MaskOf<V> positive = ~MaskOf<V>{};
  for (std::size_t k = 0; k < p; k += 2) {
    const bool pair = k + 1 < p;
    const std::size_t l = pair ? k + 1 : k;
    get_column(p, A, k, x1);
    get_column(p, A, l, x2);
    const V a = x1[k], b = pair ? x2[k] : V{}, c = pair ? x2[l] : all<V>(1.0);
    const V det = a * c - b * b, inv = 1.0 / det;
    positive &= (a > 0.0) & (det > 0.0);
    const V d11 = c * inv, d12 = -b * inv, d22 = pair ? a * inv : V{};
    x1[k] = x1[l] = x2[k] = x2[l] = V{};
    for (std::size_t j = 0; j < p; ++j) {
      f1[j] = d11 * x1[j] + d12 * x2[j];
      f2[j] = d12 * x1[j] + d22 * x2[j];
    }
    subtract_pair(p, A, x1, f1, x2, f2);
    if (pair) {
      f2[k] = -d12, f2[l] = -d22;
      set_column(p, A, l, f2);
      f1[l] = -d12;
    }
    f1[k] = -d11;
    set_column(p, A, k, f1);
  }
  for (std::size_t e = 0; e < tri(p, 0); ++e) A[e] = -A[e];
  return positive;
}
