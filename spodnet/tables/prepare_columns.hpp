#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spodnet/tables/prepare.hpp"

namespace spodnet {

// The steps of prepare_samples, each on data (names, X) with its notes.

/// file_columns and place, before anything but text was left out.
void list_columns(const Table& table, Prepared& data);

/// Which columns are no variables, and why: text, facts about rows (RowFacts::columns), or asked.
void note_text_columns(const Table& table, const RowFacts& rows, std::vector<DataNote>& notes);
/// That the first column was taken for names of rows; a warning where they repeat.
void note_row_names(const Table& table, std::vector<DataNote>& notes);

void refuse_infinite(const Prepared& data, const std::string& where);
void leave_out_empty_columns(Prepared& data);
void leave_out_constant_columns(Prepared& data);
void leave_out_empty_rows(Prepared& data);
void leave_out_incomplete_rows(Prepared& data, const std::string& where);

/// Warns of numbers that look like codes for a missing value (missing_codes.hpp).
void note_missing_codes(Prepared& data);
/// Copied rows (copied_rows.hpp) of which nothing else is known become clusters, with a warning.
void note_copied_rows(Prepared& data);

/// Leaves out columns that are exact linear functions of others (dependence.hpp), each with a
/// warning that names them: the correlations of the rest can be inverted. Samples: equal columns,
/// by their ranks where ranks count; with more complete rows than columns also sums and the like.
void leave_out_dependent_columns(Prepared& data);

/// Warns of columns that follow from others but for rounding (R^2 above kNearlyExact): their links
/// are doubtful. After the moments, of n samples.
void note_near_dependences(Prepared& data);
/// Warns of pairs of levels that never occur together: such links are doubtful. After choose_kinds.
void note_empty_corners(Prepared& data);

/// The same for correlations R of n samples; returns the columns that are kept.
std::vector<Eigen::Index> leave_out_dependent(Prepared& data, const Matrix& R, double n);

// prepare_rows.cpp: what is known of the rows.

/// Leaves out rows whose weight or covariate is missing, or whose weight is 0; a negative or
/// infinite one, or another number of rows than X has: Error.
void check_row_facts(Prepared& data, const std::string& where);
/// Regresses the covariates out.
void adjust_columns(Prepared& data);
/// What the columns are taken for (kinds).
void choose_kinds(Prepared& data);
/// How many samples rows that depend or have weights are worth; after the moments.
void count_samples(Prepared& data);

/// Keeps the rows for which `keep(i)` holds, with what is known of them; returns how many went.
std::size_t keep_rows(Prepared& data, const std::function<bool(Eigen::Index)>& keep);

/// Refuses a variable whose variance no double holds.
void check_scale(const Prepared& data, const std::string& where);

/// Keeps the columns of `kept`, in their order.
void keep_columns(Prepared& data, const std::vector<Eigen::Index>& kept);

}  // namespace spodnet
