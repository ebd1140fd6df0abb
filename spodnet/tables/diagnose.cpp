#include "spodnet/tables/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "spodnet/core/stop.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kFewValues = 10;
constexpr double kSmallCount = 10;        // a Poisson variable of larger mean is nearly Gaussian
constexpr double kHeavyTails = 2;         // excess kurtosis; Student's t with 7 degrees of freedom
constexpr double kAutocorrelation = 0.3;  // of all columns on average
constexpr double kDrift = 0.5;            // of one of them

/// The column's distinct values (no more than matter) and what they have in common.
struct ValueKinds {
  std::set<double> distinct;
  bool counts = true;  ///< integers >= 0
  double mean = 0;
};

ValueKinds kinds_of(const Eigen::Ref<const Vector>& column) {
  ValueKinds kinds;
  double count = 0;
  for (const double x : column) {
    if (std::isnan(x)) continue;
    if (kinds.distinct.size() <= kFewValues) kinds.distinct.insert(x);
    kinds.counts = kinds.counts && x >= 0 && x == std::floor(x);
    kinds.mean += x;
    ++count;
  }
  kinds.mean /= std::max(count, 1.0);
  return kinds;
}

bool counts_rows(const Eigen::Ref<const Vector>& column) {
  for (Eigen::Index i = 1; i < column.size(); ++i)
    if (column[i] - column[i - 1] != 1) return false;
  return column.size() > 2;
}

/// Names of the columns that a Gaussian model fits badly, each in one list.
struct OddColumns {
  std::vector<std::string> binary, counts, heavy, row_numbers;
};

OddColumns odd_columns(const MatrixRef& X, const std::vector<std::string>& names,
                       const std::vector<ColumnKind>& kinds) {
  OddColumns odd;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    leave_if_stopped();
    const Vector column = X.col(j);
    const std::string& name = names[std::size_t(j)];
    if (!kinds.empty() && kinds[std::size_t(j)] != ColumnKind::gaussian) continue;
    const ValueKinds values = kinds_of(column);
    if (values.distinct.size() == 2)
      odd.binary.push_back(name);
    else if (counts_rows(column))
      odd.row_numbers.push_back(name);
    else if (values.counts && (values.distinct.size() <= kFewValues || values.mean < kSmallCount))
      odd.counts.push_back(name);
    else if (has_heavy_tails(column))
      odd.heavy.push_back(name);
  }
  return odd;
}

/// A correlation with the row before that chance does not give to one of some hundred columns.
double least_drift(Eigen::Index rows) { return std::max(kDrift, 4.5 / std::sqrt(double(rows))); }

/// Those that drift although the others do not; a column that counts the rows is named elsewhere.
std::vector<std::string> drifting_columns(const MatrixRef& X,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> out;
  const Vector r = lag_one_autocorrelations(X);
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    if (r[j] > least_drift(X.rows()) && !counts_rows(X.col(j)))
      out.push_back(names[std::size_t(j)]);
  return out;
}

void warn(std::vector<DataNote>& notes, const std::vector<std::string>& columns,
          const std::string& one, const std::string& many, const std::string& meaning,
          Advice advice = Advice::none) {
  if (columns.empty()) return;
  notes.push_back({true, listed(columns) + (columns.size() == 1 ? one : many) + meaning, advice});
}

}  // namespace

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  const std::size_t count = names.size() <= most + 1 ? names.size() : most;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) text += k + 1 == names.size() ? " and " : ", ";
    text += shown(names[k]);
  }
  if (count < names.size()) text += fmt::format(" and {} more", names.size() - count);
  return text;
}

double excess_kurtosis(const Eigen::Ref<const Vector>& values) {
  double count = 0, mean = 0, second = 0, fourth = 0;
  for (const double x : values)
    if (!std::isnan(x)) ++count, mean += x;
  mean /= std::max(count, 1.0);
  for (const double x : values) {
    if (std::isnan(x)) continue;
    const double square = (x - mean) * (x - mean);
    second += square;
    fourth += square * square;
  }
  return second > 0 ? count * fourth / (second * second) - 3 : 0;
}

bool has_heavy_tails(const Eigen::Ref<const Vector>& column, double errors) {
  const double chance = errors * std::sqrt(24 / double(column.size()));
  return excess_kurtosis(column) > std::max(kHeavyTails, chance);
}

Vector lag_one_autocorrelations(const MatrixRef& X) {
  Vector out = Vector::Constant(X.cols(), std::numeric_limits<double>::quiet_NaN());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    double mean = 0, count = 0, variance = 0, products = 0, pairs = 0;
    for (const double x : X.col(j))
      if (!std::isnan(x)) mean += x, ++count;
    mean /= std::max(count, 1.0);
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      if (std::isnan(X(i, j))) continue;
      variance += (X(i, j) - mean) * (X(i, j) - mean);
      if (i == 0 || std::isnan(X(i - 1, j))) continue;
      products += (X(i, j) - mean) * (X(i - 1, j) - mean);
      ++pairs;
    }
    if (variance > 0 && pairs > 0) out[j] = products / pairs / (variance / count);
  }
  return out;
}

double lag_one_autocorrelation(const MatrixRef& X) {
  double sum = 0, columns = 0;
  for (const double r : lag_one_autocorrelations(X))
    if (!std::isnan(r)) sum += r, ++columns;
  return columns > 0 ? sum / columns : 0;
}

std::vector<DataNote> diagnose(const MatrixRef& X, const std::vector<std::string>& names,
                               bool ranks, const std::vector<ColumnKind>& kinds) {
  std::vector<DataNote> notes;
  const OddColumns odd = odd_columns(X, names, kinds);
  warn(notes, odd.row_numbers, " counts the rows", " count the rows",
       ": leave it out unless time or order is meant as a variable");
  warn(notes, odd.binary, " has only two values", " have only two values",
       ": the Gaussian model fits them roughly; edges between them are hints, their strengths are "
       "too small");
  warn(notes, odd.counts, " looks like small counts", " look like small counts",
       std::string(": the Gaussian model fits them roughly; think of a square root or logarithm") +
           (ranks ? "" : ", or of correlations from ranks"),
       ranks ? Advice::none : Advice::ranks);
  if (!ranks)
    warn(notes, odd.heavy, " has heavy tails", " have heavy tails",
         ": a few extreme rows may decide edges; compare with correlations from ranks",
         Advice::ranks);
  const double autocorrelation = lag_one_autocorrelation(X);
  if (autocorrelation > std::max(kAutocorrelation, 3 / std::sqrt(double(X.rows()))))
    notes.push_back(
        {true,
         fmt::format("successive rows resemble each other (correlation {:.2f} on average): in "
                     "a time series there are fewer independent samples than rows, and "
                     "confidence is overstated; if the rows are sorted by groups, edges mix "
                     "differences between groups with those within",
                     autocorrelation)});
  else
    warn(notes, drifting_columns(X, names), " drifts from row to row", " drift from row to row",
         fmt::format(" (correlation of at least {:.2f} with the row before): time or an order of "
                     "the rows stands behind it; leave it out, or take its changes",
                     least_drift(X.rows())));
  return notes;
}

}  // namespace spodnet
