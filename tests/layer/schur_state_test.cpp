// One Schur step for any u and any v > 0 (Prop. 1, Eqs. 2-4, 10, 11), and its undo.
#include "spodnet/layer/schur_state.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

/// A walk over the columns with given u and v instead of a rule's.
struct Walk {
  std::size_t p;
  SchurState state;
  LayerTape tape;
  AlignedVector product;

  explicit Walk(const Matrix& S) : p(std::size_t(S.rows())), state(p), tape(p), product(padded(p)) {
    EXPECT_EQ(state.start(S.data(), 1.0, tape), Status::ok);
  }

  void step(std::size_t i, const Vector& u, double v) {
    std::copy(u.begin(), u.end(), tape.u[i]);
    tape.u[i][i] = 0;
    state.get_w(i, tape.w[i]);
    state.product(tape.u[i], product.data());
    ColumnScalars& s = tape.scalars[i];
    s.theta_22 = state.diag_Theta()[i];
    const double factor = -kernels().dot(state.ld(), tape.w[i], tape.u[i]) / tape.w[i][i];
    s.q = kernels().schur_product(state.ld(), i, tape.w[i], factor, tape.u[i], product.data(),
                                  tape.y[i]);
    s.v = v;
    tape.y[i][i] = -1;
    state.update(tape, i);
  }

  Matrix W() const {
    Matrix out(p, p);
    AlignedVector w(padded(p));
    for (std::size_t j = 0; j < p; ++j) {
      state.get_w(j, w.data());
      out.col(Eigen::Index(j)) = Eigen::Map<Vector>(w.data(), Eigen::Index(p));
    }
    return out;
  }
};

double worst_residual(const Matrix& Theta, const Matrix& W) {
  return (Theta * W - Matrix::Identity(W.rows(), W.cols())).norm() / (Theta.norm() * W.norm());
}

class SchurStep : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t p = GetParam();
  RandomStream random{100 + p};

  // Sizes that keep Theta's condition moderate: W is not refreshed here, so its errors stay.
  Vector any_u() {
    const double size = std::pow(10, random.uniform(-2, 0.3)), density = random.uniform();
    return Vector::NullaryExpr(Eigen::Index(p), [&] {
      return random.uniform() < density ? size * random.normal() / double(p) : 0.0;
    });
  }
  double any_v() { return std::pow(10, random.uniform(-1, 1)); }
  Matrix any_S() {
    const Matrix A = random_matrix(Eigen::Index(p), Eigen::Index(p), random);
    const Matrix S = A * A.transpose() / double(p);
    return (S + S.transpose()) / 2;
  }
};

TEST_P(SchurStep, WStaysTheInverseOfTheta) {
  for (int trial = 0; trial < 5; ++trial) {
    const Matrix S = any_S();
    Walk walk(S);
    EXPECT_EQ(walk.W(), S + Matrix::Identity(S.rows(), S.cols()));
    for (std::size_t i = 0; i < p; ++i) {
      const Vector u = any_u();
      const double v = any_v();
      const Matrix before = walk.state.theta(walk.tape, i);
      walk.step(i, u, v);
      const Matrix Theta = walk.state.theta(walk.tape, i + 1);
      ASSERT_EQ(Theta, Matrix(Theta.transpose()));
      ASSERT_LE(worst_residual(Theta, walk.W()), 1e-11) << "column " << i;
      // Theta has the new column, and is the old one elsewhere (Eq. 2, Eq. 10).
      for (Eigen::Index r = 0; r < Theta.rows(); ++r)
        for (Eigen::Index c = 0; c < Theta.cols(); ++c) {
          const bool in_row = r == Eigen::Index(i), in_column = c == Eigen::Index(i);
          if (in_row && in_column) continue;
          ASSERT_EQ(Theta(r, c), in_row ? u[c] : in_column ? u[r] : before(r, c));
        }
    }
  }
}

TEST_P(SchurStep, ThetaIsPositiveDefiniteAndVIsItsSchurComplement) {
  Walk walk(any_S());
  for (std::size_t i = 0; i < p; ++i) {
    const double v = any_v();
    walk.step(i, any_u(), v);
    const Matrix Theta = walk.state.theta(walk.tape, i + 1);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Theta);
    ASSERT_GT(eigen.eigenvalues()[0], 0) << "column " << i;
    // theta_22 - theta_12' inv_theta_11 theta_12 = 1 / (Theta^{-1})_ii
    ASSERT_NEAR(1 / Theta.inverse()(Eigen::Index(i), Eigen::Index(i)), v, 1e-10 * v);
  }
}

TEST_P(SchurStep, UndoIsTheWayBack) {
  Walk walk(any_S());
  std::vector<Matrix> W, Theta;
  for (std::size_t i = 0; i < p; ++i) {
    W.push_back(walk.W());
    Theta.push_back(walk.state.theta(walk.tape, i));
    walk.step(i, any_u(), any_v());
  }
  AlignedVector x(padded(p)), out(padded(p));
  for (std::size_t i = p; i-- > 0;) {
    for (std::size_t j = 0; j < p; ++j) x[j] = random.normal();
    walk.state.undo_diagonal(walk.tape, i);
    walk.state.undo_product(walk.tape, i, x.data(), out.data());
    const auto n = Eigen::Index(p);
    const double size = W[i].norm() + W[p - 1].norm();
    ASSERT_LE((walk.W() - W[i]).norm(), 1e-11 * size) << "column " << i;
    ASSERT_LE((Eigen::Map<Vector>(out.data(), n) - W[i] * Eigen::Map<Vector>(x.data(), n)).norm(),
              1e-11 * size * double(p));
    ASSERT_EQ(walk.state.theta(walk.tape, i), Theta[i]);
  }
}

/// |lambda_k(Theta^+) - lambda_k(Theta)| <= ||Delta||, with the two eigenvalues of Delta as the
/// paper gives them.
TEST_P(SchurStep, TheSpectrumMovesByAtMostTheUpdate) {
  Walk walk(any_S());
  for (std::size_t i = 0; i < p; ++i) {
    const Matrix before = walk.state.theta(walk.tape, i);
    walk.step(i, any_u(), any_v());
    const Matrix after = walk.state.theta(walk.tape, i + 1), Delta = after - before;
    const double t = Delta(Eigen::Index(i), Eigen::Index(i));
    const double d = Delta.col(Eigen::Index(i)).squaredNorm() - t * t;
    const double op = (std::abs(t) + std::sqrt(t * t + 4 * d)) / 2;
    const auto spectrum = [](const Matrix& A) {
      return Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues().eval();
    };
    ASSERT_NEAR(op, spectrum(Delta).cwiseAbs().maxCoeff(), 1e-12 * op);
    ASSERT_LE((spectrum(after) - spectrum(before)).cwiseAbs().maxCoeff(), op * (1 + 1e-12));
  }
}

TEST_P(SchurStep, TheNextLayerGoesOnFromTheOutput) {
  Walk walk(any_S());
  for (std::size_t i = 0; i < p; ++i) walk.step(i, any_u(), any_v());
  const Matrix Theta = walk.state.theta(walk.tape, p), W = walk.W();
  const LayerTape done = std::move(walk.tape);  // its vectors stay where the state points
  walk.tape = LayerTape(p);
  walk.state.next_layer(done, walk.tape);
  EXPECT_EQ(walk.state.theta(walk.tape, 0), Theta);
  for (std::size_t i = 0; i < p; ++i) {
    const double* theta = walk.state.make_theta(walk.tape, i);
    const Matrix now = walk.state.theta(walk.tape, i);
    for (std::size_t j = 0; j < p; ++j)
      EXPECT_EQ(theta[j], j == i ? 0 : now(Eigen::Index(j), Eigen::Index(i)));
    walk.tape.scalars[i].theta_22 = walk.state.diag_Theta()[i];
    walk.step(i, any_u(), any_v());
    ASSERT_LE(worst_residual(walk.state.theta(walk.tape, i + 1), walk.W()), 1e-11);
  }
  walk.tape.restore_input();
  for (std::size_t i = 0; i < p; ++i)
    EXPECT_EQ(Eigen::Map<Vector>(walk.tape.Theta_in[i], Theta.rows()), Theta.col(Eigen::Index(i)));
}

TEST_P(SchurStep, RefreshAndSolvesWithTheta11) {
  Walk walk(any_S());
  AlignedVector x(padded(p)), out(padded(p));
  const auto n = Eigen::Index(p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) x[j] = j == i ? 0 : random.normal();
    const Matrix W = walk.state.theta(walk.tape, i).inverse();
    ASSERT_TRUE(walk.state.refresh(walk.tape, i));
    ASSERT_LE((walk.W() - W).norm(), 1e-11 * W.norm());
    ASSERT_TRUE(walk.state.factorise_11(walk.tape, i));
    const double quadratic = walk.state.solve_11(i, x.data(), out.data());
    const auto at = Eigen::Index(i);
    const Vector t = Eigen::Map<Vector>(x.data(), n);
    const Vector expected = W * t - W.col(at) * W.col(at).dot(t) / W(at, at);
    EXPECT_EQ(out[i], 0);
    EXPECT_LE((Eigen::Map<Vector>(out.data(), n) - expected).norm(), 1e-10 * W.norm() * t.norm());
    EXPECT_NEAR(quadratic, t.dot(expected), 1e-10 * W.norm() * t.squaredNorm());
    walk.step(i, any_u(), any_v());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SchurStep, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 50));

TEST(SchurState, AnInputThatIsNotPositiveDefiniteIsAStatus) {
  const Matrix S = -2 * Matrix::Identity(3, 3);
  SchurState state(3);
  LayerTape tape(3);
  EXPECT_EQ(state.start(S.data(), 1.0, tape), Status::not_spd);
}

}  // namespace
}  // namespace spodnet::test
