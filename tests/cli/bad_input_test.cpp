#include <gtest/gtest.h>

#include "cli/refusal.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::test {
namespace {

TEST(CliBadInput, Commands) {
  const TemporaryFolder folder;
  expect_refused(folder, {{"", {"--help"}},
                          {"nonsense", {"nonsense"}},
                          {"train --frobnicate 3 -o m", {"--frobnicate"}},
                          {"info", {"FILE"}},
                          {"info absent.safetensors", {"absent.safetensors"}},
                          {"info absent.csv", {"absent.csv"}}});
}

TEST(CliBadInput, EmptyArgumentsAreNotTakenForAbsentOnes) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"train", "--model", "", "-o", "m.safetensors"},
        {"generate", "--alpha", "", "-o", "d.safetensors"},
        {"generate", "--alpha=", "-o", "d.safetensors"},
        {"graph", "x.csv", "-o", ""}}) {
    const CommandResult result = spodnet(folder, arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, testing::HasSubstr("give")) << result.err;
  }
  EXPECT_TRUE(files_in(folder).empty());
}

TEST(CliBadInput, Generate) {
  const TemporaryFolder folder;
  expect_refused(folder, {{"generate --p 5", {"--output"}},
                          {"generate --p 0 -o d.safetensors", {"--p"}},
                          {"generate --p x -o d.safetensors", {"--p"}},
                          {"generate --p 5 --n -3 -o d.safetensors", {"--n"}},
                          {"generate --p 5 --count 0 -o d.safetensors", {"--count"}},
                          {"generate --p 5 --alpha 1.5 -o d.safetensors", {"1.5"}},
                          {"generate --p 5 --alpha a -o d.safetensors", {"'a'"}},
                          {"generate --p 5 --alpha 0.9:0.1 -o d.safetensors", {"0.9"}},
                          {"generate --generator stars -o d.safetensors", {"'stars'", "hubs"}},
                          {"generate --signs both -o d.safetensors", {"'both'"}},
                          {"generate --condition 0.5 -o d.safetensors", {"condition", "above 1"}},
                          {"generate --condition 9:3 -o d.safetensors", {"--condition", "9:3"}},
                          {"generate --p 5:9 -o d.safetensors", {"5:9", "train"}},
                          {"generate --n 5:9 -o d.safetensors", {"5:9", "train"}},
                          {"generate --p 9:5 -o d.safetensors", {"--p", "9:5"}},
                          {"train --p 5:9 --model ubg -o m.safetensors", {"ubg", "5:9", "--p"}},
                          {"train --p 5: -o m.safetensors", {"--p"}},
                          {"train --fresh --data d.safetensors -o m.safetensors", {"--fresh"}},
                          {"generate --p 5 --seed -1 -o d.safetensors", {"--seed", "'-1'"}},
                          {"generate --p 5 --threads -1 -o d.safetensors", {"--threads"}},
                          {"generate --p 100000 --count 1000000 -o d.safetensors",
                           {"needs", "this machine has"}},
                          {"generate --p 5 -o no/such/d.safetensors", {"no/such", "create"}},
                          {"generate --p 5 -o d.csv", {"d.csv", ".safetensors"}},
                          {"generate --p 5 -o .", {"folder"}}});
}

TEST(CliBadInput, Train) {
  const TemporaryFolder folder;
  const auto small = [](const std::string& more) {
    return "train --p 4 --n 9 --count 8 --epochs 1 -o m.safetensors " + more;
  };
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 8 -o d.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "generate --p 5 --n 9 --count 8 -o other.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "train --p 4 --n 9 --count 8 --epochs 1 -o i.safetensors").status, 0);
  folder.write("broken.safetensors", "nonsense");
  expect_refused(
      folder,
      {{small("--model lasso"), {"lasso", "ubg"}},
       {small("--lr 0"), {"--lr: '0' is not a positive number"}},
       {small("--lr nan"), {"lr"}},
       {small("--batch 0"), {"--batch"}},
       {small("--epochs 0"), {"--epochs"}},
       {small("--layers 0"), {"--layers"}},
       {small("--scaling clop"), {"--scaling"}},
       {small("--zeta -1"), {"zeta"}},
       {small("--v-min -1"), {"v_min"}},
       {small("--init-offset soon"), {"--init-offset", "'soon'"}},
       {small("--init-offset -5"), {"offset"}},
       {small("--schedule linear"), {"--schedule"}},
       {small("--clip-grad -1"), {"--clip-grad: '-1' is not a number of at least 0"}},
       {small("--width lambda=4 lambda=5"), {"--width", "lambda", "once"}},
       {small("--lr inf"), {"--lr", "'inf'", "positive"}},
       {small("--skip-bad -1"), {"--skip-bad", "'-1'"}},
       {small("--patience -1"), {"--patience", "'-1'"}},
       {small("--history m.safetensors"), {"m.safetensors", "twice"}},
       {small("--history i.safetensors --init i.safetensors"), {"i.safetensors", "twice"}},
       {"train --p 4 -o m.npy", {"m.npy", ".safetensors"}},
       {small("--valid 1.5"), {"--valid", "1.5"}},
       {small("--valid absent.safetensors"), {"absent.safetensors"}},
       {small("--valid other.safetensors"), {"other.safetensors", "p = 5"}},
       {small("--data d.safetensors"), {"--data"}},
       {small("--init absent.safetensors"), {"absent.safetensors"}},
       {small("--init broken.safetensors"), {"broken.safetensors"}},
       {small("--init i.safetensors --layers 2"), {"i.safetensors", "layers"}},
       {small("--init i.safetensors --model pnp"), {"i.safetensors", "model"}},
       {small("--history no/such.csv"), {"no/such.csv"}},
       {"train --data absent.safetensors -o m.safetensors", {"absent.safetensors"}},
       {"train --data broken.safetensors -o m.safetensors", {"broken.safetensors"}},
       {"train --data other.safetensors --init i.safetensors -o m.safetensors", {"p", "4", "5"}},
       {"train --data d.safetensors -o d.safetensors", {"d.safetensors", "twice"}},
       {"train --data d.safetensors", {"--output"}}});
}

TEST(CliBadInput, Estimate) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, "train --p 3 --n 9 --count 8 --epochs 1 -o m.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 9 --count 2 -o d.safetensors").status, 0);
  folder.write("x.csv", "a,b,c\n1,2,3\n3,1,0.5\n0,1,7\n2,2,1\n");
  folder.write("wide.csv", "1,2,3,5\n3,1,0.5,9\n0,1,7,1\n");
  folder.write("missing.csv", "a,b,c\n1,2,3\n3,,0.5\n0,1,7\n");
  folder.write("one.csv", "a,b,c\n1,2,3\n");
  folder.write("asymmetric.csv", "1,0.5,0\n0,1,0\n0,0,1\n");
  folder.write("negative.csv", "-1,0,0\n0,1,0\n0,0,1\n");
  folder.write("indefinite.csv", "1,9,0\n9,1,0\n0,0,1\n");
  folder.write("x.dat", "1 2 3\n");
  folder.write("huge.csv", "a,b,c\n1,2,3\n3,-1e200,0.5\n0,1,7\n2,2,1\n");
  folder.write("pairs.csv", "a,b\n");
  const auto estimate = [](const std::string& more) {
    return "estimate --method m.safetensors " + more;
  };
  expect_refused(
      folder,
      {{estimate("absent.csv -o t.npy"), {"absent.csv"}},
       {estimate("x.csv"), {"--output"}},
       {estimate("x.csv -o t.xyz"), {"t.xyz", ".npy"}},
       {estimate("x.csv -o no/t.npy"), {"no/t.npy"}},
       {estimate("x.csv -o ./x.csv"), {"x.csv", "twice"}},
       {estimate("x.csv -o t.npy --covariance-out t.npy"), {"t.npy", "twice"}},
       {estimate("x.csv -o m.safetensors"), {"m.safetensors", "twice"}},
       {estimate("x.csv --forbid pairs.csv -o pairs.csv"), {"pairs.csv", "twice"}},
       {"estimate x.csv --method m.safetensors:sparsity=2 -o ./m.safetensors", {"twice"}},
       {"estimate x.csv --method glasso:penalty=wide.csv -o wide.csv", {"wide.csv", "twice"}},
       {estimate("huge.csv -o t.npy"), {"huge.csv", "sample 2", "'b'", "rescale"}},
       {"graph huge.csv -o g --method oas", {"huge.csv", "sample 2", "'b'", "rescale"}},
       {estimate("x.csv -o t.npy --covariance-out w"), {"w", ".npy"}},
       {estimate("x.csv -o t.npy --scores s.csv"), {"--scores"}},
       {estimate("x.csv -o t.npy --samples-count 3"), {"--samples-count"}},
       {estimate("x.csv -o t.npy --input what"), {"--input"}},
       {estimate("x.csv --input covariance -o t.npy"), {"x.csv", "square"}},
       {estimate("wide.csv -o t.npy"), {"p = 3", "4"}},
       {estimate("one.csv -o t.npy"), {"one.csv", "at least 2"}},
       {estimate("asymmetric.csv --input covariance -o t.npy"), {"asymmetric.csv", "symmetric"}},
       {estimate("negative.csv --input covariance -o t.npy"), {"negative.csv", "negative"}},
       {estimate("indefinite.csv --input covariance -o t.npy"), {"correlation of 9"}},
       {estimate("x.dat -o t.npy"), {"x.dat"}},
       {estimate("d.safetensors -o t.csv"), {"t.csv", "stack"}},
       {estimate("d.safetensors --input samples -o t.npy"), {"d.safetensors", "'X'"}},
       {estimate("x.csv -o t.npy --target f1"), {"--target"}},
       {"estimate x.csv -o t.npy --method ubg", {"trained first"}},
       {"estimate x.csv -o t.npy --method nonsense", {"nonsense"}},
       {"estimate x.csv -o t.npy --method auto", {"auto", "graph", "pretrained"}},
       {"estimate x.csv -o t.npy --method absent.safetensors", {"absent.safetensors"}},
       {"estimate x.csv -o t.npy --method d.safetensors", {"d.safetensors", "not a model"}}});
}

TEST(CliBadInput, Evaluate) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, "train --p 3 --n 9 --count 8 --epochs 1 -o m.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 9 --count 2 -o d.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 2 -o other.safetensors").status, 0);
  expect_refused(
      folder,
      {{"evaluate --data d.safetensors", {"--method"}},
       {"evaluate --method m.safetensors", {"--data"}},
       {"evaluate --data absent.safetensors --method m.safetensors", {"absent.safetensors"}},
       {"evaluate --data other.safetensors --method m.safetensors", {"p = 3", "4"}},
       {"evaluate --data d.safetensors --method m.safetensors --held-out 0.5", {"--samples"}},
       {"evaluate --data d.safetensors --method m.safetensors --held-out 2", {"--held-out"}},
       {"evaluate --data d.safetensors --method m.safetensors --held-out nan", {"--held-out"}},
       {"evaluate --data d.safetensors --method m.safetensors --per-matrix m.safetensors",
        {"m.safetensors", "twice"}},
       {"evaluate --data d.safetensors --method m.safetensors --per-matrix no/x.csv",
        {"no/x.csv"}}});
}

TEST(CliBadInput, TheMatrixThatIsNoCovarianceIsNamed) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, "train --p 2 --n 9 --count 8 --epochs 1 -o m.safetensors").status, 0);
  write_safetensors(folder / "d.safetensors",
                    {{{"n", "9"}}, {{"S", {{2, 2, 2}, {1, 0, 0, 1, 1, 5, 5, 1}}}}});
  const std::vector<std::string> parts = {"d.safetensors: S[1]",
                                          "not numerically positive definite"};
  expect_refused(folder, {{"estimate d.safetensors --method m.safetensors -o o.safetensors", parts},
                          {"evaluate --data d.safetensors --method m.safetensors", parts}});
}

TEST(CliBadInput, AFullDiskIsNoticed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  const std::string command = "cd '" + folder.path().string() +
                              "' && '" SPODNET_BINARY
                              "' generate --p 3 --n 5 --count 2 --json -o d.safetensors "
                              "> /dev/full 2> err";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_NE(read_bytes(folder / "err").find("standard output"), std::string::npos);
}

}  // namespace
}  // namespace spodnet::test
