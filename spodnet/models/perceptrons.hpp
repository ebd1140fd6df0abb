// The three perceptrons of UBG on lane numbers: forward beside backward. Weight gradients are
// kept per lane and summed over the lanes once, at the end. Included like number.hpp.

constexpr std::size_t kMaxGHidden = 64, kMaxLambdaHidden = 64;

/// A weight gradient per lane.
template <class V>
struct LaneSums {
  V *gamma_b1, *gamma_A2, *gamma_b2, *g_A[3], *g_b[3];
};

/// h = relu(A1 theta_c + b1), returns sigma = A2 h + b2; theta has 0 at entry i, which A1 skips.
template <class V>
SPODNET_INLINE V gamma_forward(const UbgShape& s, const double* weights, std::size_t i,
                               const V* theta, V* h) {
  constexpr std::size_t U = 4;  // hidden units whose sums stay in registers
  const std::size_t in = s.p - 1, H = s.gamma_hidden;
  const double *A1 = weights + s.gamma_A1, *b1 = weights + s.gamma_b1;
  V sigma = all<V>(weights[s.gamma_b2]);
  for (std::size_t k0 = 0; k0 < H; k0 += U) {
    V sum[U];
    const double* row[U];
    for (std::size_t k = 0; k < U; ++k) {
      const std::size_t unit = k0 + k < H ? k0 + k : H - 1;
      sum[k] = all<V>(b1[unit]);
      row[k] = A1 + unit * in;
    }
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < U; ++k) sum[k] += row[k][j] * theta[j];
    for (std::size_t j = i; j < in; ++j)
      for (std::size_t k = 0; k < U; ++k) sum[k] += row[k][j] * theta[j + 1];
    for (std::size_t k = 0; k < U && k0 + k < H; ++k) {
      h[k0 + k] = relu(sum[k]);
      sigma += weights[s.gamma_A2 + k0 + k] * h[k0 + k];
    }
  }
  return sigma;
}

/// d_theta += the adjoint of theta; delta = the adjoint of the hidden units (A1's gradient is
/// formed later from all columns' delta and theta).
template <class V>
SPODNET_INLINE void gamma_backward(const UbgShape& s, const double* weights, std::size_t i,
                                   const V* h, V d_sigma, V* delta, V* d_theta,
                                   const LaneSums<V>& sums) {
  const std::size_t in = s.p - 1, H = s.gamma_hidden;
  const double* A1 = weights + s.gamma_A1;
  *sums.gamma_b2 += d_sigma;
  for (std::size_t k = 0; k < H; ++k) {
    sums.gamma_A2[k] += d_sigma * h[k];
    delta[k] = only_where<V>(h[k] > 0.0, weights[s.gamma_A2 + k] * d_sigma);
    sums.gamma_b1[k] += delta[k];
  }
  constexpr std::size_t U = 4;  // inputs whose sums stay in registers
  for (std::size_t j0 = 0; j0 < in; j0 += U) {
    V sum[U];
    for (std::size_t j = 0; j < U; ++j) sum[j] = V{};
    const std::size_t width = j0 + U <= in ? U : in - j0;
    if (width == U)
      for (std::size_t k = 0; k < H; ++k)
        for (std::size_t j = 0; j < U; ++j) sum[j] += A1[k * in + j0 + j] * delta[k];
    else
      for (std::size_t k = 0; k < H; ++k)
        for (std::size_t j = 0; j < width; ++j) sum[j] += A1[k * in + j0 + j] * delta[k];
    for (std::size_t j = 0; j < width; ++j) d_theta[j0 + j + (j0 + j >= i)] += sum[j];
  }
}

/// d_A1 = sum over columns and good lanes of delta theta_c'.
template <class V>
SPODNET_INLINE void gamma_weights(const UbgShape& s, MaskOf<V> good, const V* delta, const V* theta,
                                  double* d_weights) {
  constexpr std::size_t U = 4;
  const std::size_t p = s.p, in = p - 1, H = s.gamma_hidden;
  for (std::size_t k0 = 0; k0 < H; k0 += U)
    for (std::size_t j0 = 0; j0 < in; j0 += U) {
      V sum[U][U];
      for (std::size_t e = 0; e < U * U; ++e) sum[e / U][e % U] = V{};
      std::size_t units[U], inputs[U];  // a short tile repeats its last unit or input
      for (std::size_t e = 0; e < U; ++e) {
        units[e] = k0 + e < H ? k0 + e : H - 1;
        inputs[e] = j0 + e < in ? j0 + e : in - 1;
      }
      for (std::size_t i = 0; i < p; ++i) {
        V x[U];
        for (std::size_t j = 0; j < U; ++j) x[j] = theta[i * p + inputs[j] + (inputs[j] >= i)];
        for (std::size_t k = 0; k < U; ++k) {
          const V d = delta[i * H + units[k]];
          for (std::size_t j = 0; j < U; ++j) sum[k][j] += d * x[j];
        }
      }
      for (std::size_t k = 0; k < U && k0 + k < H; ++k)
        for (std::size_t j = 0; j < U && j0 + j < in; ++j)
          d_weights[s.gamma_A1 + (k0 + k) * in + j0 + j] += sum_where<V>(good, sum[k][j]);
    }
}

/// lambda's weights, broadcast once per layer: e(x) = c2 + sum_k B2_k relu(B1_k x + c1_k),
/// lambda = |e|. H > 0: width known when compiling, everything stays in registers.
template <int H, class V>
struct LambdaWeights {
  static constexpr std::size_t kRoom = H > 0 ? H : kMaxLambdaHidden;
  std::size_t hidden;
  V B1[kRoom], c1[kRoom], B2[kRoom], B12[kRoom], c2;

  LambdaWeights(const UbgShape& s, const double* weights) : hidden(H > 0 ? H : s.lambda_hidden) {
    for (std::size_t k = 0; k < hidden; ++k) {
      B1[k] = all<V>(weights[s.lambda_B1 + k]);
      c1[k] = all<V>(weights[s.lambda_c1 + k]);
      B2[k] = all<V>(weights[s.lambda_B2 + k]);
      B12[k] = B1[k] * B2[k];
    }
    c2 = all<V>(weights[s.lambda_c2]);
  }

  std::size_t width() const { return H > 0 ? std::size_t(H) : hidden; }
};

template <int H, class V>
SPODNET_INLINE V lambda_value(const LambdaWeights<H, V>& a, V x) {
  V e = a.c2;
  for (std::size_t k = 0; k < a.width(); ++k) e += a.B2[k] * relu<V>(a.B1[k] * x + a.c1[k]);
  return e;
}

/// Returns d_x; adds to the weight sums.
template <int H, class V>
SPODNET_INLINE V lambda_backward(const LambdaWeights<H, V>& a, V x, V d_lambda, V* E, V* N,
                                 V& total) {
  const V d_e = times_sign(d_lambda, lambda_value<H>(a, x));
  V d_x = {};
  for (std::size_t k = 0; k < a.width(); ++k) {
    const V active = only_where<V>(a.B1[k] * x + a.c1[k] > 0.0, d_e);
    E[k] += active;
    N[k] += active * x;
    d_x += active * a.B12[k];
  }
  total += d_e;
  return d_x;
}

template <class V>
struct GActivations {
  V x[3], h1[kMaxGHidden], h2[kMaxGHidden], out;
};

template <int H, class V>
SPODNET_INLINE void g_forward(const UbgShape& s, const double* weights, GActivations<V>& a) {
  const std::size_t hidden = H > 0 ? H : s.g_hidden;
  const double *A0 = weights + s.g_A[0], *A1 = weights + s.g_A[1], *A2 = weights + s.g_A[2];
  for (std::size_t k = 0; k < hidden; ++k)
    a.h1[k] = relu<V>(weights[s.g_b[0] + k] + (A0[3 * k] * a.x[0] + A0[3 * k + 1] * a.x[1]) +
                      A0[3 * k + 2] * a.x[2]);
  a.out = all<V>(weights[s.g_b[2]]);
  for (std::size_t k = 0; k < hidden; ++k) {
    V sum = all<V>(weights[s.g_b[1] + k]);
    for (std::size_t c = 0; c < hidden; ++c) sum += A1[k * hidden + c] * a.h1[c];
    a.h2[k] = relu(sum);
    a.out += A2[k] * a.h2[k];
  }
}

/// d_x[0..2] from d_v, v = |out|.
template <int H, class V>
SPODNET_INLINE void g_backward(const UbgShape& s, const double* weights, const GActivations<V>& a,
                               V d_v, V d_x[3], const LaneSums<V>& sums) {
  const std::size_t hidden = H > 0 ? H : s.g_hidden;
  const double *A0 = weights + s.g_A[0], *A1 = weights + s.g_A[1], *A2 = weights + s.g_A[2];
  const V d_out = times_sign(d_v, a.out);
  V d_h1[kMaxGHidden];
  for (std::size_t c = 0; c < hidden; ++c) d_h1[c] = V{};
  *sums.g_b[2] += d_out;
  for (std::size_t k = 0; k < hidden; ++k) {
    sums.g_A[2][k] += d_out * a.h2[k];
    const V d_h2 = only_where<V>(a.h2[k] > 0.0, A2[k] * d_out);
    sums.g_b[1][k] += d_h2;
    for (std::size_t c = 0; c < hidden; ++c) {
      sums.g_A[1][k * hidden + c] += d_h2 * a.h1[c];
      d_h1[c] += A1[k * hidden + c] * d_h2;
    }
  }
  for (int e = 0; e < 3; ++e) d_x[e] = V{};
  for (std::size_t k = 0; k < hidden; ++k) {
    const V d = only_where<V>(a.h1[k] > 0.0, d_h1[k]);
    sums.g_b[0][k] += d;
    for (int e = 0; e < 3; ++e) {
      sums.g_A[0][3 * k + std::size_t(e)] += d * a.x[e];
      d_x[e] += A0[3 * k + std::size_t(e)] * d;
    }
  }
}
