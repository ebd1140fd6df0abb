#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/tables/copied_rows.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

constexpr double kFewBlocks = 10;   // clusters: fewer say little of how they vary
constexpr double kFewSamples = 10;  // that levels count as: fewer show no link

void check_weights(const Vector& weight, const std::string& where) {
  for (Eigen::Index i = 0; i < weight.size(); ++i)
    if (weight[i] < 0 || std::isinf(weight[i]))
      throw Error(fmt::format("{}: sample {} has the weight {}: weights are 0 or more", where,
                              i + 1, weight[i]));
}

std::string names_of(const Prepared& data, ColumnKind kind) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.p(); ++j)
    if (data.kinds[j] == kind) names.push_back(data.names[j]);
  return listed(names);
}

std::size_t count_of(const Prepared& data, ColumnKind kind) {
  return std::size_t(std::count(data.kinds.begin(), data.kinds.end(), kind));
}

void note_kinds(Prepared& data) {
  const std::size_t ordered = count_of(data, ColumnKind::ordinal);
  const bool one = ordered == 1;
  data.notes.push_back(
      {false,
       fmt::format("{} {} taken for ordered levels: correlations are those of the Gaussian "
                   "variable{} behind {} (polychoric, tetrachoric where both have two levels{})",
                   names_of(data, ColumnKind::ordinal), one ? "is" : "are", one ? "" : "s",
                   one ? "it" : "them", ordered < data.p() ? ", polyserial with the others" : "")});
}

void note_ranks(Prepared& data) {
  const bool one = count_of(data, ColumnKind::ranks) == 1;
  const std::string what = "normal scores, which go by ranks alone (nonparanormal)";
  data.notes.push_back(
      {false, data.options.kind == TableKind::ranks
                  ? "correlations are those of the columns' " + what
                  : fmt::format("{} {} heavy tails, so that a few extreme rows would decide edges: "
                                "correlations are those of {} {}",
                                names_of(data, ColumnKind::ranks), one ? "has" : "have",
                                one ? "its" : "their", what)});
}

/// Whether 0 is the lowest level of every ordered column: then the others are what was answered.
bool levels_begin_at_zero(const Prepared& data) {
  for (std::size_t j = 0; j < data.p(); ++j) {
    if (data.kinds[j] != ColumnKind::ordinal) continue;
    double low = HUGE_VAL;
    for (const double x : data.X.col(Eigen::Index(j)))
      if (x < low) low = x;  // never of a NaN
    if (low != 0) return false;
  }
  return true;
}

DataNote no_link_note(const Prepared& data) {
  return {true,
          fmt::format("too few {} to estimate any link (effective sample size {:.0f} of {} "
                      "rows)",
                      levels_begin_at_zero(data) ? "non-zero answers"
                                                 : "answers that differ from the most frequent one",
                      data.moments.n, data.X.rows())};
}

bool has_levels(const Prepared& data) {
  return data.moments.information.size() > 0 && !data.kinds.empty() &&
         data.moments.information.minCoeff() < 1;
}

/// Why the effective sample size is smaller than the number of rows; empty: it is not.
std::string loss_text(const Prepared& data, std::size_t blocks) {
  std::vector<std::string> why;
  if (!data.rows.cluster.empty())
    why.push_back(
        fmt::format("rows of a cluster may depend on each other ({} clusters, each "
                    "resampled as a whole)",
                    blocks));
  else if (blocks > 0)
    why.push_back(
        fmt::format("successive rows may depend on each other (blocks of {}, each "
                    "resampled as a whole)",
                    data.rows.block_length));
  if (data.rows.weight.size() > 0) why.push_back("rows have unequal weights");
  if (has_levels(data)) why.push_back("answers come in few steps");
  std::string text;
  for (const std::string& each : why) text += (text.empty() ? "" : " and ") + each;
  return text;
}

/// Answers that are nearly all alike show no link.
bool levels_tell_nothing(const Prepared& data) {
  return has_levels(data) && data.moments.n < kFewSamples &&
         double(data.X.rows()) >= 2 * kFewSamples;
}

/// One number for all that the rows and levels take away.
void note_sample_size(Prepared& data, std::size_t blocks) {
  const std::string why = loss_text(data, blocks);
  if (levels_tell_nothing(data))
    data.notes.push_back(no_link_note(data));
  else if (!why.empty() && std::round(data.moments.n) == double(data.X.rows()))
    data.notes.push_back(
        {false, fmt::format("all {} rows count in full, although {}", data.X.rows(), why)});
  else if (!why.empty())
    data.notes.push_back({false, fmt::format("effective sample size {:.0f} of {} rows, because {}",
                                             data.moments.n, data.X.rows(), why)});
}

/// Resampled blocks show how a graph varies only if there are enough of them.
void warn_of_few_blocks(Prepared& data, std::size_t clusters) {
  const RowFacts& rows = data.rows;
  const double blocks = rows.cluster.empty()
                            ? std::floor(double(data.X.rows()) / double(rows.block_length))
                            : double(clusters);
  if (blocks >= kFewBlocks) return;
  const std::string what = rows.cluster.empty()
                               ? fmt::format("{} rows hold {:.0f} blocks of {} successive ones",
                                             data.X.rows(), blocks, rows.block_length)
                               : fmt::format("there are {:.0f} clusters", blocks);
  data.notes.push_back({true, what + ": fewer than 10 say little of how the graph varies, and "
                                     "shares of their resamples are too large"});
}

}  // namespace

void check_row_facts(Prepared& data, const std::string& where) {
  const RowFacts& rows = data.rows;
  const auto n = data.X.rows();
  const auto fits = [&](Eigen::Index size) { return size == 0 || size == n; };
  if (!fits(rows.weight.size()) || !fits(Eigen::Index(rows.cluster.size())) ||
      !fits(Eigen::Index(rows.group.size())) || !fits(Eigen::Index(rows.person.size())) ||
      !fits(rows.covariates.rows()))
    throw Error(where + ": weights, clusters, groups or covariates are not as many as the rows");
  check_weights(rows.weight, where);
  const std::size_t gone = keep_rows(data, [&](Eigen::Index i) {
    if (rows.weight.size() > 0 && !(rows.weight[i] > 0)) return false;
    return rows.covariates.size() == 0 || rows.covariates.row(i).allFinite();
  });
  if (rows.block_length > 0 && rows.block_length >= std::size_t(data.X.rows()))
    throw Error(fmt::format(
        "{}: blocks of {} successive rows, but there are {} rows: resamples need ten blocks or "
        "more, of at most {} rows here",
        where, rows.block_length, data.X.rows(), std::max<Eigen::Index>(1, data.X.rows() / 10)));
  if (gone > 0)
    data.notes.push_back({true, fmt::format("{} row{} without a weight or a covariate: left out",
                                            gone, gone == 1 ? "" : "s")});
}

void note_copied_rows(Prepared& data) {
  const RowFacts& rows = data.rows;
  if (rows.depend() || rows.weight.size() > 0 || rows.covariates.size() > 0 || !rows.group.empty())
    return;
  auto copied = find_copied_rows(data.X);
  if (!copied) return;
  const std::size_t all = copied->number.size(), copies = all - copied->different;
  if (copied->different < 2) return;
  data.notes.push_back(
      {true,
       fmt::format(
           "{} of {} rows are copies of others: the {} different ones count, and copies are "
           "resampled together; if they are counts, write each row once with its number",
           copies, all, copied->different),
       Advice::weights});
  data.rows.cluster = std::move(copied->number);
}

void adjust_columns(Prepared& data) {
  const Eigen::Index k = data.rows.covariates.cols();
  if (k == 0) return;
  if (data.X.rows() < k + 3)
    throw Error(fmt::format("{} rows are too few to regress {} covariates out", data.X.rows(), k));
  if (data.options.kind == TableKind::ordinal)
    throw Error(
        "levels cannot be adjusted for covariates, which leaves no levels: take them for Gaussian, "
        "or leave the covariates among the variables");
  data.X = adjusted_for(data.X, data.rows.covariates);
  data.options.kind = TableKind::gaussian;
  data.notes.push_back(
      {false, fmt::format("{} covariate{} regressed out of every variable (linearly): the graph is "
                          "that of the residuals, which are taken for Gaussian",
                          k, k == 1 ? " was" : "s were")});
}

void choose_kinds(Prepared& data) {
  const TableKind kind = data.options.kind;
  if (kind == TableKind::gaussian || data.options.ranks) return;
  if (data.options.missing == Missing::em && data.missing > 0) {
    if (kind != TableKind::automatic)
      throw Error("EM is for Gaussian data: levels and ranks go with correlations pair by pair");
    return;
  }
  data.kinds = column_kinds(data.X, kind);
  for (std::size_t j = 0; kind == TableKind::automatic && j < data.p(); ++j)
    if (data.kinds[j] == ColumnKind::ranks && !data.parts.empty())
      data.kinds[j] = ColumnKind::gaussian;  // log-ratios add to 0, which their ranks do not
  if (count_of(data, ColumnKind::gaussian) == data.p()) {
    data.kinds.clear();
    if (kind == TableKind::ordinal)
      data.notes.push_back({true,
                            "no column has 20 or fewer different values: all are taken for "
                            "Gaussian, none for ordered levels"});
    return;
  }
  if (count_of(data, ColumnKind::ordinal) > 0) note_kinds(data);
  if (count_of(data, ColumnKind::ranks) > 0) note_ranks(data);
}

void count_samples(Prepared& data) {
  const RowFacts& rows = data.rows;
  data.moments.n -= double(rows.covariates.cols());
  const auto blocks = row_blocks(rows, std::size_t(data.X.rows()));
  if (!blocks.empty()) {
    const Vector unit = Vector::Ones(data.X.cols());
    const Matrix Y =
        data.kinds.empty() ? data.X : gaussian_scores(data.X, data.kinds, unit, rows.weight);
    data.design_effect = design_effect(Y, blocks);
    data.moments.n /= data.design_effect;
    warn_of_few_blocks(data, blocks.size());
  }
  data.moments.n = std::max(2.0, data.moments.n);
  note_sample_size(data, blocks.size());
}

}  // namespace spodnet
