// Which of the pretrained models answers.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "spodnet/core/parallel.hpp"
#include "spodnet/data/dataset.hpp"
#include "spodnet/methods/method.hpp"
#include "spodnet/models/pretrained.hpp"

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

/// Share of the data sets that a form is taken for.
double share(PretrainedForm form, const DataSet& data, bool samples) {
  const auto method = make_method("pretrained", builtin_models());
  double taken = 0;
  for (std::size_t k = 0; k < data.count(); ++k) {
    const Matrix X = data.X[k];
    const auto details = method->estimate({data.S[k], data.n, samples ? &X : nullptr}).details;
    const std::map<std::string, double> flags(details.begin(), details.end());
    const bool paper = flags.at("paper") == 1, standardized = flags.at("standardized") == 1;
    EXPECT_FALSE(paper && standardized);
    taken += (paper          ? PretrainedForm::paper
              : standardized ? PretrainedForm::standardized
                             : PretrainedForm::raw) == form;
  }
  return taken / double(data.count());
}

TEST(PretrainedMethod, ThePapersModelForItsMatricesAndSeldomForOthers) {
  EXPECT_GE(share(PretrainedForm::paper, drawn(PrecisionFamily::sparse_cholesky, 20), true), 0.7);
  EXPECT_LE(share(PretrainedForm::paper, drawn(PrecisionFamily::small_world, 20), true), 0.1);
}

TEST(PretrainedMethod, RawWithoutCompleteSamples) {
  DataSet data = drawn(PrecisionFamily::sparse_cholesky, 5);
  EXPECT_EQ(share(PretrainedForm::raw, data, false), 1);
  for (std::size_t k = 0; k < data.count(); ++k)
    data.X[k](0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(share(PretrainedForm::raw, data, true), 1);
}

TEST(PretrainedMethod, StandardizedForOtherUnits) {
  DataSet data = drawn(PrecisionFamily::small_world, 5);
  for (std::size_t k = 0; k < data.count(); ++k) data.X[k] *= 100, data.S[k] *= 1e4;
  EXPECT_EQ(share(PretrainedForm::standardized, data, true), 1);
}

}  // namespace
}  // namespace spodnet::test
