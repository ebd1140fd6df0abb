#include "spodnet/io/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "io/same_table.hpp"
#include "support/expect_error.hpp"
#include "support/gzip.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

using Names = std::vector<std::string>;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

Table table(const Names& columns, const Names& rows,
            const std::vector<std::vector<double>>& values) {
  Table t{columns, rows, Matrix(values.size(), values.at(0).size())};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < values[i].size(); ++j)
      t.values(Eigen::Index(i), Eigen::Index(j)) = values[i][j];
  return t;
}

TEST(Csv, HeaderOrNot) {
  expect_same(parse_text("x,y\n1,2\n3,4\n"), table({"x", "y"}, {}, {{1, 2}, {3, 4}}));
  expect_same(parse_text("1,2\n3,4\n"), table({}, {}, {{1, 2}, {3, 4}}));
  expect_same(parse_text("1,2"), table({}, {}, {{1, 2}}));
  expect_same(parse_text("x\n1\n2"), table({"x"}, {}, {{1}, {2}}));
  expect_same(parse_text("7\n1\n2"), table({}, {}, {{7}, {1}, {2}}));
}

TEST(Csv, SeparatorsAreFound) {
  const Table expected = table({"x", "y"}, {}, {{1, 2}, {3, 4}});
  for (const char separator : {',', ';', '\t'}) {
    const std::string s(1, separator);
    expect_same(parse_text("x" + s + "y\n1" + s + "2\n3" + s + "4\n"), expected);
  }
  // Tabs win over commas inside names, semicolons over decimal commas.
  expect_same(parse_text("x,a\ty,b\n1\t2\n"), table({"x,a", "y,b"}, {}, {{1, 2}}));
  expect_same(parse_text("x;y\n1,5;2,5\n"), table({"x", "y"}, {}, {{1.5, 2.5}}));
  expect_same(parse_text("a;b,c\n1,2\n", {}), table({"a;b", "c"}, {}, {{1, 2}}));
  expect_same(parse_text("1;2\n3;4\n", {.separator = ';'}), table({}, {}, {{1, 2}, {3, 4}}));
}

TEST(Csv, DecimalCommaWithSemicolons) {
  expect_same(parse_text("1,5;-2,25e1;3\n,5;4,;1e-3\n"),
              table({}, {}, {{1.5, -22.5, 3}, {0.5, 4, 1e-3}}));
  expect_same(parse_text("1.5;2\n3;4.25\n"), table({}, {}, {{1.5, 2}, {3, 4.25}}));
}

TEST(Csv, LineEndsBlankLinesAndByteOrderMark) {
  const Table expected = table({"x", "y"}, {}, {{1, 2}, {3, 4}});
  expect_same(parse_text("x,y\r\n1,2\r\n3,4\r\n"), expected);
  expect_same(parse_text("x,y\r1,2\r3,4"), expected);
  expect_same(parse_text("\xEF\xBB\xBFx,y\n1,2\n3,4"), expected);
  expect_same(parse_text("\n\r\n  \nx,y\n\n1,2\n\t\n\n3,4\n\n"), expected);
  expect_same(parse_text(" x , y\n  1,2\t\n3 , 4"), expected);
}

TEST(Csv, QuotedCells) {
  expect_same(parse_text("\"a,\"\"b\"\"\",\"two\nlines\r\nmore\"\n1,2\n"),
              table({"a,\"b\"", "two\nlines\r\nmore"}, {}, {{1, 2}}));
  expect_same(parse_text("\"x\" , \"y\"\n\"1.5\",\" 2 \"\n"), table({"x", "y"}, {}, {{1.5, 2}}));
  expect_same(parse_text("5\" disk,b\n1,2\n"), table({"5\" disk", "b"}, {}, {{1, 2}}));
  expect_same(parse_text("\" keeps blanks \",\"\"\"\"\n1,2"),
              table({" keeps blanks ", "\""}, {}, {{1, 2}}));
}

TEST(Csv, MissingValues) {
  expect_same(parse_text("1,,3\nNA,NaN,?\nnan,-nan,\"\"\n"),
              table({}, {}, {{1, nan, 3}, {nan, nan, nan}, {nan, nan, nan}}));
}

TEST(Csv, Numbers) {
  expect_same(parse_text("+1,-0,.5,5.,1E3,inf,-Infinity\n1e-400,-1e-400,4.9e-324,"
                         "1.7976931348623157e308,0.1,00012,1e-0000000000000000000000000001\n"),
              table({}, {},
                    {{1, -0.0, 0.5, 5, 1000, inf, -inf},
                     {0, -0.0, 4.9e-324, 1.7976931348623157e308, 0.1, 12, 0.1}}));
}

TEST(Csv, RowNames) {
  const Table expected = table({"x", "y"}, {"a", "b"}, {{1, 2}, {3, 4}});
  expect_same(parse_text(",x,y\na,1,2\nb,3,4\n"), expected);
  expect_same(parse_text("\"\",\"x\",\"y\"\n\"a\",1,2\n\"b\",3,4\n"), expected);
  expect_same(parse_text("id,x,y\na,1,2\nb,3,4\n"), expected);
  expect_same(parse_text("x,y\na,1,2\nb,3,4\n"), expected);  // R's short header
  expect_same(parse_text("x\na,1\nb,2\n"), table({"x"}, {"a", "b"}, {{1}, {2}}));
  expect_same(parse_text("a,1,2\nb,3,4\n"), table({}, {"a", "b"}, {{1, 2}, {3, 4}}));
  expect_same(parse_text("a,1\n"), table({}, {"a"}, {{1}}));
  expect_same(parse_text("day,x\n2001-01-05,1\n"), table({"x"}, {"2001-01-05"}, {{1}}));
  // Numbers as row names: marked by the empty corner, the short header or their quotes.
  expect_same(parse_text(",x\n1,0.5\n2,0.5"), table({"x"}, {"1", "2"}, {{0.5}, {0.5}}));
  expect_same(parse_text("\"x\"\n\"1\",0.5\n\"2\",0.5"), table({"x"}, {"1", "2"}, {{0.5}, {0.5}}));
  expect_same(parse_text("\"1\",0.5\n\"2\",NaN"), table({}, {"1", "2"}, {{0.5}, {nan}}));
}

TEST(Csv, NumericHeaders) {
  // The data frame's index and column numbers that pandas writes.
  expect_same(parse_text(",0,1\n0,5,6\n1,7,8"), table({"0", "1"}, {"0", "1"}, {{5, 6}, {7, 8}}));
  expect_same(parse_text("0,1,2\n0.5,0.25,0.1"), table({"0", "1", "2"}, {}, {{0.5, 0.25, 0.1}}));
  expect_same(parse_text("1990,1995,2001\n0.5,0.25,0.1"),
              table({"1990", "1995", "2001"}, {}, {{0.5, 0.25, 0.1}}));
  expect_same(parse_text("0,1\n2,3"), table({}, {}, {{0, 1}, {2, 3}}));
  expect_same(parse_text("0,1,2\n1,0,1.5", {.header = Choice::no}),
              table({}, {}, {{0, 1, 2}, {1, 0, 1.5}}));
  for (const char* unsure : {"2001,2002,2003\n0,1,0\n1,1,0", "0,1,2\n4,5,6", "0,1\n0.5,0.25"})
    expect_error([&] { parse_text(unsure); }, {"line 1", "header or a row"});
  expect_same(parse_text("a,\"1\",\"2\"\nb,\"3\",\"4\""), table({}, {"a", "b"}, {{1, 2}, {3, 4}}));
  // Years: a first cell of text above a number makes a header, so do quotes above plain cells.
  expect_same(parse_text("total,2001,2002\n5,6,7"),
              table({"total", "2001", "2002"}, {}, {{5, 6, 7}}));
  expect_same(parse_text("\"2001\",\"2002\"\n6,7"), table({"2001", "2002"}, {}, {{6, 7}}));
  expect_same(parse_text("2001,2002\na,6,7"), table({"2001", "2002"}, {"a"}, {{6, 7}}));
  // Quoted throughout: quotes say nothing.
  expect_same(parse_text("\"1\",\"2\"\n\"3\",\"4\""), table({}, {}, {{1, 2}, {3, 4}}));
  // A missing value in the first cell is not a corner.
  expect_same(parse_text(",2,5\n1,2,3"), table({}, {}, {{nan, 2, 5}, {1, 2, 3}}));
}

TEST(Csv, OptionsOverrideTheRules) {
  expect_same(parse_text("2001,2002\n6,7", {.header = Choice::yes}),
              table({"2001", "2002"}, {}, {{6, 7}}));
  expect_same(parse_text("0,1\n0.5,0.25", {.header = Choice::no}),
              table({}, {}, {{0, 1}, {0.5, 0.25}}));
  expect_same(parse_text("x,y\n1,2", {.row_names = Choice::yes}), table({"y"}, {"1"}, {{2}}));
  expect_same(parse_text(",y\n1,2", {.row_names = Choice::no}), table({"", "y"}, {}, {{1, 2}}));
  expect_same(parse_text("1;2\n3;4", {.header = Choice::no, .row_names = Choice::yes}),
              table({}, {"1", "3"}, {{2}, {4}}));
}

TEST(Csv, NamesAreKeptAndAlwaysUtf8) {
  expect_same(parse_text("a,a,\n1,2,3"), table({"a", "a", ""}, {}, {{1, 2, 3}}));
  expect_same(parse_text("caf\xE9,\xC3\xA9t\xC3\xA9\n1,2"), table({"café", "été"}, {}, {{1, 2}}));
}

TEST(Csv, RecordsMayCrossBlocks) {
  // Longer than the sample and many blocks, with quotes and CRLF at every offset.
  std::string text = "\"n\"\"ame\",y\r\n";
  const int rows = 60'000;
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i) + ",\"" + std::to_string(-i) + ".5\"\r\n";
  const Table t = parse_text(text);
  ASSERT_EQ(t.values.rows(), rows);
  EXPECT_EQ(t.columns, (Names{"n\"ame", "y"}));
  for (int i = 0; i < rows; ++i) {
    ASSERT_EQ(t.values(i, 0), i);
    ASSERT_EQ(t.values(i, 1), i == 0 ? 0.5 : -i - 0.5);
  }
}

TEST(Csv, GzipPlainAndInMembers) {
  const TemporaryFolder folder;
  const Table expected = table({"x", "y"}, {}, {{1, 2}, {3, 4}});
  expect_same(read_csv(folder.write("a.csv.gz", gzip("x,y\n1,2\n3,4\n"))), expected);
  expect_same(read_csv(folder.write("b.csv", gzip("x,y\n1,2\n3,4\n"))), expected);
  expect_same(read_csv(folder.write("c.csv.gz", "x,y\n1,2\n3,4\n")), expected);
  expect_same(parse_text(gzip("x,y\n1,") + gzip("") + gzip("2\n3,4\n") + std::string(100, '\0')),
              expected);
}

TEST(Csv, WideTable) {
  std::string text;
  for (int j = 0; j < 100'000; ++j) text += (j ? ",v" : "v") + std::to_string(j);
  text += "\n";
  for (int j = 0; j < 100'000; ++j) text += j ? ",\"1\"" : "\"1\"";
  const Table t = parse_text(text);
  EXPECT_EQ(t.values.cols(), 100'000);
  EXPECT_EQ(t.columns.back(), "v99999");
}

TEST(Csv, BlanksBarsAndDecimalCommasBesideATab) {
  expect_same(parse_text("a b  c\n1 2   3\n 4 5 6 \n"),
              table({"a", "b", "c"}, {}, {{1, 2, 3}, {4, 5, 6}}));
  expect_same(parse_text("a|b\n1|2\n3|4\n"), table({"a", "b"}, {}, {{1, 2}, {3, 4}}));
  expect_same(parse_text("a\tb\n1,5\t2,25\n3,5\t4\n"),
              table({"a", "b"}, {}, {{1.5, 2.25}, {3.5, 4}}));
  expect_error([] { parse_text("a\tb\n1,234\t2\n3\t4\n"); }, {"line 2", "'1,234'", "thousands"});
  expect_same(parse_text("a\tb\n1,234\t2\n3\t4\n", {.decimal = ','}),
              table({"a", "b"}, {}, {{1.234, 2}, {3, 4}}));
}

TEST(Csv, WordsForMissingValuesAndTruth) {
  for (const char* word : {"N/A", "NULL", "None", "na", ".", "-", "<NA>"})
    expect_same(parse_text(std::string("a,b\n1,") + word + "\n3,4\n"),
                table({"a", "b"}, {}, {{1, nan}, {3, 4}}));
  expect_same(parse_text("a,b\n1,-999\n3,4\n", {.missing = {"-999"}}),
              table({"a", "b"}, {}, {{1, nan}, {3, 4}}));
  expect_same(parse_text("a,b\n1,TRUE\n3,False\n"), table({"a", "b"}, {}, {{1, 1}, {3, 0}}));
}

TEST(Csv, TextColumnsAreLeftOutOnRequest) {
  const Table table = parse_text("id,x,class,y,note\nr1,1,red,2,\n2,NA,blue,4,ok\n3,5,?,6,7\n",
                                 {.leave_out_text = true});
  EXPECT_EQ(table.rows, (std::vector<std::string>{"r1", "2", "3"}));
  EXPECT_EQ(table.columns, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.values.rows(), 3);
  EXPECT_TRUE(std::isnan(table.values(1, 0)));
  EXPECT_EQ(table.values(2, 1), 6);
  ASSERT_EQ(table.left_out.size(), 2u);
  EXPECT_EQ(table.left_out[0].name, "class");
  EXPECT_EQ(table.left_out[0].index, 1u);
  EXPECT_EQ(table.left_out[0].line, 2u);
  EXPECT_EQ(table.left_out[0].text, "red");
  EXPECT_EQ(table.left_out[1].name, "note");
  EXPECT_EQ(table.left_out[1].line, 3u);
  EXPECT_EQ(parse_text("1.5,a,2\n3.5,b,4\n", {.leave_out_text = true}).left_out[0].name, "");
}

TEST(Csv, TextEverywhereIsRefusedAllTheSame) {
  expect_error([] { parse_text("x,y\n1,a\nb,2\n", {.leave_out_text = true}); },
               {"every column holds text", "'b'"});
  expect_error([] { parse_text("x,y\n1,1e999\n", {.leave_out_text = true}); }, {"too large"});
}

}  // namespace
}  // namespace spodnet::test
