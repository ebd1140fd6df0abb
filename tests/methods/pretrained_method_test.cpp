// Which of the pretrained models answers.
#include <gtest/gtest.h>

#include "spodnet/core/parallel.hpp"
#include "spodnet/data/dataset.hpp"
#include "spodnet/methods/method.hpp"

namespace spodnet::test {
namespace {

DataSet drawn(PrecisionFamily family, std::size_t count) {
  ThreadPool pool(1);
  DataSetOptions options;
  options.p = 20, options.n = 60, options.count = count, options.alpha = {{0.9}, false};
  options.generator.families = {family};
  options.seed = 5;
  options.keep_samples = true;
  return generate_dataset(options, pool);
}

/// Share of the data sets that the raw model is taken for.
double raw_share(const DataSet& data, bool samples) {
  const auto method = make_method("pretrained", builtin_models());
  double raw = 0;
  for (std::size_t k = 0; k < data.count(); ++k) {
    const Matrix X = data.X[k];
    const Estimate estimate = method->estimate({data.S[k], data.n, samples ? &X : nullptr});
    EXPECT_EQ(estimate.details.back().first, "standardized");
    raw += estimate.details.back().second == 0;
  }
  return raw / double(data.count());
}

TEST(PretrainedMethod, RawForThePapersMatricesAndSeldomForOthers) {
  EXPECT_GE(raw_share(drawn(PrecisionFamily::sparse_cholesky, 20), true), 0.9);
  EXPECT_LE(raw_share(drawn(PrecisionFamily::small_world, 20), true), 0.2);
}

TEST(PretrainedMethod, StandardizedWithoutCompleteSamples) {
  DataSet data = drawn(PrecisionFamily::sparse_cholesky, 5);
  EXPECT_EQ(raw_share(data, false), 0);
  for (std::size_t k = 0; k < data.count(); ++k)
    data.X[k](0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(raw_share(data, true), 0);
}

}  // namespace
}  // namespace spodnet::test
