#include <gtest/gtest.h>

#include "spodnet/estimators/method.hpp"
#include "spodnet/models/model_file.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"
#include "support/toy_model.hpp"

namespace spodnet::test {
namespace {

TEST(ParseMethod, TakesNameAndSettingsApart) {
  const MethodSpec plain = parse_method("oas");
  EXPECT_EQ(plain.name, "oas");
  EXPECT_TRUE(plain.settings.empty());
  const MethodSpec spec = parse_method("glasso:lambda=1e-2,penalty=a b:c=d.npy");
  EXPECT_EQ(spec.name, "glasso");
  EXPECT_EQ(spec.settings.at("lambda"), "1e-2");
  EXPECT_EQ(spec.settings.at("penalty"), "a b:c=d.npy");
}

TEST(ParseMethod, ToTextIsItsInverse) {
  for (const char* text : {"oas", "glasso:lambda=1e-2", "a/b.safetensors:refit=true,sparsity=2"})
    EXPECT_EQ(to_text(parse_method(text)), text);
  EXPECT_EQ(parse_method("a:b/c.safetensors:sparsity=2").name, "a:b/c.safetensors");
}

/// Models know the units they were trained in; the shipped ones find out.
TEST(MakeMethod, SaysInWhichUnitsItWantsItsVariables) {
  const ModelRegistry models = builtin_models();
  EXPECT_EQ(make_method("oas", models)->input_units(), InputUnits::standardized);
  EXPECT_EQ(make_method("pretrained", models)->input_units(), InputUnits::of_data);
  const TemporaryFolder folder;
  for (const char* standardized : {"true", "false"}) {
    ModelConfig config{.model = "ubg", .p = 4};
    config.info["train.standardized"] = standardized;
    save_model(folder / "m.safetensors", *models.make(config));
    EXPECT_EQ(make_method((folder / "m.safetensors").string(), models)->input_units() ==
                  InputUnits::standardized,
              std::string(standardized) == "true");
  }
}

TEST(ParseMethod, RefusesWhatItCannotRead) {
  expect_error([] { (void)parse_method(""); }, {"name is missing"});
  expect_error([] { (void)parse_method(":a=1"); }, {"name is missing"});
  for (const char* text : {"g:", "g:lambda", "g:=1", "g:lambda=", "g:a=1,", "g:a=1,,b=2"})
    expect_error([&] { (void)parse_method(text); }, {text, "key=value"});
  expect_error([] { (void)parse_method("g:a=1,a=2"); }, {"'a' is given twice"});
}

TEST(MakeMethod, LoadsAModelFileUnderAnyName) {
  const TemporaryFolder folder;
  const ModelRegistry models = toy_registry();
  ModelConfig config;
  config.model = "toy";
  config.p = 3;
  const std::unique_ptr<Model> model = models.make(config);
  model->parameters().initialise(1);
  const ToyData data(1, 3);
  for (const char* name : {"m.safetensors", "odd:name=1"}) {
    save_model(folder / name, *model);
    const std::unique_ptr<Method> method = make_method((folder / name).string(), models);
    EXPECT_EQ(method->name(), name);
    EXPECT_FALSE(method->needs_samples());
    EXPECT_EQ(method->estimate({data.S[0], 10}).Theta, estimate(*model, data.S[0], 10).Theta);
  }
}

TEST(MakeMethod, SparsityOfAModelFile) {
  const TemporaryFolder folder;
  const ModelRegistry models = builtin_models();
  const auto model = models.make({.model = "ubg-any", .scaling = Scaling::relative});
  model->parameters().initialise(1);
  save_model(folder / "m.safetensors", *model);
  const std::string file = (folder / "m.safetensors").string();
  const Matrix S = Matrix::Constant(4, 4, 0.3) + Matrix(Vector::Constant(4, 0.7).asDiagonal());
  EXPECT_EQ(make_method(file + ":sparsity=2", models)->estimate({S, 10}).Theta,
            estimate(*model, S, 10, 2).Theta);
  EXPECT_EQ(make_method(file, models)->estimate({S, 10}).Theta, estimate(*model, S, 10).Theta);
  expect_error([&] { (void)make_method(file + ":no-such=1", models); }, {"no-such", "sparsity"});
  expect_error([&] { (void)make_method(file + ":sparsity=-1", models); }, {"at least 0"});
  const ModelRegistry toys = toy_registry();
  save_model(folder / "toy.safetensors", *toys.make({.model = "toy", .p = 3}));
  expect_error(
      [&] { (void)make_method((folder / "toy.safetensors").string() + ":sparsity=2", toys); },
      {"toy.safetensors", "thresholds"});
}

TEST(MakeMethod, Pretrained) {
  const ModelRegistry models = builtin_models();
  const Matrix S = covariance(20, 60, 7);
  const Vector d = S.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix R = d.asDiagonal() * S * d.asDiagonal();
  const auto edges = [&](const std::string& text) {
    const Estimate estimate = make_method(text, models)->estimate({(R + R.transpose()) / 2, 60});
    EXPECT_EQ(estimate.status, Status::ok) << text;
    return (estimate.Theta.array() != 0).count();
  };
  EXPECT_EQ(edges("pretrained"), edges("pretrained:form=tables"));  // variances are equal
  EXPECT_LE(edges("pretrained:target=precision"), edges("pretrained"));
  EXPECT_LE(edges("pretrained:form=raw,sparsity=9"), edges("pretrained:form=raw,sparsity=0"));
  for (const char* text : {"pretrained:form=other", "pretrained:target=best",
                           "pretrained:sparsity=-1", "pretrained:no-such=1"})
    expect_error([&] { (void)make_method(text, models); }, {"pretrained"});
}

TEST(MakeMethod, RefusesOtherSizesAndUnknownNames) {
  const TemporaryFolder folder;
  const ModelRegistry models = toy_registry();
  ModelConfig config;
  config.model = "toy";
  config.p = 3;
  save_model(folder / "m.safetensors", *models.make(config));
  const auto method = make_method((folder / "m.safetensors").string(), models);
  expect_error(
      [&] {
        (void)method->estimate({Matrix::Identity(5, 5), 10});
      },
      {"m.safetensors", "p = 3", "has 5", "has 5"});
  expect_error([&] { (void)make_method((folder / "absent.safetensors").string(), models); },
               {"absent.safetensors"});
  expect_error([&] { (void)make_method("toy:layers=3", models); }, {"trained first", "model toy"});
  expect_error([&] { (void)make_method("no-such", models); }, {"no-such", "egfm"});
}

TEST(MakeMethod, KnowsTheMethodsThatNeedNoTraining) {
  const ModelRegistry models = toy_registry();
  for (const char* name : {"egfm", "ggfm", "egm", "ggm"})
    EXPECT_EQ(make_method(name, models)->name(), name);
  expect_error([&] { (void)make_method("egfm:no-such=1", models); }, {"egfm", "no-such"});
}

}  // namespace
}  // namespace spodnet::test
