#pragma once

#include <string>
#include <vector>

#include "spodnet/tables/prepare.hpp"

namespace spodnet {

/// Tables of the same variables as one, the rows of each after those of the one before: columns are
/// matched by their names where all have names, else by their places. A column that one of them
/// does not have is left out and named in the result's remarks; none left: Error.
Table stacked(const std::vector<Table>& tables, const std::vector<std::string>& names);

/// The rows of each group of prepared data (rows.group, numbers from 0) as data of their own. A
/// variable that is constant in a group is left out of all of them, with a note in `data`. A group
/// of fewer than 5 rows, fewer than two groups or variables left: Error.
std::vector<Prepared> split_groups(Prepared& data, const std::vector<std::string>& names);

/// Of paired groups (rows.person), keeps the persons with a row in each of `groups` groups and
/// notes how many others there were. A person with two rows in one group, clusters, or fewer than 5
/// persons left: Error.
void keep_whole_pairs(Prepared& data, std::size_t groups);

}  // namespace spodnet
