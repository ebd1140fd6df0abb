#pragma once

#include <string>
#include <vector>

#include "spodnet/data/prepare.hpp"

namespace spodnet {

// The steps of prepare_samples, each on data (names, X) with its notes.

/// file_columns and place, before anything but text was left out.
void list_columns(const Table& table, PreparedData& data);

void note_text_columns(const Table& table, std::vector<DataNote>& notes);
/// That the first column was taken for names of rows; a warning where they repeat.
void note_row_names(const Table& table, std::vector<DataNote>& notes);

void refuse_infinite(const PreparedData& data, const std::string& where);
void leave_out_empty_columns(PreparedData& data);
void leave_out_constant_columns(PreparedData& data);
void leave_out_empty_rows(PreparedData& data);
void leave_out_incomplete_rows(PreparedData& data, const std::string& where);

/// Warns of columns that are equal (or opposite) up to a factor and a constant: |R_ij| = 1.
void note_duplicates(PreparedData& data);

/// Refuses a variable whose variance no double holds.
void check_scale(const PreparedData& data, const std::string& where);

/// Keeps the columns of `kept`, in their order.
void keep_columns(PreparedData& data, const std::vector<Eigen::Index>& kept);

}  // namespace spodnet
