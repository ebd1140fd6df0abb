// A layer whose rule is outside the library: the same numbers as SpodLayer with the same rule.
#include "spodnet/layer/external_rule_layer.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "layer/curious_rule.hpp"
#include "spodnet/models/network.hpp"
#include "support/engine_calls.hpp"
#include "support/gradient_check.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

using Block = std::vector<double>;

/// A batch of one layer, driven from outside with a ColumnRule: vectors p wide.
class Outside {
 public:
  Outside(const CuriousRule& rule, const double* weights, std::span<const Sample> batch,
          const LayerOptions& options)
      : rule_(rule),
        batch_(batch.begin(), batch.end()),
        p_(batch[0].p),
        options_(options),
        layer_(batch.size(), p_) {
    rule_.prepare(weights, prepared_);
    for (Block* x : {&theta_, &w_, &diag_, &scaled_}) x->resize(p_ * count() * p_);
    for (Block* x : {&theta_22_, &w_22_, &q_}) x->resize(p_ * count());
  }

  std::size_t count() const { return batch_.size(); }
  ExternalRuleLayer& layer() { return layer_; }

  /// Theta and W before, then after the layer.
  void forward(MatrixBatch& Theta, MatrixBatch& W) {
    layer_.begin(Theta.data(0), W.data(0), nullptr, options_);
    Block z(count() * p_), lambda(z), v(count());
    for (std::size_t i = 0; i < p_; ++i) {
      layer_.fields(i, p_,
                    {row(theta_, i), row(w_, i), &theta_22_[i * count()], &w_22_[i * count()],
                     row(diag_, i)});
      for (std::size_t k = 0; k < count(); ++k)
        rule_.preactivation(prepared_, column(i, k), &z[k * p_], tape_);
      layer_.scale(i, p_, z.data(), row(scaled_, i));
      for (std::size_t k = 0; k < count(); ++k)
        rule_.thresholds(prepared_, column(i, k), row(scaled_, i) + k * p_, &lambda[k * p_], tape_);
      layer_.quadratic(i, p_, row(scaled_, i), lambda.data(), &q_[i * count()], 1);
      for (std::size_t k = 0; k < count(); ++k)
        v[k] = rule_.margin(prepared_, column(i, k), q_[i * count() + k], tape_);
      layer_.update(i, v.data());
    }
    layer_.end(Theta.data(0), W.data(0));
  }

  /// The weights' gradient; d_Theta of the output becomes that of the input.
  Block backward(const MatrixBatch& W, MatrixBatch& d_Theta) {
    Block d(rule_.layout().size()), J(3 * count()), d_v(count());
    Block d_lambda(count() * p_), d_scaled(d_lambda), d_z(d_lambda);
    layer_.back_begin(d_Theta.data(0), W.data(0));
    for (std::size_t i = p_; i-- > 0;) {
      Block d_theta(count() * p_), d_w(d_theta), d_diag(d_theta), d_theta_22(count()),
          d_w_22(count()), unused(d.size());
      std::vector<ColumnAdjoint> adjoints;
      for (std::size_t k = 0; k < count(); ++k) {
        ColumnAdjoint a = adjoint(k, d_theta, d_w, d_diag);
        J[3 * k + 2] = margin_backward(i, k, 1.0, unused, a);
        J[3 * k] = a.d_theta_22;
        J[3 * k + 1] = a.d_w_22;
      }
      for (Block* x : {&d_theta, &d_w, &d_diag}) x->assign(x->size(), 0.0);
      layer_.back_threshold(i, p_, J.data(), nullptr, d_v.data(), d_lambda.data(), d_scaled.data());
      for (std::size_t k = 0; k < count(); ++k) {
        adjoints.push_back(adjoint(k, d_theta, d_w, d_diag));
        margin_backward(i, k, d_v[k], d, adjoints[k]);
        adjoints[k].d_theta_22 = adjoints[k].d_w_22 = 0;  // the layer has them from J
        rule_.thresholds_backward(prepared_, column(i, k), row(scaled_, i) + k * p_,
                                  &d_lambda[k * p_], tape_, d.data(), &d_scaled[k * p_],
                                  adjoints[k]);
      }
      layer_.back_scale(i, p_, row(scaled_, i), d_scaled.data(), d_z.data());
      for (std::size_t k = 0; k < count(); ++k) {
        rule_.preactivation_backward(prepared_, column(i, k), &d_z[k * p_], tape_, d.data(),
                                     adjoints[k]);
        d_theta_22[k] = adjoints[k].d_theta_22;
        d_w_22[k] = adjoints[k].d_w_22;
      }
      layer_.back_close(
          i, p_, {d_theta.data(), d_w.data(), d_theta_22.data(), d_w_22.data(), d_diag.data()});
    }
    layer_.back_end(d_Theta.data(0));
    return d;
  }

 private:
  double* row(Block& x, std::size_t i) const { return &x[i * count() * p_]; }
  Column column(std::size_t i, std::size_t k) const {
    const std::size_t at = i * count() + k;
    const Sample& sample = batch_[k];
    S_rows_.assign(sample.S + i * p_, sample.S + (i + 1) * p_);
    S_rows_[i] = 0;
    diag_S_.resize(p_);
    for (std::size_t j = 0; j < p_; ++j) diag_S_[j] = sample.S[j * p_ + j];
    return {.i = i,
            .p = p_,
            .n = sample.n,
            .theta_12 = &theta_[at * p_],
            .w_12 = &w_[at * p_],
            .s_12 = S_rows_.data(),
            .theta_22 = theta_22_[at],
            .w_22 = w_22_[at],
            .s_22 = diag_S_[i],
            .diag_Theta = &diag_[at * p_],
            .diag_S = diag_S_.data()};
  }
  ColumnAdjoint adjoint(std::size_t k, Block& d_theta, Block& d_w, Block& d_diag) const {
    return {
        .d_theta_12 = &d_theta[k * p_], .d_w_12 = &d_w[k * p_], .d_diag_Theta = &d_diag[k * p_]};
  }
  double margin_backward(std::size_t i, std::size_t k, double d_v, Block& d, ColumnAdjoint& a) {
    return rule_.margin_backward(prepared_, column(i, k), q_[i * count() + k], d_v, tape_, d.data(),
                                 a);
  }

  const CuriousRule& rule_;
  std::vector<Sample> batch_;
  std::size_t p_;
  LayerOptions options_;
  ExternalRuleLayer layer_;
  CuriousRule::Prepared prepared_;
  CuriousRule::Tape tape_;
  Block theta_, w_, diag_, scaled_, theta_22_, w_22_, q_;  ///< of all columns
  mutable Block S_rows_, diag_S_;
};

MatrixBatch inverses(const MatrixBatch& A) {
  MatrixBatch out(A.count, A.rows, A.cols);
  for (std::size_t k = 0; k < A.count; ++k) {
    const Matrix inverse = A[k].inverse();
    out[k] = (inverse + inverse.transpose()) / 2;
  }
  return out;
}

/// The network's input W = S + I of each sample.
MatrixBatch inputs(const ToyData& data) {
  MatrixBatch W = data.S;
  for (std::size_t k = 0; k < W.count; ++k) W[k].diagonal().array() += 1;
  return W;
}

struct OutsideCase {
  std::size_t p;
  Scaling scaling;
};

class ExternalRule : public testing::TestWithParam<OutsideCase> {
 protected:
  const std::size_t p = GetParam().p;
  const ModelConfig config{.model = "given", .p = p, .layers = 1, .scaling = GetParam().scaling};
  Network<CuriousRule> network{config, CuriousRule(RuleShape{p, {}})};
  const CuriousRule rule{RuleShape{p, {}}};
  const ToyData data{3, p, 3};

  void SetUp() override { network.parameters().initialise(5 + p); }
  Outside outside() {
    return Outside(rule, network.parameters().values.data(), data.samples,
                   {.scaling = config.scaling});
  }
};

TEST_P(ExternalRule, GivesTheOutputOfTheLayerThatCallsTheRule) {
  MatrixBatch W = inputs(data), Theta = inverses(W);
  outside().forward(Theta, W);
  for (std::size_t k = 0; k < W.count; ++k) {
    const Estimate expected = estimate(network, data.S[k], data.samples[k].n);
    EXPECT_LE((Theta[k] - expected.Theta).norm(), 1e-10 * expected.Theta.norm());
    EXPECT_LE((W[k] - expected.W).norm(), 1e-9 * expected.W.norm());
    EXPECT_EQ(Matrix(Theta[k]), Matrix(Theta[k].transpose()));
    EXPECT_EQ(Eigen::LLT<Matrix>(Theta[k]).info(), Eigen::Success);
  }
}

TEST_P(ExternalRule, GivesTheGradientOfTheLayerThatCallsTheRule) {
  MatrixBatch W = inputs(data), Theta = inverses(W);
  Outside layer = outside();
  layer.forward(Theta, W);
  MatrixBatch d_Theta = Theta;
  for (std::size_t k = 0; k < W.count; ++k)
    d_Theta[k] = 2 * (Theta[k] - data.Theta_true[k]) / double(W.count);
  const Block got = layer.backward(W, d_Theta);
  ThreadPool pool(1);
  Block expected(got.size());
  loss_gradient(network, data.samples, expected, pool);
  EXPECT_LT(distance(got, expected), 1e-9 * norm(expected));
}

/// d_Theta of the layer's input, by differences of <A, Theta> over symmetric changes of it.
TEST_P(ExternalRule, InputGradientAgreesWithDifferences) {
  const MatrixBatch start = inverses(inputs(data));
  RandomStream random(9);
  MatrixBatch A(start.count, p, p);
  for (std::size_t k = 0; k < A.count; ++k) A[k] = random_spd(p, random);
  Outside layer = outside();
  const auto value = [&](std::span<const double> changes) {  // of the lower triangle
    MatrixBatch Theta = start;
    std::size_t at = 0;
    for (std::size_t k = 0; k < A.count; ++k)
      for (std::size_t r = 0; r < p; ++r)
        for (std::size_t c = 0; c <= r; ++c, ++at) {
          Theta[k](Eigen::Index(r), Eigen::Index(c)) += changes[at];
          if (c < r) Theta[k](Eigen::Index(c), Eigen::Index(r)) += changes[at];
        }
    MatrixBatch W = inverses(Theta);
    layer.forward(Theta, W);
    double total = 0;
    for (std::size_t k = 0; k < A.count; ++k) total += A[k].cwiseProduct(Theta[k]).sum();
    return total;
  };
  MatrixBatch Theta = start, W = inverses(start), d_Theta = A;
  layer.forward(Theta, W);
  layer.backward(W, d_Theta);
  Block gradient;
  for (std::size_t k = 0; k < A.count; ++k)
    for (std::size_t r = 0; r < p; ++r)
      for (std::size_t c = 0; c <= r; ++c)
        gradient.push_back((c < r ? 2 : 1) * d_Theta[k](Eigen::Index(r), Eigen::Index(c)));
  EXPECT_LT(gradient_error(value, Block(gradient.size()), gradient,
                           {.coordinates = false, .smaller_steps = 2}),
            1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ExternalRule,
    testing::Values(OutsideCase{1, Scaling::normalize}, OutsideCase{2, Scaling::clip},
                    OutsideCase{5, Scaling::normalize}, OutsideCase{9, Scaling::clip},
                    OutsideCase{9, Scaling::relative}, OutsideCase{4, Scaling::none}));

TEST(ExternalRuleLayer, SolvesWithTheMatrixWithoutItsColumn) {
  RandomStream random(4);
  const std::size_t p = 7, i = 0;
  const Matrix Theta = random_spd(p, random), W = Theta.inverse();
  const Vector x = random_matrix(Eigen::Index(p) - 1, 1, random);
  ExternalRuleLayer layer(1, p);
  layer.begin(Theta.data(), W.data(), nullptr, {});
  std::vector<Eigen::Index> others;
  for (std::size_t j = 0; j < p; ++j)
    if (j != i) others.push_back(Eigen::Index(j));
  layer.fields(i, p - 1, {});
  Vector got(x.size());
  layer.solve(i, p - 1, x.data(), got.data());
  const Matrix Theta_11 = Theta(others, others);
  EXPECT_LE((Theta_11 * got - x).norm(), 1e-12 * x.norm());
}

/// A margin that is NaN stops its matrix alone.
TEST(ExternalRuleLayer, AMatrixThatStopsLeavesTheOthersAsTheyAre) {
  RandomStream random(6);
  const std::size_t p = 5;
  const Matrix A = random_spd(p, random), A_inverse = A.inverse();
  const auto walk = [&](double bad, ExternalRuleLayer& layer) {
    MatrixBatch Theta(2, p, p), W(2, p, p);
    for (std::size_t k = 0; k < 2; ++k) {
      Theta[k] = A;
      W[k] = (A_inverse + A_inverse.transpose()) / 2;
    }
    layer.begin(Theta.data(0), W.data(0), nullptr, {.scaling = Scaling::clip});
    Block theta(2 * p), scaled(2 * p), q(2);
    for (std::size_t i = 0; i < p; ++i) {
      layer.fields(i, p, {.theta = theta.data()});
      layer.scale(i, p, theta.data(), scaled.data());
      layer.quadratic(i, p, scaled.data(), nullptr, q.data(), 1);
      const double v[] = {i == 3 ? bad : 1.0, 1.0};
      layer.update(i, v);
    }
    layer.end(Theta.data(0), W.data(0));
    return Theta;
  };
  ExternalRuleLayer good(2, p), stopped(2, p);
  const MatrixBatch expected = walk(1.0, good), got = walk(NAN, stopped);
  EXPECT_EQ(stopped.status(0), Status::not_finite);
  EXPECT_EQ(stopped.done(0), 3u);
  EXPECT_EQ(stopped.status(1), Status::ok);
  EXPECT_EQ(Matrix(got[1]), Matrix(expected[1]));
  EXPECT_EQ(Eigen::LLT<Matrix>(got[0]).info(), Eigen::Success);
}

}  // namespace
}  // namespace spodnet::test
