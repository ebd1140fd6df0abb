#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include "io/same_table.hpp"
#include "spodnet/io/csv.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

TEST(CsvWrite, TextIsTheShortestThatReadsBack) {
  Table t{{"x", "a,b", "7"}, {"r", "NA"}, Matrix(2, 3)};
  t.values << 0.1, -0.0, 1e300, 1.0 / 3, NAN, INFINITY;
  EXPECT_EQ(format_csv(t),
            ",x,\"a,b\",\"7\"\nr,0.1,-0,1e+300\n\"NA\",0.3333333333333333,NaN,inf\n");
  EXPECT_EQ(format_csv({{}, {}, Matrix::Identity(2, 2)}, '\t'), "1\t0\n0\t1\n");
}

Choice choice(bool yes) { return yes ? Choice::yes : Choice::no; }

/// Any bit pattern, so every exponent, subnormals, infinities and NaN turn up.
Table random_table(std::mt19937_64& random, bool header, bool rows) {
  const std::vector<std::string> names = {"x",  "a,b",           "a;b", "\"", "two\nlines", " pad ",
                                          "7",  "\xEF\xBB\xBFx", "NA",  "",   "été",        "-1.5",
                                          "\t", "\r\n",          "?"};
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto n = Eigen::Index(1 + below(5)), p = Eigen::Index(1 + below(5));
  Table t{{}, {}, Matrix(n, p)};
  for (Eigen::Index k = 0; k < t.values.size(); ++k)
    t.values.data()[k] = std::bit_cast<double>(std::uint64_t{random()});
  for (Eigen::Index j = 0; header && j < p; ++j) t.columns.push_back(names[below(names.size())]);
  for (Eigen::Index i = 0; rows && i < n; ++i) t.rows.push_back(names[below(names.size())]);
  return t;
}

TEST(CsvWrite, RoundTripIsExactWhenTheLayoutIsGiven) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 4000; ++k) {
    const bool header = k & 1, rows = k & 2;
    const char separator = ",;\t"[k % 3];
    const Table t = random_table(random, header, rows);
    const CsvOptions options{
        .header = choice(header), .row_names = choice(rows), .separator = separator};
    SCOPED_TRACE(format_csv(t, separator));
    expect_same(parse_text(format_csv(t, separator), options), t);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CsvWrite, RoundTripNeedsNoOptionsForOrdinaryNames) {
  const std::vector<std::string> plain = {"x", "a,b", "\"q\""}, numeric = {"2001", "NA", "1.5"};
  std::mt19937_64 random(2);
  for (int k = 0; k < 4000; ++k) {
    Table t{{}, {}, Matrix(3, 3)};
    for (Eigen::Index i = 0; i < 9; ++i) {
      const double z = double(random() % 2000) / 100 - 10;
      t.values.data()[i] = k % 5 == 0 ? std::round(z) : z;
    }
    if (k & 1) t.columns = k & 2 ? numeric : plain;
    if (k & 4) t.rows = k & 8 ? numeric : plain;
    const char separator = ",;\t"[k % 3];
    SCOPED_TRACE(format_csv(t, separator));
    expect_same(parse_text(format_csv(t, separator)), t);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CsvWrite, RefusesNamesThatDoNotMatch) {
  const TemporaryFolder folder;
  const Table columns{{"x"}, {}, Matrix::Zero(2, 2)}, rows{{}, {"a"}, Matrix::Zero(2, 2)};
  const std::string path = (folder / "t.csv").string();
  expect_error([&] { write_csv(path, columns); }, {path, "1 column names for 2 columns"});
  expect_error([&] { write_csv(path, rows); }, {path, "1 row names for 2 rows"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace spodnet::test
