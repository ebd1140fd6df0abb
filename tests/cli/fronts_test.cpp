#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/tables/log_ratio.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet::test {
namespace {

/// The library and the command: same table, same options, same numbers, bit for bit.
/// (tests/python/test_fronts.py has the Python package beside the command.)
struct Fronts : testing::Test {
  TemporaryFolder folder;
  Table table{{"a", "b", "c", "d", "e"}, {}, Matrix(80, 5)};

  Fronts() {
    RandomStream random(3);
    for (double& x : table.values.reshaped()) x = random.normal();
    table.values.col(1) += table.values.col(0);
  }

  void expect_equal(const PrepareOptions& options, const std::string& words) {
    write_csv(folder / "t.csv", table);
    for (const std::string method : {"pretrained", "glasso-ebic"}) {
      const CommandResult result =
          spodnet(folder, "estimate t.csv --method " + method + " -o out.csv " + words);
      ASSERT_EQ(result.status, 0) << result.err;
      const Prepared data = prepare_samples(table, options, "t.csv");
      const std::shared_ptr<const Method> made = make_method(method, builtin_models());
      ThreadPool pool(1);
      const auto rules = constraints_for(data, nullptr);
      const Estimate estimate =
          estimate_table(pose(data, {.standardize = wants_standard_units(*made)}), made,
                         rules ? &*rules : nullptr, &pool);
      const Table theirs = read_csv(folder / "out.csv");
      EXPECT_EQ(theirs.columns, data.names) << words;
      EXPECT_EQ(theirs.values, estimate.Theta) << method << " " << words;
    }
  }
};

TEST_F(Fronts, PlainAndLevelsAndRanks) {
  expect_equal({}, "");
  expect_equal({.ranks = RankCorrelation::spearman}, "--robust spearman");
  expect_equal({.kind = TableKind::ranks}, "--kind ranks");
  table.values.col(3) = table.values.col(3).array().round().max(-1).min(2);
  expect_equal({.kind = TableKind::automatic}, "--kind auto");
}

TEST_F(Fronts, MissingConstantAndDependent) {
  for (Eigen::Index i = 0; i < 80; i += 7) table.values(i, i % 5) = NAN;
  expect_equal({}, "");
  expect_equal({.missing = Missing::em}, "--missing em");
  expect_equal({.missing = Missing::drop}, "--missing drop");
  table.values.col(2).setConstant(3);
  table.values.col(4) = 2 * table.values.col(3).array() + 1;
  expect_equal({}, "");
}

TEST_F(Fronts, PartsOfAWhole) {
  for (double& x : table.values.reshaped()) x = std::round(std::exp(x + 1));
  PrepareOptions options;
  options.composition = composition_from("clr:1-4");
  expect_equal(options, "--transform clr:a,b,c,d");
}

}  // namespace
}  // namespace spodnet::test
