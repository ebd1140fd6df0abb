// The O(p) work of a column in every instruction set, against its definition.
#include "core/kernels_fixture.hpp"

namespace spodnet::test {
namespace {

class ColumnKernels : public KernelsTest {};

double soft_threshold(double z, double lambda) {
  if (z > lambda) return z - lambda;
  if (-z > lambda) return z + lambda;
  return 0;
}

TEST_P(ColumnKernels, SoftThreshold) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers z(n, aligned, random), lambda(n, aligned, random), u(n, aligned, random);
    for (std::size_t j = 0; j < n; ++j) {
      lambda[j] = std::abs(lambda[j]);
      if (j % 5 == 1) lambda[j] = std::abs(z[j]);  // on the edge: an exact zero
      if (j % 5 == 2) lambda[j] = 0;
      if (j % 7 == 3) lambda[j] = kInfinity;
    }
    kernels().soft_threshold(n, z.data(), lambda.data(), u.data());
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(u[j], soft_threshold(z[j], lambda[j]));
      if (j % 5 == 1 || j % 7 == 3) {
        EXPECT_FALSE(std::signbit(u[j])) << "+0";
      }
    }
  });
}

TEST_P(ColumnKernels, SoftThresholdKeepsNotANumber) {
  Numbers z(8, true, random), lambda(8, true, random), u(8, true, random);
  for (std::size_t j = 0; j < 8; ++j) lambda[j] = 0.1;
  z[1] = kNaN;
  lambda[2] = kNaN;
  z[3] = kInfinity;
  z[4] = -kInfinity;
  kernels().soft_threshold(8, z.data(), lambda.data(), u.data());
  EXPECT_TRUE(std::isnan(u[1]));
  EXPECT_TRUE(std::isnan(u[2]));
  EXPECT_EQ(u[3], kInfinity);
  EXPECT_EQ(u[4], -kInfinity);
}

TEST_P(ColumnKernels, SoftThresholdBackward) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers u(n, aligned, random), g(n, aligned, random), y(n, aligned, random);
    Numbers d_z(n, aligned, random), d_lambda(n, aligned, random);
    for (std::size_t j = 0; j < n; j += 3) {
      u[j] = 0;
      g[j] = kNaN;  // must not leak through a zero
    }
    kernels().soft_threshold_backward(n, u.data(), g.data(), -0.4, y.data(), d_z.data(),
                                      d_lambda.data());
    for (std::size_t j = 0; j < n; ++j) {
      const double d_u = u[j] == 0 ? 0 : 2 * (g[j] - 0.4 * y[j]);
      EXPECT_NEAR(d_z[j], d_u, 1e-14);
      EXPECT_NEAR(d_lambda[j], u[j] > 0 ? -d_u : d_u, 1e-14);
    }
  });
}

/// e(x) and, where asked, the sums of its backward, entry by entry.
struct PlainScalarMlp {
  ScalarMlp mlp;
  double value(double x) const {
    double e = mlp.c2;
    for (std::size_t k = 0; k < mlp.hidden; ++k)
      e += mlp.B2[k] * std::max(mlp.B1[k] * x + mlp.c1[k], 0.0);
    return e;
  }
  /// Returns the adjoint of x, with d_e the adjoint of e.
  double backward(double x, double d_e, std::vector<double>& d) const {
    const std::size_t H = mlp.hidden;
    double d_x = 0;
    for (std::size_t k = 0; k < H; ++k) {
      const double pre = mlp.B1[k] * x + mlp.c1[k];
      d[2 * H + k] += d_e * std::max(pre, 0.0);
      if (!(pre > 0)) continue;
      d[k] += d_e * mlp.B2[k] * x;
      d[H + k] += d_e * mlp.B2[k];
      d_x += d_e * mlp.B2[k] * mlp.B1[k];
    }
    d[3 * H] += d_e;
    return d_x;
  }
};

TEST_P(ColumnKernels, AbsMlpAndItsBackward) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    for (std::size_t H : {1, 4, 5, 9}) {
      Numbers weights(3 * H + 1, aligned, random), x(n, aligned, random);
      const double* w = weights.data();
      const PlainScalarMlp plain{{w, w + H, w + 2 * H, w[3 * H], H}};
      Numbers lambda(n, aligned, random), d_lambda(n, aligned, random), d_x(n, aligned, random);
      const Vector d_x_before = d_x.vector(n);
      std::vector<double> d(3 * H + 1, 0.25), expected = d;
      kernels().abs_mlp(n, plain.mlp, 0.1, x.data(), lambda.data());
      kernels().abs_mlp_backward(n, plain.mlp, 0.1, x.data(), d_lambda.data(), d_x.data(),
                                 {&d[0], &d[H], &d[2 * H], &d[3 * H]});
      for (std::size_t j = 0; j < n; ++j) {
        const double e = plain.value(x[j]);
        EXPECT_NEAR(lambda[j], 0.1 * std::abs(e), kRounding * 10);
        const double d_e = 0.1 * (e > 0 ? d_lambda[j] : -d_lambda[j]);
        EXPECT_NEAR(d_x[j], d_x_before[Eigen::Index(j)] + plain.backward(x[j], d_e, expected),
                    kRounding * 10);
      }
      for (std::size_t k = 0; k < d.size(); ++k)
        EXPECT_NEAR(d[k], expected[k], kRounding * double(n) * 10);
    }
  });
}

TEST_P(ColumnKernels, AbsMlpKeepsNotANumber) {
  for (std::size_t bad = 0; bad < 17; ++bad) {  // each weight, then the input
    Numbers weights(16, true, random), x(8, true, random), lambda(8, true, random);
    (bad < 16 ? weights[bad] : x[2]) = kNaN;
    const double* w = weights.data();
    kernels().abs_mlp(8, {w, w + 5, w + 10, w[15], 5}, 1.0, x.data(), lambda.data());
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(std::isnan(lambda[j]), bad < 16 || j == 2);
  }
}

/// In one pass what scaling, thresholds and soft threshold do one after the other.
TEST_P(ColumnKernels, MlpThresholdAndItsBackward) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    for (std::size_t H : {1, 4, 5, 9}) {
      Numbers weights(3 * H + 1, aligned, random), z(n, aligned, random), u(n, aligned, random);
      const double* w = weights.data();
      const ScalarMlp mlp{w, w + H, w + 2 * H, w[3 * H], H};
      Numbers x(n, aligned, random), lambda(n, aligned, random), expected(n, aligned, random);
      for (std::size_t j = 0; j < n; ++j) x[j] = 1.7 * z[j];
      kernels().abs_mlp(n, mlp, 0.1, x.data(), lambda.data());
      kernels().soft_threshold(n, x.data(), lambda.data(), expected.data());
      kernels().mlp_threshold(n, mlp, 0.1, 1.7, z.data(), u.data());
      EXPECT_EQ(z.vector(n), x.vector(n));
      EXPECT_LE((u.vector(n) - expected.vector(n)).norm(), kRounding);

      Numbers g(n, aligned, random), y(n, aligned, random), d_z(n, aligned, random);
      Numbers d_x(n, aligned, random), d_lambda(n, aligned, random);
      std::vector<double> d(3 * H + 1, 0.25), d_plain = d;
      const auto sums = [H](std::vector<double>& s) {
        return ScalarMlpGradient{&s[0], &s[H], &s[2 * H], &s[3 * H]};
      };
      kernels().soft_threshold_backward(n, u.data(), g.data(), -0.4, y.data(), d_x.data(),
                                        d_lambda.data());
      kernels().abs_mlp_backward(n, mlp, 0.1, z.data(), d_lambda.data(), d_x.data(), sums(d_plain));
      const double product = kernels().mlp_threshold_backward(
          n, mlp, 0.1, z.data(), {u.data(), g.data(), y.data(), -0.4}, d_z.data(), sums(d));
      const double tolerance = kRounding * double(n) * 10;
      EXPECT_LE((d_z.vector(n) - d_x.vector(n)).norm(), tolerance);
      EXPECT_NEAR(product, d_x.vector(n).dot(z.vector(n)), tolerance);
      for (std::size_t k = 0; k < d.size(); ++k) EXPECT_NEAR(d[k], d_plain[k], tolerance);
    }
  });
}

TEST_P(ColumnKernels, ReluAndItsBackward) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers h(n, aligned, random), d(n, aligned, random);
    for (std::size_t j = 0; j < n; j += 3) h[j] = j % 2 == 0 ? 0.0 : kNaN;
    const Vector before = h.vector(n), d_before = d.vector(n);
    kernels().relu(n, h.data());
    kernels().relu_backward(n, h.data(), d.data());
    for (std::size_t j = 0; j < n; ++j) {
      const double was = before[Eigen::Index(j)];
      if (std::isnan(was))
        EXPECT_TRUE(std::isnan(h[j]));
      else
        EXPECT_EQ(h[j], std::max(was, 0.0));
      EXPECT_EQ(d[j], was > 0 ? d_before[Eigen::Index(j)] : 0.0);
    }
  });
}

TEST_P(ColumnKernels, GradientStepAndItsBackward) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers theta(n, aligned, random), s(n, aligned, random), w(n, aligned, random);
    Numbers z(n, aligned, random), d_theta(n, aligned, random), d_w(n, aligned, random);
    const double gamma = 0.7, tolerance = kRounding * double(n);
    const Vector r = s.vector(n) - w.vector(n), stepped = theta.vector(n) - gamma * r;
    kernels().gradient_step(n, gamma, theta.data(), s.data(), w.data(), z.data());
    EXPECT_LE((z.vector(n) - stepped).norm(), tolerance);
    for (bool fresh : {true, false}) {
      const double kept = fresh ? 0 : 1;
      const Vector theta_sum = kept * d_theta.vector(n) + z.vector(n),
                   w_sum = kept * d_w.vector(n) + gamma * z.vector(n);
      const double d_gamma = kernels().gradient_step_backward(
          n, gamma, s.data(), w.data(), z.data(), fresh, d_theta.data(), d_w.data());
      EXPECT_NEAR(d_gamma, -r.dot(z.vector(n)), tolerance);
      EXPECT_LE((d_theta.vector(n) - theta_sum).norm(), tolerance);
      EXPECT_LE((d_w.vector(n) - w_sum).norm(), tolerance);
    }
  });
}

TEST_P(ColumnKernels, DifferenceOfAnyLength) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Numbers x(n, aligned, random), y(n, aligned, random), out(n, aligned, random);
    const Vector d = x.vector(p) - y.vector(p), beyond = out.vector(n).tail(Eigen::Index(n - p));
    double squares[2];
    kernels().difference(p, 0.3, x.data(), y.data(), out.data(), squares);
    EXPECT_LE((out.vector(p) - 0.3 * d).norm(), kRounding * d.norm());
    EXPECT_EQ(out.vector(n).tail(Eigen::Index(n - p)), beyond);
    EXPECT_NEAR(squares[0], d.squaredNorm(), kRounding * d.squaredNorm());
    EXPECT_NEAR(squares[1], y.vector(p).squaredNorm(), kRounding * y.vector(p).squaredNorm());
  });
}

SPODNET_EACH_INSTRUCTION_SET(ColumnKernels);

}  // namespace
}  // namespace spodnet::test
