#include "spodnet/tables/missing_codes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace spodnet {
namespace {

constexpr std::size_t kFewLevels = 12;
constexpr double kLargestCode = 99999;

/// 9, 8, 7, alone or repeated (77, 999), or nines that end in 8 or 7 (98, 997); -1.
bool is_code(double value) {
  if (value == -1) return true;
  const double size = std::abs(value);
  if (size != std::floor(size) || size < 7 || size > kLargestCode) return false;
  const std::string digits = std::to_string(int(size));
  const char last = digits.back(), first = digits.front();
  if (last < '7' || (first != last && first != '9')) return false;
  return std::all_of(digits.begin(), digits.end() - 1, [&](char each) { return each == first; });
}

/// The values of a column but one.
struct Others {
  double low = INFINITY, high = -INFINITY;
  std::set<double> few;  ///< no more than kFewLevels + 1 of them

  bool consecutive() const {
    const double count = double(few.size());
    return few.size() >= 2 && few.size() <= kFewLevels && high - low == count - 1 &&
           std::all_of(few.begin(), few.end(), [](double x) { return x == std::floor(x); });
  }
};

Others without(const Eigen::Ref<const Vector>& column, double value) {
  Others out;
  for (const double x : column) {
    if (std::isnan(x) || x == value) continue;
    out.low = std::min(out.low, x), out.high = std::max(out.high, x);
    if (out.few.size() <= kFewLevels) out.few.insert(x);
  }
  return out;
}

bool is_away(double value, std::size_t count, const Others& others) {
  const double gap = std::max(others.low - value, value - others.high);
  if (others.consecutive()) return gap >= 2 && (count >= 2 || std::abs(value) >= 10);
  return others.few.size() >= 2 && value != -1 && count >= 2 &&
         gap > 0.5 * (others.high - others.low);
}

}  // namespace

std::optional<MissingCode> find_missing_code(const Eigen::Ref<const Vector>& column) {
  const Others all = without(column, NAN);
  std::optional<MissingCode> found;
  for (const double value : {all.low, all.high}) {
    if (!is_code(value)) continue;
    const auto count = std::size_t(std::count(column.begin(), column.end(), value));
    const Others others = without(column, value);
    if (!is_away(value, count, others)) continue;
    if (!found || std::abs(value) > std::abs(found->value))
      found = MissingCode{value, count, others.low, others.high};
  }
  return found;
}

}  // namespace spodnet
