// Which of the pretrained models answers.
#include <gtest/gtest.h>

#include <map>

#include "spodnet/core/parallel.hpp"
#include "spodnet/estimators/effective_samples.hpp"
#include "spodnet/estimators/factor_graph_method.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/pretrained_method.hpp"
#include "spodnet/estimators/robust_rows.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/generate/row_law.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/models/pretrained.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"

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

/// Share of the data sets that a form is taken for, before the data judge its estimate.
double share(PretrainedForm form, const DataSet& data) {
  const auto method = make_method("pretrained:judge=false", builtin_models());
  double taken = 0;
  for (std::size_t k = 0; k < data.count(); ++k) {
    const std::string taken_form = method->estimate({data.S[k], data.n}).form;
    EXPECT_NE(taken_form, "standardized");
    taken += taken_form == to_string(form);
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

TEST(PretrainedMethod, ThePapersModelIsJudgedToo) {
  const DataSet data = drawn(PrecisionFamily::sparse_cholesky, 1, 450);  // it knows up to 320
  const auto error = [&](const Estimate& got) { return nmse(got.Theta, data.Theta_true[0]); };
  const Estimate before =
      make_method("pretrained:judge=false", builtin_models())->estimate({data.S[0], data.n});
  const Estimate after = make_method("pretrained", builtin_models())->estimate({data.S[0], data.n});
  EXPECT_EQ(before.form, "paper");
  EXPECT_EQ(after.status, Status::replaced);
  EXPECT_LT(error(after), 0.5 * error(before));
}

TEST(PretrainedMethod, TablesForOtherUnits) {
  DataSet data = drawn(PrecisionFamily::small_world, 5);
  for (std::size_t k = 0; k < data.count(); ++k) data.S[k] *= 1e4;
  EXPECT_EQ(share(PretrainedForm::tables, data), 1);
}

TEST(PretrainedMethod, AnotherForManyVariablesAndFewSamples) {
  const auto method = make_method("pretrained", builtin_models());
  const Eigen::Index p = 1501;
  for (const double n : {200.0, 4000.0}) {
    const std::string form = method->estimate({1e4 * Matrix::Identity(p, p), n}).form;
    EXPECT_EQ(form, n <= 2 * double(p) ? "standardized" : "tables");
  }
}

/// Heavy tails make the rows count for less, Gaussian ones hardly.
TEST(PretrainedMethod, HeavyTailsLowerTheNumberOfSamples) {
  const Matrix Theta = Matrix::Identity(10, 10);
  RandomStream random(3);
  const auto counted = [&](RowLaw law) {
    const Matrix X = sample_rows(Theta, 400, law, random).X;
    return effective_samples({.S = empirical_covariance(X), .n = 400, .X = &X});
  };
  EXPECT_GT(counted(RowLaw::gaussian), 360);
  for (int k = 0; k < 5; ++k) EXPECT_LT(counted(RowLaw::student), 340);
  EXPECT_EQ(effective_samples({.S = Theta, .n = 7}), 7);
}

/// Rows with rows=robust are those of robust_rows; without samples it is refused.
TEST(PretrainedMethod, RobustRows) {
  RandomStream random(4);
  const Matrix X = sample_rows(Matrix::Identity(6, 6), 50, RowLaw::student, random).X;
  const Matrix Y = robust_rows(X);
  const auto method = make_method("pretrained:rows=robust,form=tables", builtin_models());
  EXPECT_TRUE(method->needs_samples());
  const Matrix got = method->estimate({.S = empirical_covariance(X), .n = 50, .X = &X}).Theta;
  const auto plain = make_method("pretrained:form=tables", builtin_models());
  EXPECT_EQ(got, plain->estimate({.S = empirical_covariance(Y), .n = 50, .X = &Y}).Theta);
  expect_error([&] { (void)method->estimate({.S = Matrix::Identity(6, 6), .n = 50}); },
               {"robust", "samples"});
  expect_error([] { (void)make_method("pretrained:rows=odd", builtin_models()); }, {"odd"});
}

/// A chain of 30 variables; with two factors behind all of them.
Matrix chain_with_factors(std::size_t n, bool factors, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix loadings(30, 2), X(Eigen::Index(n), 30);
  for (double& x : loadings.reshaped()) x = factors ? random.normal() : 0;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double f = random.normal(), g = random.normal();
    double last = 0;
    for (Eigen::Index j = 0; j < 30; ++j) {
      last = 0.6 * last + random.normal();
      X(i, j) = last + f * loadings(j, 0) + g * loadings(j, 1);
    }
  }
  return X;
}

int factors_of(const Estimate& estimate) { return estimate.factors.value().count; }

TEST(PretrainedMethod, TheGraphGivenHiddenFactors) {
  const Matrix X = chain_with_factors(300, true, 3);
  const Problem problem{.S = empirical_covariance(X), .n = 300, .X = &X};
  const auto given = make_method("pretrained:factors=given", builtin_models());
  const Estimate got = given->estimate(problem);
  EXPECT_EQ(factors_of(got), 2);
  EXPECT_EQ(got.Theta, got.Theta.transpose());
  EXPECT_LT(got.residual, 1e-8);
  int links = 0, wrong = 0;
  for (const EdgePlace& e : edges_of(got.Theta)) (e.j - e.i == 1 ? links : wrong) += 1;
  EXPECT_GE(links, 26);
  EXPECT_LE(wrong, 12);
  const auto plain = make_method("pretrained:form=standardized,target=f1", builtin_models());
  EXPECT_GT(count_edges(plain->estimate(problem).Theta), 100u);

  const auto included = make_method("pretrained:factors=included", builtin_models());
  const auto predicted = [&](const Matrix& Theta) {
    return held_out_log_likelihood(chain_with_factors(400, true, 3).bottomRows(100),
                                   column_means(X), Theta);
  };
  EXPECT_GT(predicted(included->estimate(problem).Theta), predicted(got.Theta) + 5);
}

TEST(PretrainedMethod, NoFactorsWhereThereAreNone) {
  const Matrix X = chain_with_factors(300, false, 4);
  const auto method = make_method("pretrained:factors=given", builtin_models());
  const Estimate got = method->estimate({.S = empirical_covariance(X), .n = 300});
  EXPECT_EQ(factors_of(got), 0);
  ThreadPool pool(3);
  std::vector<Problem> problems;
  for (const bool factors : {true, false})
    problems.push_back({.S = empirical_covariance(chain_with_factors(300, factors, 6)), .n = 300});
  const std::vector<Estimate> together = method->estimate_all(problems, &pool);
  for (std::size_t k = 0; k < problems.size(); ++k)
    EXPECT_EQ(together[k].Theta, method->estimate(problems[k]).Theta);
  const auto two = make_method("pretrained:factors=given,count=2", builtin_models());
  EXPECT_EQ(factors_of(two->estimate({.S = empirical_covariance(X), .n = 300})), 2);
  EXPECT_EQ(
      factors_of(
          with_factors_of(got, make_method("pretrained:factors=given", builtin_models()))
              ->estimate({.S = empirical_covariance(chain_with_factors(300, true, 5)), .n = 300})),
      0);
  const auto make = [](const char* text) { (void)make_method(text, builtin_models()); };
  expect_error([&] { make("pretrained:factors=all"); }, {"factors", "given"});
  expect_error([&] { make("pretrained:factors=given,count=-1"); }, {"count"});
}

}  // namespace
}  // namespace spodnet::test
