#include "spodnet/tables/constraints_file.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

class ConstraintsFile : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::vector<std::string> names = {"age", "blood, sugar", "3", "weight"};

  Constraints forbid(const std::string& text) {
    Constraints c(4);
    forbid_pairs(folder.write("pairs.csv", text), names, c);
    return c;
  }
  Constraints signs(const std::string& text) {
    Constraints c(4);
    fix_signs(folder.write("signs.csv", text), names, c);
    return c;
  }
  static std::size_t restricted(const Constraints& c) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < c.p(); ++i)
      for (std::size_t j = 0; j < i; ++j) count += c(i, j) != PairRule::free;
    return count;
  }
};

TEST_F(ConstraintsFile, PairsByNameOrNumberWithOrWithoutAHeader) {
  for (const char* text :
       {"age,weight\nage,\"blood, sugar\"\n", "source,target\n1,4\n2,1\n",
        "From;To\nweight;age\n\"blood, sugar\";1\n",
        "\xEF\xBB\xBFnote\tTarget\tsource\nx\tage\tweight\ny\tage\t2\n", "1,4\n\n1,2\n1,4\n"}) {
    const Constraints c = forbid(text);
    EXPECT_EQ(c(0, 3), PairRule::zero) << text;
    EXPECT_EQ(c(0, 1), PairRule::zero) << text;
    EXPECT_EQ(restricted(c), 2u) << text;
  }
  EXPECT_EQ(forbid("3,age\n")(2, 0), PairRule::zero);  // the name 3 is that of variable 3
}

TEST_F(ConstraintsFile, ANameThatIsANumberIsAName) {
  names = {"2", "1", "x", "y"};
  EXPECT_EQ(forbid("1,x\n")(1, 2), PairRule::zero);
  names.clear();
  EXPECT_EQ(forbid("1,3\n")(0, 2), PairRule::zero);
}

TEST_F(ConstraintsFile, SignsOfPartialCorrelations) {
  const Constraints c = signs("source,target,sign\nage,weight,positive\n3,age,-1\n1,2,+\n2,3,-\n");
  EXPECT_EQ(c(3, 0), PairRule::not_negative);
  EXPECT_EQ(c(0, 2), PairRule::not_positive);
  EXPECT_EQ(c(0, 1), PairRule::not_negative);
  EXPECT_EQ(c(1, 2), PairRule::not_positive);
  EXPECT_EQ(restricted(c), 4u);
  EXPECT_EQ(signs("age,weight,Positive\nweight,age,1\n")(0, 3), PairRule::not_negative);
}

TEST_F(ConstraintsFile, RefusesInOneLineWhatItCannotRead) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    expect_error([&] { (void)forbid(text); }, parts);
  };
  refused("age,wieght\n", {"pairs.csv", "line 1", "'wieght'", "'age'", "1 to 4", "source,target"});
  refused("source,target\nage,5\n", {"line 2", "'5'"});
  refused("age,0\n", {"'0'"});
  refused("age,age\n", {"line 1", "itself"});
  refused("age,1\n", {"itself"});
  refused("age\n", {"line 1 has 1 cells", "source,target"});
  refused("age,weight,positive\n", {"has 3 cells"});
  refused("source,target,sign\nage,weight,positive\n", {"pairs.csv", "'sign'", "list of signs"});
  refused("", {"lists no pair"});
  refused("source,target\n", {"lists no pair"});
  refused("source,target\nage\n", {"line 2 has 1 cells"});
  refused(
      "\xFF\xFE"
      "a",
      {"UTF-16"});
  expect_error([&] { (void)signs("age,weight,up\n"); }, {"line 1", "'up'", "positive"});
  expect_error([&] { (void)signs("age,weight\n"); }, {"has 2 cells", "source,target,sign"});
  expect_error([&] { (void)signs("age,weight,+\n\nweight,age,-\n"); },
               {"line 3 contradicts line 1"});
  names[1] = "age";
  refused("age,weight\n", {"'age' names 2 variables", "number"});
  names.clear();
  refused("age,weight\n", {"'age'", "no names", "1 to 4"});
  Constraints c(4);
  expect_error([&] { forbid_pairs(folder.path() / "none.csv", names, c); }, {"none.csv"});
}

}  // namespace
}  // namespace spodnet::test
