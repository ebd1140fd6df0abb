// The way back of ubg_forward.hpp: adjoints of the column steps, and the undoing of W. Included
// like number.hpp.

template <class V>
void UbgLayers<V>::start_back() {
  interleave(job.Theta_true, G);
  const Tape& t = tapes[job.layers - 1];
  V error = {}, truth = {}, factor = {};
  for (std::size_t l = 0; l < job.count; ++l) factor[l] = job.factor[l];
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t c = 0; c <= r; ++c) {
      const V target = G[tri(r, c)];
      const V d = (c < r ? t.u[r * p + c] : diag[r]) - target;
      const double copies = c < r ? 2.0 : 1.0;
      error += copies * (d * d);
      truth += copies * (target * target);
      G[tri(r, c)] = factor * d;
    }
  for (std::size_t l = 0; l < job.count; ++l) {
    job.squared_error[l] = error[l];
    job.squared_truth[l] = truth[l];
    job.good[l] = good[l] != 0;
  }
  for (std::size_t l = job.count; l < std::size_t(lanes_of<V>); ++l) good[l] = 0;
}

template <class V>
void UbgLayers<V>::resume_back() {
  interleave(job.d_Theta, G);
  good = MaskOf<V>{};
  for (std::size_t l = 0; l < job.count; ++l) good[l] = job.good[l] ? -1 : 0;
}

template <class V>
template <int LambdaH, int GH>
void UbgLayers<V>::backward_layer(std::size_t layer) {
  Tape& t = tapes[layer];
  const double* weights = job.weights[layer];
  const LambdaWeights<LambdaH, V> lambda_weights(job.shape, weights);
  for (std::size_t e = 0; e < sums_count; ++e) sums_begin[e] = V{};
  total = V{};
  const bool all_columns = layer > 0 || job.learn_offset;
  for (std::size_t i = p; i-- > 0;) {
    diag[i] = t.theta_22[i];
    V *h = t.h + i * p, *y = t.y + i * p, *w = t.w + i * p;
    get_column(p, G, i, column);
    V d_x[3];
    const V d_next = column[i];
    const V d_q = d_next + margin_backward<GH>(t, i, weights, d_next, d_x);
    const V d_q0 = preactivation_adjoint(t, i, lambda_weights, d_q);
    gamma_adjoint(t, i, weights);
    const bool applied = !(layer + 1 == job.layers && i + 1 == p);
    undo(t, i, applied);
    y[i] = V{};
    for (std::size_t j = 0; j < p; ++j) column[j] = 0.5 * d_theta[j];
    column[i] = d_x[0];
    set_column(p, G, i, column);
    adjoint_update(p, all_columns ? p : i, G, d_q, y, d_q0, h, product_out, w);
  }
  gamma_weights(job.shape, good, t.hidden, t.theta, job.d_weights[layer]);
  add_sums(weights, job.d_weights[layer]);
}

template <class V>
template <int GH>
V UbgLayers<V>::margin_backward(const Tape& t, std::size_t i, const double* weights, V d_v,
                                V d_x[3]) {
  GActivations<V> g;
  g.x[0] = t.theta_22[i], g.x[1] = S[tri(i, i)], g.x[2] = t.q[i];
  g_forward<GH>(job.shape, weights, g);
  const MaskOf<V> free = t.v[i] == t.v_raw[i];  // the floor is not active
  g_backward<GH>(job.shape, weights, g, only_where<V>(free, d_v), d_x, sums);
  return d_x[2] +
         only_where<V>(~free, formulas::floor_backward(kMath, all<V>(job.v_min), t.q[i], d_v));
}

template <class V>
template <int LambdaH>
V UbgLayers<V>::preactivation_adjoint(const Tape& t, std::size_t i,
                                      const LambdaWeights<LambdaH, V>& weights, V d_q) {
  const V *u = t.u + i * p, *z = t.z + i * p, *y = t.y + i * p, *h = t.h + i * p;
  constexpr std::size_t kSums = LambdaH > 0 ? LambdaH : 1;
  V inner = {}, column_total = {}, column_E[kSums], column_N[kSums];  // registers
  for (std::size_t k = 0; k < kSums; ++k) column_E[k] = column_N[k] = V{};
  for (std::size_t j = 0; j < p; ++j) {
    const V d = only_where<V>(u[j] != 0.0, 2.0 * (column[j] + d_q * y[j]));
    const V d_lambda = formulas::soft_threshold_backward(kMath, d, u[j]);
    d_z[j] = d + lambda_backward(weights, z[j], d_lambda, LambdaH > 0 ? column_E : E,
                                 LambdaH > 0 ? column_N : N, column_total);
    inner += d_z[j] * z[j];
  }
  total += column_total;
  for (std::size_t k = 0; k < kSums; ++k) E[k] += column_E[k], N[k] += column_N[k];
  const V scale = t.scale[i];
  const V d_q0 = formulas::scale_backward(kMath, job.scaling, scale, t.q0[i], inner);
  for (std::size_t j = 0; j < p; ++j) d_z[j] = scale * d_z[j] + 2.0 * d_q0 * h[j];
  d_z[i] = V{};
  return d_q0;
}

template <class V>
void UbgLayers<V>::gamma_adjoint(const Tape& t, std::size_t i, const double* weights) {
  const V* w = t.w + i * p;
  const V sigma = t.sigma[i], gamma = abs_of(sigma);
  V d_gamma = {};
  get_column(p, S, i, column);
  for (std::size_t j = 0; j < p; ++j) {
    d_gamma -= d_z[j] * (column[j] - w[j]);
    d_theta[j] = d_z[j];
    d_w[j] = gamma * d_z[j];
  }
  V* hidden = t.hidden + i * job.shape.gamma_hidden;
  gamma_backward(job.shape, weights, i, hidden, times_sign(d_gamma, sigma), hidden, d_theta, sums);
}

template <class V>
void UbgLayers<V>::undo(const Tape& t, std::size_t i, bool applied) {
  if (!applied) return product<false>(p, W, d_w, V{}, d_w, V{}, d_w, product_out);
  const auto step = formulas::schur_undo(t.inv_w22[i], t.inv_v[i]);
  product<true>(p, W, t.w + i * p, step.c_w, t.y + i * p, step.c_y, d_w, product_out);
}

template <class V>
void UbgLayers<V>::add_sums(const double* weights, double* d_weights) const {
  const UbgShape& s = job.shape;
  const auto add = [&](std::size_t offset, const V* x, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) d_weights[offset + k] += sum_where<V>(good, x[k]);
  };
  add(s.gamma_b1, sums.gamma_b1, s.gamma_hidden);
  add(s.gamma_A2, sums.gamma_A2, s.gamma_hidden);
  add(s.gamma_b2, sums.gamma_b2, 1);
  for (int k = 0; k < 3; ++k) {
    const std::size_t rows = k < 2 ? s.g_hidden : 1, cols = k > 0 ? s.g_hidden : 3;
    add(s.g_A[k], sums.g_A[k], rows * cols);
    add(s.g_b[k], sums.g_b[k], rows);
  }
  for (std::size_t k = 0; k < s.lambda_hidden; ++k) {
    const double e = sum_where<V>(good, E[k]), n = sum_where<V>(good, N[k]);
    const double B1 = weights[s.lambda_B1 + k], c1 = weights[s.lambda_c1 + k];
    const double B2 = weights[s.lambda_B2 + k];
    d_weights[s.lambda_B1 + k] += B2 * n;
    d_weights[s.lambda_c1 + k] += B2 * e;
    d_weights[s.lambda_B2 + k] += B1 * n + c1 * e;
  }
  d_weights[s.lambda_c2] += sum_where<V>(good, total);
}

template <class V>
void UbgLayers<V>::offset_gradient() {
  V inner = {};
  for (std::size_t i = 0; i < p; ++i) {
    get_column(p, tapes[0].Theta_in, i, column);
    product<false>(p, G, column, V{}, column, V{}, column, product_out);
    inner += dot(p, column, product_out);
  }
  *job.d_offset -= sum_where<V>(good, inner);
}

template <int L>
static void run_lanes(const LanesJob& job) {
  UbgLayers<typename Lanes<L>::Number> layers(job);
  if (job.shape.lambda_hidden == 5 && job.shape.g_hidden == 3)
    layers.template run<5, 3>();
  else
    layers.template run<0, 0>();
}
