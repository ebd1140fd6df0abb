#pragma once

#include <map>
#include <string>
#include <vector>

#include "python/bindings/arrays.hpp"
#include "python/bindings/rules.hpp"
#include "spodnet/tables/prepare.hpp"

namespace spodnet {

/// A table as Python gives it, its columns' names (none: numbers) and the options about it.
struct TableRequest {
  double n = 0;  ///< above 0 or NaN: it is a covariance of so many samples
  std::string missing = "pairwise", kind = "gaussian", ranks = {}, transform = {};
  double pseudo_count = -1;  ///< below 0: not said
  RowFacts rows = {};
  bool keep_dependent = false, diagnose = true;
};

Prepared prepare_table(const MatrixIn& values, const std::vector<std::string>& names,
                       const TableRequest& request, ThreadPool* pool);

/// The request of Python's keywords; one that is not known: Error.
TableRequest request_from(const nanobind::dict& words);

/// Rules of columns as rules of the variables that are left, with the pairs that have no edge.
std::optional<Constraints> rules_of(const Prepared& data, const Pairs& forbid,
                                    const SignedPairs& signs);

}  // namespace spodnet
