// UBG's walk over the columns, forward and back, on lane numbers. The algorithm is that of
// layer/spod_layer.hpp; docs/backward.md derives it. Included like number.hpp.

/// Working memory of one group; every pointer is cut from the job's scratch.
template <class V>
struct UbgLayers {
  struct Tape {
    V* Theta_in;                   ///< packed triangle
    V *theta, *w, *z, *h, *u, *y;  ///< p x p, one row per column step
    V *hidden, *sigma;             ///< gamma's hidden units and output
    V *theta_22, *q0, *scale, *q, *v_raw, *v;
    V *inv_w22, *inv_v;  ///< reciprocals, used several times each
  };

  static constexpr LaneArithmetic<V> kMath{};
  const LanesJob& job;
  const std::size_t p;
  Tape* tapes;
  V *S, *W, *G, *diag;
  V *product_out, *column, *d_z, *d_theta, *d_w;
  LaneSums<V> sums;
  V *E, *N;  ///< lambda's sums of one layer
  V total = {};
  V* sums_begin;
  std::size_t sums_count;
  MaskOf<V> good;

  explicit UbgLayers(const LanesJob& j) : job(j), p(j.shape.p) {
    V* next = reinterpret_cast<V*>(job.scratch);
    const auto take = [&](std::size_t n) {
      V* start = next;
      next += n;
      return start;
    };
    const UbgShape& s = job.shape;
    for (V** m : {&S, &W, &G}) *m = take(tri(p, 0));
    for (V** x : {&diag, &product_out, &column, &d_z, &d_theta, &d_w}) *x = take(p);
    sums_begin = next;
    sums.gamma_b1 = take(s.gamma_hidden), sums.gamma_A2 = take(s.gamma_hidden);
    sums.gamma_b2 = take(1);
    for (int k = 0; k < 3; ++k) {
      const std::size_t rows = k < 2 ? s.g_hidden : 1, cols = k > 0 ? s.g_hidden : 3;
      sums.g_A[k] = take(rows * cols), sums.g_b[k] = take(rows);
    }
    E = take(s.lambda_hidden), N = take(s.lambda_hidden);
    sums_count = std::size_t(next - sums_begin);
    tapes = reinterpret_cast<Tape*>(take((job.layers * sizeof(Tape) + sizeof(V) - 1) / sizeof(V)));
    for (std::size_t k = 0; k < job.layers; ++k) {
      Tape& t = tapes[k];
      t.Theta_in = take(tri(p, 0));
      for (V** x : {&t.theta, &t.w, &t.z, &t.h, &t.u, &t.y}) *x = take(p * p);
      t.hidden = take(p * s.gamma_hidden);
      for (V** x :
           {&t.sigma, &t.theta_22, &t.q0, &t.scale, &t.q, &t.v_raw, &t.v, &t.inv_w22, &t.inv_v})
        *x = take(p);
    }
  }

  /// Lane l of the packed triangle = the lower triangle of full[l]; idle lanes repeat the last.
  void interleave(const double* const* full, V* out) const {
    const double* A[lanes_of<V>];
    for (std::size_t l = 0; l < std::size_t(lanes_of<V>); ++l)
      A[l] = full[l < job.count ? l : job.count - 1];
    for (std::size_t r = 0; r < p; ++r)
      for (std::size_t c = 0; c <= r; ++c) {
        V x;
        for (std::size_t l = 0; l < std::size_t(lanes_of<V>); ++l) x[l] = A[l][r * p + c];
        out[tri(r, c)] = x;
      }
  }

  void start() {
    interleave(job.S, S);
    Tape& t = tapes[0];
    for (std::size_t e = 0; e < tri(p, 0); ++e) W[e] = S[e];
    for (std::size_t i = 0; i < p; ++i) W[tri(i, i)] += job.offset;
    for (std::size_t e = 0; e < tri(p, 0); ++e) t.Theta_in[e] = W[e];
    good = invert(p, t.Theta_in, t.theta);  // theta is free until the walk begins
    for (std::size_t i = 0; i < p; ++i) diag[i] = t.Theta_in[tri(i, i)];
  }

  /// The next layer reads what this one wrote.
  void next_layer(const Tape& done, Tape& t) {
    for (std::size_t r = 0; r < p; ++r) {
      for (std::size_t c = 0; c < r; ++c) t.Theta_in[tri(r, c)] = done.u[r * p + c];
      t.Theta_in[tri(r, r)] = diag[r];
    }
  }

  /// out = W x after applying step `last` (tape and column), whose update is still pending.
  void pending_product(const Tape* last, std::size_t k, const V* x, V* out) {
    if (!last) return product<false>(p, W, x, V{}, x, V{}, x, out);
    const auto step = formulas::schur_step(last->inv_w22[k], last->inv_v[k]);
    product<true>(p, W, last->w + k * p, step.c_w, last->y + k * p, step.c_y, x, out);
  }

  /// out = inv_theta_11 x from Wx (in product_out); returns x' out.
  V schur(std::size_t i, V inv_w22, const V* w, const V* x, V* out) {
    const V factor = -(dot(p, w, x) * inv_w22);
    V q = {};
    for (std::size_t j = 0; j < p; ++j) {
      out[j] = formulas::schur_product(kMath, product_out[j], w[j], factor);
      q += out[j] * x[j];
    }
    out[i] = V{};
    return q;
  }

  template <int LambdaH, int GH>
  void forward_layer(std::size_t layer) {
    Tape& t = tapes[layer];
    const double* weights = job.weights[layer];
    const LambdaWeights<LambdaH, V> lambda_weights(job.shape, weights);
    const Tape* last = layer > 0 ? &tapes[layer - 1] : nullptr;  // whose update is pending
    std::size_t last_k = p - 1;
    for (std::size_t i = 0; i < p; ++i) {
      V *theta = t.theta + i * p, *w = t.w + i * p, *z = t.z + i * p, *u = t.u + i * p;
      load_column(t, i, last, last_k, theta, w);
      t.theta_22[i] = diag[i];
      t.inv_w22[i] = 1.0 / w[i];
      t.sigma[i] =
          gamma_forward(job.shape, weights, i, theta, t.hidden + i * job.shape.gamma_hidden);
      const V gamma = abs_of(t.sigma[i]);
      get_column(p, S, i, column);
      for (std::size_t j = 0; j < p; ++j) z[j] = theta[j] - gamma * (column[j] - w[j]);
      z[i] = V{};
      pending_product(last, last_k, z, product_out);
      t.q0[i] = schur(i, t.inv_w22[i], w, z, t.h + i * p);
      t.scale[i] = formulas::scale(kMath, job.scaling, all<V>(job.zeta), t.q0[i], diag[i]);
      for (std::size_t j = 0; j < p; ++j) {
        z[j] *= t.scale[i];
        const V lambda = abs_of(lambda_value(lambda_weights, z[j]));
        u[j] = formulas::soft_threshold(kMath, z[j], lambda);
      }
      pending_product(nullptr, 0, u, product_out);
      t.q[i] = schur(i, t.inv_w22[i], w, u, t.y + i * p);
      t.y[i * p + i] = all<V>(-1.0);
      GActivations<V> g;
      g.x[0] = diag[i], g.x[1] = S[tri(i, i)], g.x[2] = t.q[i];
      g_forward<GH>(job.shape, weights, g);
      t.v_raw[i] = abs_of(g.out);
      t.v[i] = formulas::margin(kMath, t.v_raw[i], all<V>(job.v_min), t.q[i]);
      t.inv_v[i] = 1.0 / t.v[i];
      diag[i] = t.v[i] + t.q[i];  // Eq. (2)
      good &= (t.q0[i] >= 0.0) & (t.q[i] >= 0.0) & (t.v[i] > 0.0) & (diag[i] < 1e300) &
              (t.v_raw[i] >= 0.0);
      last = &t, last_k = i;
    }
  }

  /// theta_12 and column i of W (the pending update included), and the monitor w_i' Theta_i = 1.
  void load_column(const Tape& t, std::size_t i, const Tape* last, std::size_t k, V* theta, V* w) {
    for (std::size_t j = 0; j < i; ++j) theta[j] = t.u[j * p + i];
    theta[i] = V{};
    for (std::size_t j = i + 1; j < p; ++j) theta[j] = t.Theta_in[tri(j, i)];
    get_column(p, W, i, w);
    if (last) {
      const V *lw = last->w + k * p, *ly = last->y + k * p;
      const auto step = formulas::schur_step(lw[i] * last->inv_w22[k], ly[i] * last->inv_v[k]);
      for (std::size_t j = 0; j < p; ++j) w[j] += step.c_y * ly[j] + step.c_w * lw[j];
    }
    const V drift = abs_of<V>(dot(p, theta, w) + w[i] * diag[i] - 1.0);
    good &= drift <= job.drift_limit;
  }

  /// Theta and W (its last update still pending) of each lane.
  void write_output() const {
    const Tape& t = tapes[job.layers - 1];
    const V *w = t.w + (p - 1) * p, *y = t.y + (p - 1) * p;
    const auto step = formulas::schur_step(t.inv_w22[p - 1], t.inv_v[p - 1]);
    for (std::size_t r = 0; r < p; ++r)
      for (std::size_t c = 0; c <= r; ++c) {
        const V theta = c < r ? t.u[r * p + c] : diag[r];
        const V inverse = W[tri(r, c)] + step.c_y * y[r] * y[c] + step.c_w * w[r] * w[c];
        for (std::size_t l = 0; l < job.count; ++l) {
          job.Theta[l][r * p + c] = job.Theta[l][c * p + r] = theta[l];
          job.W[l][r * p + c] = job.W[l][c * p + r] = inverse[l];
        }
      }
    for (std::size_t l = 0; l < job.count; ++l) job.good[l] = good[l] != 0;
  }

  // The way back, in ubg_backward.hpp.
  /// G = factor (Theta - Theta_true) and the squared norms.
  void start_back();
  /// G as the caller gives it, for what an earlier way there has left in the scratch.
  void resume_back();
  template <int LambdaH, int GH>
  void backward_layer(std::size_t layer);
  /// Adjoint of v; returns what it adds to d_q.
  template <int GH>
  V margin_backward(const Tape& t, std::size_t i, const double* weights, V d_v, V d_x[3]);
  /// d_z of the unscaled z; returns d_q0. Reads G's column i in `column`.
  template <int LambdaH>
  V preactivation_adjoint(const Tape& t, std::size_t i, const LambdaWeights<LambdaH, V>& weights,
                          V d_q);
  /// d_theta and d_w of z = theta_12 - gamma (s_12 - w_12).
  void gamma_adjoint(const Tape& t, std::size_t i, const double* weights);
  /// Recovers W before step i and leaves W d_w in product_out.
  void undo(const Tape& t, std::size_t i, bool applied);
  void add_sums(const double* weights, double* d_weights) const;
  /// d loss / d offset = -<G, Theta_in^2>.
  void offset_gradient();

  template <int LambdaH, int GH>
  void run() {
    if (job.way == LanesWay::back) {
      resume_back();
    } else {
      start();
      for (std::size_t k = 0; k < job.layers; ++k) {
        if (k > 0) next_layer(tapes[k - 1], tapes[k]);
        forward_layer<LambdaH, GH>(k);
      }
      if (job.way == LanesWay::there) return write_output();
      start_back();
    }
    for (std::size_t k = job.layers; k-- > 0;) backward_layer<LambdaH, GH>(k);
    if (job.learn_offset) offset_gradient();
  }
};
