#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/same_table.hpp"
#include "spodnet/io/csv_text.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kRows = "1.5,2\n3,4.5\n5.25,7\n8,9.75\n";

/// The table of kRows below x,y, whatever stands around it, with these remarks.
void expect_framed(const std::string& text, const std::vector<std::string>& remarks,
                   const CsvOptions& options = {}) {
  SCOPED_TRACE(text);
  const Table read = parse_text(text, options);
  expect_same(read, parse_text("x,y\n" + kRows));
  ASSERT_EQ(read.remarks.size(), remarks.size());
  for (std::size_t k = 0; k < remarks.size(); ++k)
    EXPECT_THAT(read.remarks[k], HasSubstr(remarks[k]));
}

TEST(CsvFrame, LinesAroundATable) {
  expect_framed("x,y\n" + kRows, {});
  expect_framed("sep=,\r\nx,y\n" + kRows, {"line 1 (sep=)"});
  expect_framed("# a, b\n#\n\nx,y\n" + kRows + "# end\n",
                {"lines 1 to 2 start with #", "line 9 starts with #"});
  expect_framed("# x,y\n" + kRows, {"line 1 starts with # and was taken for the header"});
  expect_framed("A table\nof two\n\nx,y\n" + kRows, {"line 1 ('A table')", "line 2 ('of two')"});
  expect_framed("A table,\n,\nx,y\n" + kRows, {"line 1 ('A table')"});
  expect_framed("x,y\n(kg),(m)\n" + kRows, {"line 2 ('(kg)', '(m)', ...) was taken for units"});
  expect_framed("x,y\n" + kRows + "Total,23\nMean,6\n", {"line 6 ('Total'", "line 7 ('Mean'"});
  expect_framed("x,y\n" + kRows + "Mean,2\nSD,6\nMin,1\nMax,7\n",
                {"line 6 ('Mean'", "line 7 ('SD'", "line 8 ('Min'", "line 9 ('Max'"});
}

TEST(CsvFrame, WhatLooksAlikeButIsARow) {
  // R's short header, words in the first row, totals that are categories or variables.
  expect_same(parse_text("x\na,1\nb,2\n"), parse_text(",x\na,1\nb,2\n"));
  EXPECT_EQ(parse_text("x,y\na,1\nTotal,2\nb,3\nc,5\nd,4\nTotal,2\n").rows.size(), 6u);
  EXPECT_EQ(parse_text(",a,b,total\nr,1,2,3\ns,2,5,4\nt,2,5,1\nu,3,1,1\ntotal,3,4,6\n").rows.back(),
            "total");
  EXPECT_EQ(
      parse_text("n,x\na,1\nb,2\nc,3\nd,5\nTotal,4\n", {.row_names = Choice::yes}).rows.back(),
      "Total");
  EXPECT_EQ(parse_text("name,x\nAnna,1\nTom,2\nEve,3\nIda,5\nMax,4\n").rows.back(), "Max");
  EXPECT_THAT(parse_text("#,x\n1,2.5\n2,3\n").columns, ElementsAre("#", "x"));
  EXPECT_THAT(parse_text(",x\n#1,2.5\n#2,3\n").rows, ElementsAre("#1", "#2"));
  EXPECT_EQ(parse_text("x,y\n#N/A,2.5\n2,3\n").values.rows(), 2);
  const CsvOptions levels{.levels = {{"", {"low", "high"}}}};
  EXPECT_EQ(parse_text("x,y,z\nlow,high,1\n1,2,3\n", {.leave_out_text = true}).values.rows(), 2);
  EXPECT_EQ(parse_text("x,y\nlow,high\nhigh,low\n", levels).values.rows(), 2);
}

TEST(CsvFrame, TextHasTheSameLines) {
  const TemporaryFolder folder;
  const std::string text = "sep=;\nTitle\n# more\nx;y\nkg;m\n1;2\n3;4\n5;6\n7;8\n# no\nTotal;20\n";
  const auto path = folder.write("x.csv", text);
  const auto records = read_csv_text(path);
  EXPECT_EQ(Eigen::Index(records.size()), 1 + read_csv(path).values.rows());
  EXPECT_THAT(records[1].cells, ElementsAre("1", "2"));
  EXPECT_EQ(read_csv_text(path, {.every_line = true}).size(), 8u);
}

TEST(CsvFrame, UnusualWordsForMissingAreNamed) {
  const Table t = parse_text("x,y\n1,missing\n#DIV/0!,2\n3,missing\n");
  EXPECT_EQ(t.values.array().isNaN().count(), 3);
  EXPECT_THAT(t.remarks,
              ElementsAre("'#DIV/0!' (1 cell), 'missing' (2 cells) were taken for missing values"));
}

TEST(CsvFrame, ThousandsAreNamedAndAskedAbout) {
  for (const char* text : {"x,y\n\"24,996.07\",1\n\"1,006.00\",2\n", "x;y\n1.000,5;2\n1;2\n",
                           "x,y\n1'234,5\n2'345'678,1\n"})
    for (const bool leave_out : {false, true})
      expect_error([&] { parse_text(text, {.leave_out_text = leave_out}); },
                   {"line 2, column 1 ('x')", "has a thousands separator; remove it"});
  expect_error([] { parse_text("x,y\n890,1\n1.234,2\n"); },
               {"line 3, column 1 ('x') has '1.234' beside '890': is it 1234 or a fraction"});
  expect_error([] { parse_text("x;y\n890;1\n1,234;2\n"); }, {"'1,234' beside '890'"});
  EXPECT_EQ(parse_text("x,y\n890,1\n1.234,2\n", {.decimal = '.'}).values(1, 0), 1.234);
  // Other fractions, a zero before the sign, large integers or small ones: no doubt.
  for (const char* other : {"1.5", "0.123", "1234", "2"})
    EXPECT_EQ(parse_text(std::string("x,y\n1.234,2\n") +
                         (std::string(other) == "2" ? "" : "890,1\n") + other + ",3\n")
                  .values(0, 0),
              1.234);
  expect_error([] { parse_text("x;y\n1.5;2\n", {.decimal = ','}); },
               {"'1.5'", "decimal sign was said to be ','"});
}

}  // namespace
}  // namespace spodnet::test
