#pragma once

#include <vector>

#include "cli/input.hpp"

namespace spodnet::cli {

/// The data as a method sees them, and the covariances of what was held out of them.
struct TestSet {
  DataSet data;
  std::vector<Matrix> S_test;
  Vector scale;          ///< of the standardised variables; empty: the data's units
  bool complete = true;  ///< S is the samples' covariance: no gaps, no ranks
};

/// A table as the one problem of a data set.
TestSet one_problem(const Prepared& table, const InputOptions& options, bool standardize);

/// `test` without the last share of each problem's samples; of a table, where it is not null, rows
/// in the order of the seed, the others prepared without those that are held out.
TestSet held_out_of(TestSet test, const InputOptions& options, double share, const Prepared* table,
                    bool standardize);

}  // namespace spodnet::cli
