// The coordinate cycles of every instruction set beside their definition, one step at a time.
#include <algorithm>
#include <limits>

#include "core/kernels_fixture.hpp"

namespace spodnet::test {
namespace {

class CoordinateKernels : public KernelsTest {
 protected:
  /// A positive definite matrix, rows padded with zeros.
  Numbers spd(std::size_t p, std::size_t ld, bool aligned) {
    Numbers A(p * ld, aligned, random);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j < ld; ++j)
        A[i * ld + j] = j >= p ? 0.0 : i == j ? double(p) : j < i ? A[j * ld + i] : A[i * ld + j];
    return A;
  }
};

TEST_P(CoordinateKernels, LassoPass) {
  everywhere([&](std::size_t k, std::size_t ld, bool aligned) {
    Numbers H = spd(k, ld, aligned), c(ld, aligned, random);
    Numbers above(ld, aligned, random), below(ld, aligned, random);
    Numbers b(ld, aligned, random), inverse(ld, aligned, random), r(ld, aligned, random);
    const Matrix A = Eigen::Map<Matrix>(H.data(), Eigen::Index(k), Eigen::Index(ld));
    for (std::size_t l = 0; l < k; ++l) {
      inverse[l] = 1 / double(k);
      above[l] = l % 5 == 3 ? std::numeric_limits<double>::infinity() : std::abs(above[l]);
      below[l] = l % 7 == 3 ? std::numeric_limits<double>::infinity() : std::abs(below[l]);
    }
    c.pad(k), b.pad(k);
    Vector expected = b.vector(k);
    Eigen::Map<Vector>(r.data(), Eigen::Index(ld)) =
        c.vector(ld) - A.transpose() * b.vector(k);  // A is symmetric but for its padding
    double change = 0;
    for (std::size_t l = 0; l < k; ++l) {
      const Eigen::Index at = Eigen::Index(l);
      const double x = c[l] - A.row(at).head(Eigen::Index(k)) * expected + A(at, at) * expected[at];
      const double size = std::max(x > 0 ? x - above[l] : -x - below[l], 0.0);
      const double next = std::copysign(size, x) / A(at, at);
      change += A(at, at) * (next - expected[at]) * (next - expected[at]);
      expected[at] = next;
    }
    const double got = kernels().lasso_pass(k, ld, H.data(), above.data(), below.data(),
                                            inverse.data(), b.data(), r.data());
    EXPECT_NEAR(got, change, kRounding * (1 + change));
    EXPECT_LE((b.vector(k) - expected).norm(), kRounding * double(k));
    for (std::size_t l = 0; l < k; ++l) EXPECT_EQ(b[l] == 0, expected[Eigen::Index(l)] == 0);
    EXPECT_LE((r.vector(ld) - (c.vector(ld) - A.transpose() * expected)).norm(),
              kRounding * double(k * k));
  });
}

TEST_P(CoordinateKernels, BoxPass) {
  everywhere([&](std::size_t p, std::size_t ld, bool aligned) {
    Numbers Theta = spd(p, ld, aligned), theta(ld, aligned, random), factor(ld, aligned, random);
    Numbers low(ld, aligned, random), high(ld, aligned, random), scale(ld, aligned, random);
    Numbers w(ld, aligned, random), g(ld, aligned, random);
    std::vector<std::size_t> list, moved;
    for (std::size_t j = 0; j < p; ++j) {
      factor[j] = -0.01 * theta[j];
      if (low[j] > high[j]) std::swap(low[j], high[j]);
      w[j] = std::clamp(w[j], low[j], high[j]);
      scale[j] = 1 / (Theta[j * ld + j] + factor[j] * theta[j]);
      if (j % 3 != 1) list.push_back(j);
    }
    const std::size_t count = list.size();
    BoxColumn column{ld,          Theta.data(), theta.data(), factor.data(), low.data(),
                     high.data(), scale.data(), w.data(),     g.data(),      0.3};
    Vector expected = w.vector(p), gradient = g.vector(p) + 0.3 * theta.vector(p);
    for (std::size_t j : list) {
      const Eigen::Index at = Eigen::Index(j);
      const double next = std::clamp(expected[at] - gradient[at] * scale[j], low[j], high[j]);
      if (next != expected[at]) moved.push_back(j);
      for (std::size_t l = 0; l < p; ++l)
        gradient[Eigen::Index(l)] +=
            (next - expected[at]) * (Theta[j * ld + l] + factor[j] * theta[l]);
      expected[at] = next;
    }
    list.resize(kernels().box_pass(column, count, list.data()));
    EXPECT_EQ(list, moved);
    EXPECT_LE((w.vector(p) - expected).norm(), kRounding * double(p));
    EXPECT_LE((g.vector(p) + column.shift * theta.vector(p) - gradient).norm(),
              kRounding * double(p * p));
  });
}

TEST_P(CoordinateKernels, BoxPassOverNothing) {
  BoxColumn column{};
  EXPECT_EQ(kernels().box_pass(column, 0, nullptr), 0u);
}

SPODNET_EACH_INSTRUCTION_SET(CoordinateKernels);

}  // namespace
}  // namespace spodnet::test
