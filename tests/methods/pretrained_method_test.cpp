// Which of the pretrained models answers.
#include <gtest/gtest.h>

#include <map>

#include "spodnet/core/parallel.hpp"
#include "spodnet/data/dataset.hpp"
#include "spodnet/methods/method.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet::test {
namespace {

DataSet drawn(PrecisionFamily family, std::size_t count, std::size_t p = 20) {
  ThreadPool pool(1);
  DataSetOptions options;
  options.p = p, options.n = 3 * p, options.count = count, options.alpha = {{0.9}, false};
  options.generator.families = {family};
  options.seed = 5;
  return generate_dataset(options, pool);
}

/// Share of the data sets that a form is taken for.
double share(PretrainedForm form, const DataSet& data) {
  const auto method = make_method("pretrained", builtin_models());
  double taken = 0;
  for (std::size_t k = 0; k < data.count(); ++k) {
    const auto details = method->estimate({data.S[k], data.n}).details;
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
  EXPECT_GE(share(PretrainedForm::paper, drawn(PrecisionFamily::sparse_cholesky, 20)), 0.9);
  EXPECT_LE(share(PretrainedForm::paper, drawn(PrecisionFamily::small_world, 20)), 0.1);
}

TEST(PretrainedMethod, ThePapersModelBeyondTheLargestMatricesOfTheTraining) {
  EXPECT_EQ(share(PretrainedForm::paper, drawn(PrecisionFamily::sparse_cholesky, 3, 450)), 1);
  EXPECT_EQ(share(PretrainedForm::paper, drawn(PrecisionFamily::erdos_renyi, 3, 450)), 0);
}

TEST(PretrainedMethod, StandardizedForOtherUnits) {
  DataSet data = drawn(PrecisionFamily::small_world, 5);
  for (std::size_t k = 0; k < data.count(); ++k) data.S[k] *= 1e4;
  EXPECT_EQ(share(PretrainedForm::standardized, data), 1);
}

}  // namespace
}  // namespace spodnet::test
