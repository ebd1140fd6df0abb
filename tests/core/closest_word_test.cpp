#include "spodnet/core/closest_word.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spodnet::test {
namespace {

TEST(ClosestWord, CountsChanges) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("--boostrap", "--bootstrap"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(ClosestWord, SuggestsWhatIsNearAndNothingElse) {
  const std::vector<std::string> known = {"--bootstrap", "--stable", "--method"};
  EXPECT_EQ(closest_word("--boostrap", known), "--bootstrap");
  EXPECT_EQ(closest_word("--frobnicate", known), "");
}

}  // namespace
}  // namespace spodnet::test
