#include "spodnet/io/levels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spodnet/core/error.hpp"
#include "spodnet/io/csv.hpp"
#include "support/expect_error.hpp"

namespace spodnet {
namespace {

using test::expect_error;

Table parsed(std::string_view text, const std::vector<std::string>& levels) {
  CsvOptions options;
  options.leave_out_text = true;
  for (const std::string& each : levels) options.levels.push_back(level_scale_from(each));
  return parse_csv(std::as_bytes(std::span(text.data(), text.size())), "x.csv", options);
}

TEST(Levels, AreWrittenFromLowToHigh) {
  const LevelScale any = level_scale_from("low < medium<high");
  EXPECT_EQ(any.column, "");
  EXPECT_THAT(any.words, testing::ElementsAre("low", "medium", "high"));
  EXPECT_EQ(level_scale_from("mood=bad<good").column, "mood");
  for (const char* bad : {"low", "low<", "a<b<a", "x=low", ""})
    EXPECT_THROW((void)level_scale_from(bad), Error) << bad;
}

TEST(Levels, CountFromOneInEveryColumnThatHasThem) {
  const Table t = parsed("a,b,c\nlow,1,high\nhigh,2,NA\nmedium,3,low\n", {"low<medium<high"});
  EXPECT_EQ(t.columns.size(), 3u);
  EXPECT_TRUE(t.left_out.empty());
  EXPECT_EQ(t.values(0, 0), 1);
  EXPECT_EQ(t.values(1, 0), 3);
  EXPECT_EQ(t.values(2, 0), 2);
  EXPECT_EQ(t.values(1, 1), 2);
  EXPECT_TRUE(std::isnan(t.values(1, 2)));
  EXPECT_THAT(t.remarks.at(0), testing::HasSubstr("'a' and 1 more column were read as ordered"));
}

TEST(Levels, OfOneColumnMayBeWordsThatOtherwiseMeanMissing) {
  const Table t = parsed("pain,x\nnone,1\nmild,2\nnone,3\n", {"pain=none<mild<severe"});
  EXPECT_EQ(t.values(0, 0), 1);
  EXPECT_EQ(t.values(1, 0), 2);
}

TEST(Levels, AFirstColumnOfLevelsIsAVariable) {
  const Table t = parsed("mood,x,y\nbad,1,2\ngood,3,4\n", {"bad<good"});
  EXPECT_TRUE(t.rows.empty());
  EXPECT_THAT(t.columns, testing::ElementsAre("mood", "x", "y"));
}

TEST(Levels, NoWordIsLostInSilence) {
  const auto refused = [](const char* text, const char* level, const char* part) {
    expect_error([&] { (void)parsed(text, {level}); }, {part});
  };
  refused("a,b\n1,low\n2,hihg\n3,high\n", "low<high", "'hihg'");
  refused("a,b\n1,low\n2,5\n3,high\n", "low<high", "line 3");
  refused("a,b\n1,7\n2,low\n3,high\n", "low<high", "column of numbers");
  refused("a,b\n1,2\n2,3\n", "low<high", "no cell with one of the levels low<high");
  refused("a,b\n1,2\n2,3\n", "c=low<high", "no column 'c'");
}

TEST(Levels, ATextColumnSaysWhichWordsItHolds) {
  const Table t = parsed("a,b,c\n1,low,3\n2,high,4\n3,low,5\n", {});
  ASSERT_EQ(t.left_out.size(), 1u);
  EXPECT_THAT(t.left_out[0].words, testing::ElementsAre("low", "high"));
}

}  // namespace
}  // namespace spodnet
