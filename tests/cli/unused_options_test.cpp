#include <gtest/gtest.h>

#include "cli/refusal.hpp"

namespace spodnet::test {
namespace {

const std::string kTable = "a,b,c\n1,2,3\n3,1,0.5\n0,1,7\n2,2,1\n4,0,2\n";

TEST(CliUnusedOptions, OfTheLayerForGlad) {
  const TemporaryFolder folder;
  const auto glad = [](const std::string& more) {
    return "train --model glad --p 4 --n 9 --count 8 --epochs 1 -o m.safetensors " + more;
  };
  std::vector<Refusal> refusals;
  for (const std::string option : {"--scaling clip", "--zeta 2", "--v-min 0.1", "--init-offset 5",
                                   "--standardized", "--summary"})
    refusals.push_back({glad(option), {option.substr(0, option.find(' ')), "glad", "leave"}});
  expect_refused(folder, refusals);
  for (const std::string option : {"--init-offset learned", "--tied", "--preset best"})
    EXPECT_EQ(spodnet(folder, glad(option)).status, 0) << option;
}

TEST(CliUnusedOptions, OfTraining) {
  const TemporaryFolder folder;
  const std::string train = "train --p 4 --n 9 --count 8 --epochs 1 -o m.safetensors ";
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 8 -o d.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, train + "--scaling none").status, 0);
  expect_refused(folder, {{train + "--scaling none --zeta 2", {"--zeta", "none"}},
                          {train + "--init m.safetensors --zeta 2", {"--zeta", "none"}},
                          {train + "--patience 3 --valid none", {"--patience", "--valid"}},
                          {"train --data d.safetensors --patience 3 -o m.safetensors",
                           {"--patience", "--valid"}}});
  EXPECT_EQ(spodnet(folder, train + "--patience 3").status, 0);
}

TEST(CliUnusedOptions, OfAnInputThatIsTakenAsItIs) {
  const TemporaryFolder folder;
  folder.write("x.csv", kTable);
  folder.write("S.csv", "a,b\n2,1\n1,2\n");
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 9 --count 2 --samples -o d.safetensors").status, 0);
  const std::string evaluate = "evaluate --data d.safetensors --method oas ";
  expect_refused(
      folder,
      {{"estimate S.csv --input covariance --samples-count 9 --uncentred -o t.csv",
        {"--uncentred", "S.csv"}},
       {"estimate d.safetensors --uncentred -o t.npy", {"--uncentred", "--input samples"}},
       {"estimate d.safetensors --input samples --samples-count 5 -o t.npy", {"--samples-count"}},
       {"estimate x.csv --method glasso-cv:folds=2 --uncentred -o t.csv",
        {"--uncentred", "glasso-cv"}},
       {evaluate + "--uncentred", {"--uncentred"}},
       {evaluate + "--held-out 0.3 --samples-count 5", {"--samples-count", "--held-out"}},
       {evaluate + "--method ledoit-wolf --input samples --uncentred",
        {"--uncentred", "ledoit-wolf"}},
       {"graph S.csv --input covariance --samples-count 9 --missing em -o g", {"--missing"}},
       {"compare S.csv --only --method oas --folds 2", {"S.csv", "samples"}}});
  EXPECT_EQ(spodnet(folder, evaluate + "--held-out 0.3 --uncentred").status, 0);
  EXPECT_EQ(spodnet(folder, evaluate + "--input samples --uncentred").status, 0);
}

TEST(CliUnusedOptions, ButTheNumberOfSamplesIsAskedFor) {
  const TemporaryFolder folder;
  folder.write("S.csv", "a,b\n2,1\n1,2\n");
  std::vector<Refusal> refusals;
  for (const std::string method : {"oas", "glasso-ebic", "pretrained"})
    refusals.push_back(
        {"estimate S.csv --input covariance -o t.csv --method " + method, {"--samples-count"}});
  expect_refused(folder, refusals);
}

TEST(CliUnusedOptions, SparsityHasOnePlace) {
  const TemporaryFolder folder;
  folder.write("x.csv", kTable);
  expect_refused(folder, {{"estimate x.csv --method pretrained:sparsity=2 --sparsity 3 -o t.csv",
                           {"--sparsity", "twice"}}});
  const CommandResult result =
      spodnet(folder, "estimate x.csv --target f1 --sparsity 3 --json -o t.safetensors");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["method"], "pretrained:target=f1");
  EXPECT_EQ(result.json()["sparsity"], 3);
}

}  // namespace
}  // namespace spodnet::test
