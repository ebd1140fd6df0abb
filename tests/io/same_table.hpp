#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "spodnet/io/csv.hpp"

namespace spodnet::test {

inline Table parse_text(const std::string& text, const CsvOptions& options = {}) {
  return parse_csv(std::as_bytes(std::span(text)), "dir/table.csv", options);
}

/// Bit for bit, any NaN being equal to any NaN.
inline bool same_values(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const double x = a.data()[k], y = b.data()[k];
    const bool same = std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    if (!same && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

inline void expect_same(const Table& a, const Table& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_TRUE(same_values(a.values, b.values)) << a.values << "\n\n" << b.values;
}

}  // namespace spodnet::test
