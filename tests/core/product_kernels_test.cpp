// Vector and matrix products of every instruction set, against their definitions.
#include "core/kernels_fixture.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

class ProductKernels : public KernelsTest {};

TEST_P(ProductKernels, ItsNameIsTheForcedOne) { EXPECT_EQ(kernels().name, GetParam()); }

TEST_P(ProductKernels, Dot) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers x(n, aligned, random), y(n, aligned, random);
    const double sizes = x.vector(n).cwiseAbs().dot(y.vector(n).cwiseAbs());
    EXPECT_NEAR(kernels().dot(n, x.data(), y.data()), x.vector(n).dot(y.vector(n)),
                kRounding * sizes);
  });
}

TEST_P(ProductKernels, AxpyAndLinear) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    Numbers x(n, aligned, random), y(n, aligned, random), out(n, aligned, random);
    const Vector sum = y.vector(n) + 0.7 * x.vector(n);
    const Vector both = 0.3 * x.vector(n) - 1.9 * y.vector(n);
    kernels().linear(n, 0.3, x.data(), -1.9, y.data(), out.data());
    EXPECT_LE((out.vector(n) - both).norm(), kRounding * both.norm());
    kernels().axpy(n, 0.7, x.data(), y.data());
    EXPECT_LE((y.vector(n) - sum).norm(), kRounding * sum.norm());
    const Vector twice = 2 * x.vector(n);
    kernels().linear(n, 2.0, x.data(), 0.0, x.data(), x.data());  // in place
    EXPECT_EQ(x.vector(n), twice);
  });
}

TEST_P(ProductKernels, AddOfAnyLength) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Numbers x(n, aligned, random), y(n, aligned, random);
    Vector sum = y.vector(n);
    sum.head(Eigen::Index(p)) += x.vector(p);
    kernels().add(p, x.data(), y.data());
    EXPECT_EQ(y.vector(n), sum);
  });
}

TEST_P(ProductKernels, Combine) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    for (std::size_t count : {0, 1, 2, 3, 8, 31, 32}) {
      std::vector<Numbers> rows;
      std::vector<const double*> pointers;
      for (std::size_t k = 0; k < count; ++k) rows.emplace_back(n, aligned, random);
      for (Numbers& row : rows) pointers.push_back(row.data());
      Numbers coef(count, aligned, random), out(n, aligned, random);
      Vector expected = out.vector(n);
      for (std::size_t k = 0; k < count; ++k) expected += coef[k] * rows[k].vector(n);
      kernels().combine(n, count, coef.data(), pointers.data(), out.data());
      EXPECT_LE((out.vector(n) - expected).norm(), kRounding * double(count + 1) * std::sqrt(n));
    }
  });
}

TEST_P(ProductKernels, GemmWithAnyStrides) {
  RandomStream sizes(3);
  for (int trial = 0; trial < 300; ++trial) {
    const auto m = Eigen::Index(1 + sizes.below(20)), k = Eigen::Index(sizes.below(40));
    const auto n = Eigen::Index(padded(1 + sizes.below(100)));
    const bool transposed = sizes.below(2) == 0, aligned = sizes.below(2) == 0;
    const bool adds = sizes.below(2) == 0;
    const Eigen::Index a_row = transposed ? 1 : k + 3, a_col = transposed ? m + 2 : 1;
    const Eigen::Index ldb = n + 8, ldc = n + 16;
    Numbers A(std::size_t((m + 2) * (k + 3)), aligned, random),
        C(std::size_t(m * ldc), aligned, random);
    Numbers B(std::size_t(k * ldb), aligned, random);
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    const Matrix a = Eigen::Map<Matrix, 0, Stride>(A.data(), m, k, Stride(a_row, a_col));
    const Matrix b = Eigen::Map<Matrix, 0, Stride>(B.data(), k, n, Stride(ldb, 1));
    const Matrix before = Eigen::Map<Matrix>(C.data(), m, ldc);
    Matrix expected = before;
    if (!adds) expected.leftCols(n).setZero();
    expected.leftCols(n) += a * b;
    const auto multiply = adds ? kernels().gemm : kernels().product;
    multiply(std::size_t(m), std::size_t(n), std::size_t(k), A.data(), std::size_t(a_row),
             std::size_t(a_col), B.data(), std::size_t(ldb), C.data(), std::size_t(ldc));
    const Matrix after = Eigen::Map<Matrix>(C.data(), m, ldc);
    EXPECT_LE((after - expected).norm(), kRounding * expected.norm());
    EXPECT_EQ(after.rightCols(ldc - n), before.rightCols(ldc - n)) << "beyond the rows";
  }
}

/// About half of the numbers become 0, as a ReLU leaves them.
void thin_out(Numbers& x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) x[j] = std::max(x[j], 0.0);
}

TEST_P(ProductKernels, RowProductPassesOverZeros) {
  everywhere([&](std::size_t, std::size_t n, bool aligned) {
    for (const std::size_t count : {0, 1, 8, 63, 64, 65, 130}) {
      const std::size_t lda = n + 8, rows = padded(count);
      Numbers x(rows, aligned, random), A(rows * lda, aligned, random), out(n, aligned, random);
      thin_out(x, rows);  // what lies beyond `count` must not be read
      Vector expected = out.vector(n);
      for (std::size_t k = 0; k < count; ++k)
        expected += x[k] * Eigen::Map<Vector>(A.data() + k * lda, Eigen::Index(n));
      const Vector start = out.vector(n);
      kernels().row_product(count, count, n, x.data(), A.data(), lda, out.data());
      EXPECT_LE((out.vector(n) - expected).norm(), kRounding * double(count + 1) * std::sqrt(n));
      for (const std::size_t skip : {0, 1, 62, 63, 64, 65, 129}) {
        if (skip >= count) break;
        Eigen::Map<Vector>(out.data(), Eigen::Index(n)) = expected = start;
        for (std::size_t k = 0; k < count; ++k)
          if (k != skip)
            expected +=
                x[k] * Eigen::Map<Vector>(A.data() + (k - (k > skip)) * lda, Eigen::Index(n));
        kernels().row_product(count, skip, n, x.data(), A.data(), lda, out.data());
        EXPECT_LE((out.vector(n) - expected).norm(), kRounding * double(count) * std::sqrt(n))
            << "without " << skip;
      }
    }
  });
}

TEST_P(ProductKernels, TransposedProductPassesOverZeros) {
  everywhere([&](std::size_t m, std::size_t n, bool aligned) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, kMaxTerms}) {
      const std::size_t ldb = n + 8, ldc = n + 16;
      std::vector<Numbers> A;
      std::vector<const double*> rows;
      for (std::size_t k = 0; k < count; ++k) thin_out(A.emplace_back(n, aligned, random), n);
      for (Numbers& row : A) rows.push_back(row.data());
      Numbers B(count * ldb, aligned, random), C(m * ldc, aligned, random);
      const Matrix before = Eigen::Map<Matrix>(C.data(), Eigen::Index(m), Eigen::Index(ldc));
      Matrix expected = before;
      for (std::size_t k = 0; k < count; ++k)
        expected.leftCols(Eigen::Index(n)) +=
            A[k].vector(m) * Eigen::Map<Vector>(B.data() + k * ldb, Eigen::Index(n)).transpose();
      kernels().transposed_product(m, n, count, rows.data(), B.data(), ldb, C.data(), ldc);
      const Matrix after = Eigen::Map<Matrix>(C.data(), Eigen::Index(m), Eigen::Index(ldc));
      EXPECT_LE((after - expected).norm(), kRounding * expected.norm());
      EXPECT_EQ(after.rightCols(16), before.rightCols(16)) << "beyond the rows";
    }
  });
}

SPODNET_EACH_INSTRUCTION_SET(ProductKernels);

TEST(InstructionSets, BaselineIsAlwaysThere) {
  const auto names = instruction_sets();
  EXPECT_EQ(names.front(), "baseline");
  EXPECT_EQ(kernels().name, names.back()) << "the best one is the default";
}

TEST(InstructionSets, AnUnknownOneIsRefused) {
  expect_error([] { force_kernels("avx1024"); }, {"avx1024", "avx512, avx2 or baseline"});
  EXPECT_EQ(kernels().name, instruction_sets().back());
}

}  // namespace
}  // namespace spodnet::test
