#include <gtest/gtest.h>
#include <sys/resource.h>

#include "io/same_table.hpp"
#include "spodnet/io/csv.hpp"
#include "support/expect_error.hpp"
#include "support/gzip.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

struct Refusal {
  std::string text;
  std::vector<std::string> parts;
  CsvOptions options = {};
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.text.substr(0, 80));
    std::vector<std::string> parts = refusal.parts;
    parts.insert(parts.end(), {"dir/table.csv: ", "; "});
    expect_error([&] { parse_text(refusal.text, refusal.options); }, parts);
  }
}

TEST(CsvRefusal, CellsThatAreNoNumbers) {
  expect_refusals({
      {"x,y\n1,2\n3,abc\n", {"line 3, column 2 ('y') has 'abc'", "remove the column"}},
      {"1,2\n3,abc\n", {"line 2, column 2 has 'abc'"}},
      {"id,x\na,1\nb,two\n", {"line 3, column 2 ('x') has 'two'"}},
      {"x,y\n1,\"2\n3\"\n", {"line 2, column 2 ('y') has '2\\x0A3'"}},
      {"x\n\n\n1\n2 3\n", {"line 5, column 1 ('x') has '2 3'", "separate columns by"}},
      {"x\ty\n1,500\t2\n", {"line 2, column 1 ('x') has '1,500'", "decimal sign"}},
      {"x,y\n1e999,2\n", {"line 2", "'1e999', too large", "rescale"}},
      {"x,y\n1,-" + std::string(400, '9') + "\n", {"line 2", "too large"}},
      {"x,y\n1,nan(1)\n", {"'nan(1)'"}},
      {"x,y\n1,0x10\n", {"'0x10'"}},
      {"x,y\n1,+-5\n", {"'+-5'"}},
      {"x,y\n1," + std::string(1000, 'z') + "\n", {"zzz...'"}},
      {"x;y\n1,5;2.5\n", {"line 2, column 2 ('y') has '2.5'", "decimal ','", "thousands"}},
      {"x;y\n1.5;2\n1;2,5\n", {"line 3, column 2 ('y') has '2,5'", "decimal '.'"}},
      {"x;y\n1.000,5;2\n", {"'1.000,5'"}},
      {"x,y\n\"1,234\",2\n\"5,678\",3\n", {"line 2, column 1 ('x')", "'1,234' has a thousands"}},
      // A first line with fractions is data, so its text is a fault and no name.
      {"1.5,abc\n1,2\n", {"line 1, column 2 has 'abc'"}},
  });
}

TEST(CsvRefusal, ShapesThatAreNoTable) {
  expect_refusals({
      {"", {"has no rows"}},
      {"\n\r\n \n", {"has no rows"}},
      {"x,y\n", {"a header but no rows"}},
      {"x", {"a header but no rows"}},
      {"1,2\n3\n", {"line 2 has 1 cells where 2"}},
      {"x,y\n1,2\n3,4,5\n", {"line 3 has 3 cells where 2 are expected"}},
      {"1,2\n3,4,5\n", {"line 2 has 3 cells"}},
      {"x,y,z\n1,2\n", {"line 1 has 3 cells where 2"}},
      {"a,b\n1,2,3\n", {"line 1 has 2 cells where 3"}, {.row_names = Choice::no}},
      {"1\n2\n", {"row names but no other column"}, {.row_names = Choice::yes}},
      {"id,x\na,1\n7,2\n", {"line 3 starts with '7' but line 2 with text", "first cell is empty"}},
      {"a,1.5\n7,2\n", {"line 2 starts with '7' but line 1 with text", "first cell is empty"}},
  });
}

TEST(CsvRefusal, QuotesAndBytes) {
  using namespace std::string_literals;
  expect_refusals({
      {"x,y\n1,\"2\n", {"quote opened on line 2 is never closed"}},
      {"x,y\n1,\"2\"3\n", {"line 2 has text behind a closing quote"}},
      {"x,y\n1,\"2\" \"3\"\n", {"line 2 has text behind a closing quote"}},
      {"x,y\n1,\0002\n"s, {"line 2 has a zero byte"}},
      {"\xFF\xFEx\0"s, {"UTF-16", "UTF-8"}},
      {"PK\3\4\0\0"s, {"line 1 has a zero byte"}},
  });
  expect_error([] { parse_text("1:2", {.separator = ':'}); }, {"read_csv", "':'"});
}

TEST(CsvRefusal, Gzip) {
  const std::string whole = gzip("x,y\n1,2\n3,4\n");
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;  // the checksum
  expect_refusals({
      {whole.substr(0, whole.size() - 1), {"cut short", "again"}},
      {whole.substr(0, 2), {"cut short"}},
      {damaged, {"damaged"}},
      {whole + "tail", {"damaged"}},
      {gzip(""), {"has no rows"}},
  });
}

TEST(CsvRefusal, Limits) {
  expect_refusals({
      {"1,2,3,4\n", {"line 1 has more than 3 cells"}, {.limits = {.columns = 3}}},
      {"1,2,3\n1,2,3,4\n", {"line 2 has more than 3 cells"}, {.limits = {.columns = 3}}},
      {"1\n12345678901\n", {"line 2 is longer than 10 bytes"}, {.limits = {.line_bytes = 10}}},
      {"1\n\"2\n\n\n\n\n\n\n\n\n\n\"", {"longer than 10 bytes"}, {.limits = {.line_bytes = 10}}},
      {"1,2\n3,4\n5,6\n", {"more than 40 bytes of values"}, {.limits = {.table_bytes = 40}}},
      {"a,1\nb,2\n", {"more than 50 bytes of values"}, {.limits = {.table_bytes = 50}}},
      {gzip(std::string(100'000, '\n')),
       {"more than 1000 bytes"},
       {.limits = {.expanded_bytes = 1000}}},
  });
}

long peak_kilobytes() {
  struct ::rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(CsvRefusal, HostileSizesCostLittleMemory) {
  // 3 GB on one line and 500,000 columns, from a gzip of a few megabytes.
  std::string bomb;
  const std::string member = gzip(std::string(std::size_t{100} << 20, '7'));
  for (int i = 0; i < 30; ++i) bomb += member;
  const std::string wide = gzip(std::string(500'000, ','));
  const long before = peak_kilobytes();
  expect_refusals({{bomb, {"line 1 is longer than 16777216 bytes"}},
                   {wide, {"line 1 has more than 100000 cells", "transpose"}}});
  EXPECT_LT(peak_kilobytes() - before, 100'000);
}

TEST(CsvRefusal, FilesThatCannotBeRead) {
  const TemporaryFolder folder;
  const auto missing = folder / "none.csv";
  expect_error([&] { read_csv(missing); }, {missing.string(), "No such file", "check the path"});
  expect_error([&] { read_csv(folder.path()); }, {folder.path().string(), "is a folder"});
  const auto odd = folder.write("line\nbreak.csv", "x,y\n1,b\n");
  expect_error([&] { read_csv(odd); }, {"line\\x0Abreak.csv", "'b'"});
}

}  // namespace
}  // namespace spodnet::test
