#include "spodnet/report/node_styles.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet {
namespace {

using test::expect_error;
using test::TemporaryFolder;

const std::vector<std::string> kNames = {"a", "b", "c"};

TEST(NodeStyles, AreReadByHeaderOrByOrder) {
  const TemporaryFolder folder;
  folder.write("h.csv", "colour,variable,group\n#102030,b,second\n,a,first\n");
  const auto by_header = read_node_styles(folder / "h.csv", kNames);
  EXPECT_EQ(by_header[0].group, "first");
  EXPECT_EQ(by_header[1].group, "second");
  EXPECT_EQ(by_header[1].colour, "#102030");
  EXPECT_EQ(by_header[2].group, "") << "not listed";
  folder.write("o.csv", "a,first,Apple\nc,second,Cherry\n");
  const auto by_order = read_node_styles(folder / "o.csv", kNames);
  EXPECT_EQ(by_order[0].label, "Apple");
  EXPECT_EQ(by_order[2].group, "second");
}

TEST(NodeStyles, RefusesWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  const auto refused = [&](const char* text, std::vector<std::string> parts) {
    folder.write("x.csv", text);
    parts.push_back("x.csv");
    for (const std::string& part : parts)
      expect_error([&] { (void)read_node_styles(folder / "x.csv", kNames); }, {part});
  };
  refused("variable,group\nd,one\n", {"line 2", "'d'"});
  refused("variable,group\na,one\na,two\n", {"line 3", "line 2 already"});
  refused("variable,group,colour\na,one,red\n", {"'red'", "#1f6fb2"});
  refused("", {"empty"});
}

TEST(NodeStyles, ColumnsThatAreNotInTheGraphAreNoFault) {
  const TemporaryFolder folder;
  folder.write("x.csv", "variable,group\na,one\nconstant,one\n");
  const std::vector<std::string> others = {"constant"};
  EXPECT_EQ(read_node_styles(folder / "x.csv", kNames, others)[0].group, "one");
}

}  // namespace
}  // namespace spodnet
