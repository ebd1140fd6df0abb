#include <gtest/gtest.h>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model.hpp"
#include "support/engine_calls.hpp"

namespace spodnet::test {
namespace {

/// S, Theta_true and param.*, then what PyTorch's autograd made of the same equations.
class GladGolden : public testing::TestWithParam<const char*> {
 protected:
  const TensorFile file =
      read_safetensors(std::string(SPODNET_GOLDEN_DIR) + "/baselines/" + GetParam());

  Vector tensor(const std::string& name) const {
    const std::vector<double>& x = file.tensors.at(name).values;
    return Eigen::Map<const Vector>(x.data(), Eigen::Index(x.size()));
  }

  MatrixBatch batch(const std::string& name) const {
    const Tensor& t = file.tensors.at(name);
    MatrixBatch out(t.shape[0], t.shape[1], t.shape[2]);
    out.values = t.values;
    return out;
  }

  std::unique_ptr<Model> model() const {
    ModelConfig config;
    config.model = "glad";
    config.p = std::stoul(file.metadata.at("p"));
    config.layers = std::stoi(file.metadata.at("layers"));
    auto made = builtin_models().make(config);
    for (const ParameterView& view : made->parameters().layout.views()) {
      const Tensor& t = file.tensors.at("param." + view.name);
      EXPECT_EQ(t.shape, view.shape) << view.name;
      std::copy(t.values.begin(), t.values.end(), made->parameters().view(view.name).begin());
    }
    return made;
  }
};

TEST_P(GladGolden, ForwardAgrees) {
  const auto glad = model();
  const MatrixBatch S = batch("S"), Theta = batch("Theta_out"), Z = batch("Z_out");
  for (std::size_t k = 0; k < S.count; ++k) {
    const Estimate estimate = test::estimate(*glad, S[k], 40);
    ASSERT_EQ(estimate.status, Status::ok);
    EXPECT_LE((estimate.Theta - Theta[k]).norm(), 1e-11 * Theta[k].norm());
    EXPECT_LE((*estimate.Z - Z[k]).norm(), 1e-11 * Z[k].norm());
    EXPECT_EQ((estimate.Z->array() == 0).count(), (Z[k].array() == 0).count());
  }
}

TEST_P(GladGolden, LossAndGradientsAgree) {
  const auto glad = model();
  const MatrixBatch S = batch("S"), Theta_true = batch("Theta_true");
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < S.count; ++k)
    samples.push_back({S.data(k), Theta_true.data(k), S.rows, 0});
  std::vector<double> gradient(glad->parameters().values.size());
  ThreadPool pool(1);
  const BatchLoss loss = loss_gradient(*glad, samples, gradient, pool);
  EXPECT_EQ(loss.status, Status::ok);
  EXPECT_NEAR(loss.loss, tensor("loss")[0], 1e-11 * tensor("loss")[0]);
  for (const ParameterView& view : glad->parameters().layout.views()) {
    const Vector expected = tensor("grad." + view.name);
    const Eigen::Map<const Vector> got(gradient.data() + view.offset, Eigen::Index(view.size));
    EXPECT_LE((got - expected).norm(), 1e-9 * expected.norm()) << view.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, GladGolden,
                         testing::Values("glad_p6_l1.safetensors", "glad_p15_l5.safetensors"));

}  // namespace
}  // namespace spodnet::test
