#include "spodnet/tables/log_ratio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/select_columns.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

using Parts = std::vector<Eigen::Index>;

/// Places in the file of the columns that were named, or of all.
std::vector<std::size_t> places_asked(const Prepared& data, const std::string& where) {
  Table places;
  places.columns = data.file_columns;
  places.values = Vector::LinSpaced(Eigen::Index(data.file_columns.size()), 0,
                                    double(data.file_columns.size()) - 1)
                      .transpose();
  select_columns(places, {.columns = data.options.composition.columns}, where);
  return {places.values.data(), places.values.data() + places.values.size()};
}

/// The columns of X that are parts; notes their places.
Parts find_parts(Prepared& data, const std::string& where) {
  const bool all = data.options.composition.columns.empty();
  Parts parts;
  for (const std::size_t place : all ? data.place : places_asked(data, where)) {
    const auto found = std::find(data.place.begin(), data.place.end(), place);
    if (found == data.place.end())
      throw Error(fmt::format("{}: {} is no column of numbers: it cannot be a part", where,
                              shown(data.file_columns[place])));
    parts.push_back(found - data.place.begin());
    data.parts.push_back(place);
  }
  if (parts.size() < 2)
    throw Error(where + ": log-ratios need two parts or more: name the columns of the whole");
  return parts;
}

void refuse_negative(const Prepared& data, const Parts& parts, const std::string& where) {
  for (Eigen::Index i = 0; i < data.X.rows(); ++i)
    for (const Eigen::Index j : parts)
      if (data.X(i, j) < 0)
        throw Error(
            fmt::format("{}: sample {}, variable {}: is {:g}, and parts of a whole are 0 or more; "
                        "if it is no part, name the columns that are",
                        where, i + 1, shown(data.names[std::size_t(j)]), data.X(i, j)));
}

/// Leaves out the parts without a value above 0; returns the others.
Parts without_empty_parts(Prepared& data, const Parts& parts) {
  std::vector<bool> gone(data.p(), false);
  std::vector<std::string> names;
  for (const Eigen::Index j : parts)
    if (!(data.X.col(j).array() > 0).any()) {
      gone[std::size_t(j)] = true;
      names.push_back(data.names[std::size_t(j)]);
    }
  if (names.empty()) return parts;
  Parts kept, left;
  for (std::size_t j = 0; j < gone.size(); ++j)
    if (!gone[j]) kept.push_back(Eigen::Index(j));
  keep_columns(data, kept);
  for (std::size_t j = 0; j < data.p(); ++j)
    if (std::binary_search(data.parts.begin(), data.parts.end(), data.place[j]))
      left.push_back(Eigen::Index(j));
  data.notes.push_back({true, fmt::format("{} {} 0 in every row: left out", listed(names),
                                          names.size() == 1 ? "is" : "are")});
  return left;
}

/// Rows of zeros say nothing of ratios.
void empty_zero_rows(Prepared& data, const Parts& parts) {
  std::size_t rows = 0;
  for (Eigen::Index i = 0; i < data.X.rows(); ++i) {
    if ((data.X.row(i)(parts).array() > 0).any()) continue;
    for (const Eigen::Index j : parts) data.X(i, j) = std::numeric_limits<double>::quiet_NaN();
    ++rows;
  }
  if (rows > 0)
    data.notes.push_back(
        {true, fmt::format("{} row{} 0 in every part: nothing is known of {} "
                           "ratios",
                           rows, rows == 1 ? " is" : "s are", rows == 1 ? "its" : "their")});
}

/// Zeros among the parts, what is added to them, and why.
struct PseudoCount {
  double zeros = 0, value = 0;
  const char* why = "";
};

PseudoCount pseudo_count(const Prepared& data, const Parts& parts) {
  const Matrix x = data.X(Eigen::all, parts);
  PseudoCount out;
  bool whole = true;
  double least = HUGE_VAL;
  for (const double value : x.reshaped()) {
    if (std::isnan(value)) continue;
    out.zeros += value == 0;
    whole = whole && value == std::floor(value);
    if (value > 0) least = std::min(least, value);
  }
  out.zeros /= double(x.size());
  if (data.options.composition.pseudo_count) {
    out.value = *data.options.composition.pseudo_count;
    out.why = "as asked";
  } else if (out.zeros > 0) {
    out.value = whole ? 1 : least / 2;
    out.why = whole ? "one count" : "half of the smallest value above 0";
  }
  return out;
}

double variance_of(const Eigen::Ref<const Vector>& x) {
  double count = 0, sum = 0, squares = 0;
  for (const double value : x)
    if (!std::isnan(value)) ++count, sum += value;
  for (const double value : x)
    if (!std::isnan(value)) squares += std::pow(value - sum / count, 2);
  return count > 0 ? squares / count : 0;
}

/// A size for each row, of variance 1: normal numbers that are, where rows suffice, exactly without
/// correlation with every column, so that the covariance depends neither on the draw nor on the
/// order of the rows.
Vector draw_sizes(const Matrix& X) {
  RandomStream random(0);
  Vector size(X.rows());
  for (double& each : size) each = random.normal();
  if (X.rows() < 2 * X.cols() || X.hasNaN()) return size;
  Matrix Q = X.rowwise() - X.colwise().mean();
  size.array() -= size.mean();
  for (Eigen::Index j = 0; j < Q.cols(); ++j) {  // Gram-Schmidt, twice for rounding
    const double before = Q.col(j).norm();
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index k = 0; k < j; ++k) Q.col(j) -= Q.col(k).dot(Q.col(j)) * Q.col(k);
    const double left = Q.col(j).norm();
    Q.col(j) *= left > 1e-9 * before ? 1 / left : 0;
    size -= Q.col(j).dot(size) * Q.col(j);
  }
  return size * (std::sqrt(double(size.size())) / size.norm());
}

/// Log-ratios add to 0, and every method that shrinks little would take that for links. The mean
/// logarithm that was removed is therefore put back as if parts were unrelated: with variance
/// (sum of the log-ratios' variances) / (p (p - 1)).
void put_back_a_size(Prepared& data, const Parts& parts) {
  double sum = 0;
  for (const Eigen::Index j : parts) sum += variance_of(data.X.col(j));
  const double p = double(parts.size()), deviation = std::sqrt(sum / (p * (p - 1)));
  const Vector size = draw_sizes(data.X);
  for (const Eigen::Index j : parts) data.X.col(j) += deviation * size;
}

void note_log_ratios(Prepared& data, std::size_t parts, const PseudoCount& pseudo) {
  const std::string added =
      pseudo.value > 0 ? fmt::format(", after {:.3g} was added to each ({}; {:.1f} % are 0)",
                                     pseudo.value, pseudo.why, 100 * pseudo.zeros)
                       : "";
  data.notes.push_back(
      {false, fmt::format("{} columns are parts of a whole: each is the logarithm of a part over "
                          "the geometric mean of its row's parts (centred log-ratio){}; the size "
                          "of each row's whole, which parts do not show, was drawn at random and "
                          "added to them",
                          parts, added)});
}

}  // namespace

Composition composition_from(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (text.substr(0, colon) != "clr")
    throw Error("transform " + shown(text) + ": it is clr, or clr:COLUMNS with commas");
  Composition out{.log_ratios = true};
  for (std::size_t first = colon + 1; first <= text.size();) {
    const std::size_t last = std::min(text.find(',', first), text.size());
    if (last > first) out.columns.push_back(text.substr(first, last - first));
    first = last + 1;
  }
  if (colon < text.size() && out.columns.empty())
    throw Error("transform " + shown(text) + ": names no column behind the colon");
  return out;
}

void take_log_ratios(Prepared& data, const std::string& where) {
  const Composition& composition = data.options.composition;
  if (!composition.log_ratios) return;
  if (composition.pseudo_count && !(*composition.pseudo_count >= 0))
    throw Error(where + ": a pseudo-count is a number of at least 0");
  Parts parts = find_parts(data, where);
  refuse_negative(data, parts, where);
  parts = without_empty_parts(data, parts);
  empty_zero_rows(data, parts);
  const PseudoCount pseudo = pseudo_count(data, parts);
  if (pseudo.zeros > 0 && !(pseudo.value > 0))
    throw Error(where + ": some parts are 0, whose logarithm is no number: add a pseudo-count");
  for (Eigen::Index i = 0; i < data.X.rows(); ++i) {
    double sum = 0, count = 0;
    for (const Eigen::Index j : parts) {
      double& x = data.X(i, j);
      x = std::log(x + pseudo.value);
      if (!std::isnan(x)) sum += x, ++count;
    }
    for (const Eigen::Index j : parts) data.X(i, j) -= sum / std::max(count, 1.0);
  }
  put_back_a_size(data, parts);
  note_log_ratios(data, parts.size(), pseudo);
}

}  // namespace spodnet
