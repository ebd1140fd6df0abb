#include "spodnet/tables/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/log_ratio.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

constexpr double kManyRowsOfAPair = 10;
constexpr std::size_t kManyColumns = 50;
constexpr double kWide = 10;           // times as many columns as rows
constexpr double kMuchRepair = 0.05;   // of a correlation: more may decide an edge
constexpr double kFewRowsOfAPair = 3;  // behind a correlation: below, it is +1 or -1

void check_size(const Prepared& data, const std::string& where) {
  if (data.X.rows() < 2)
    throw Error(fmt::format("{}: has {} sample{}, one per row: at least 2 are needed", where,
                            data.X.rows(), data.X.rows() == 1 ? "" : "s"));
  const std::size_t least = data.options.least_variables;
  if (data.p() >= least) return;
  std::string notes;
  for (const DataNote& note : data.notes) notes += "; " + note.text;
  throw Error(fmt::format("{}: {} variable{} left{}{}", where, data.p(),
                          data.p() == 1 ? " is" : "s are",
                          least > 1 ? ", a graph needs at least two" : "", notes));
}

/// Many more columns than rows: samples may stand in columns.
void note_shape(Prepared& data) {
  if (data.p() < kManyColumns || double(data.p()) < kWide * double(data.X.rows())) return;
  data.notes.push_back(
      {true,
       fmt::format("{} rows and {} columns: rows are taken for samples and columns "
                   "for variables; if it is the other way round, say so",
                   data.X.rows(), data.p()),
       Advice::transpose});
}

/// Rows that a correlation needs: fewer say nothing of the pair.
double enough_rows(const Prepared& data) {
  return std::clamp(std::floor(double(data.X.rows()) / 2), kFewRowsOfAPair, kManyRowsOfAPair);
}

/// The pairs that are hardly ever observed together get no edge, and are named.
void note_apart(Prepared& data, const Matrix& counts) {
  const double enough = enough_rows(data);
  std::vector<std::string> named;
  for (std::size_t i = 0; i < data.p(); ++i)
    for (std::size_t j = i + 1; j < data.p(); ++j) {
      if (counts(Eigen::Index(i), Eigen::Index(j)) >= enough) continue;
      data.apart.emplace_back(i, j);
      named.push_back(data.names[i] + " - " + data.names[j]);
    }
  if (named.empty()) return;
  const bool one = named.size() == 1;
  data.notes.push_back(
      {true, fmt::format("{} {} observed together in fewer than {:.0f} rows: nothing is known of "
                         "a link between them{}",
                         listed(named), one ? "is" : "are", enough,
                         data.options.link_unobserved ? ", and yet they may get an edge, as asked"
                         : one                        ? ", so it gets no edge"
                                                      : ", so they get no edge")});
  if (data.options.link_unobserved) data.apart.clear();
}

void note_missing(Prepared& data) {
  std::size_t rows = 0;
  for (Eigen::Index i = 0; i < data.X.rows(); ++i) {
    const auto gone = std::size_t(data.X.row(i).array().isNaN().count());
    data.missing += gone;
    rows += gone > 0;
  }
  if (data.missing == 0) return;
  const Matrix counts = pairwise_correlation(data.X).counts;
  const double p = double(data.p());
  const std::string how =
      data.options.missing == Missing::em
          ? fmt::format(
                "mean and covariance by EM for Gaussian data, counted as {:.0f} samples, "
                "the values a variable has on average",
                counts.diagonal().mean())
          : fmt::format("each correlation from the rows that have both values, {:.0f} on average",
                        (counts.sum() - counts.diagonal().sum()) / (p * (p - 1)));
  data.notes.push_back(
      {false,
       fmt::format("{} of {} values are missing ({:.1f} %), in {} of {} rows: {}", data.missing,
                   data.X.size(), 100 * double(data.missing) / double(data.X.size()), rows,
                   data.X.rows(), how)});
  note_apart(data, counts);
}

void note_moments(Prepared& data) {
  const Moments& m = data.moments;
  if (data.options.ranks)
    data.notes.push_back({false, *data.options.ranks == RankCorrelation::spearman
                                     ? "correlations from ranks: 2 sin(pi/6 rho) of Spearman's rho"
                                     : "correlations from ranks: sin(pi/2 tau) of Kendall's tau"});
  if (m.repair.needed && m.repair.change >= kMuchRepair)
    data.notes.push_back({true, fmt::format("pairwise correlations contradict each other; some "
                                            "were changed by up to {:.2g}, which can create or "
                                            "remove edges",
                                            m.repair.change)});
  else if (m.repair.needed)
    data.notes.push_back({false, fmt::format("pairwise correlations contradict each other "
                                             "slightly; none was changed by more than {:.1g}",
                                             m.repair.change)});
  if (m.iterations > 0 && m.converged)
    data.notes.push_back({false, fmt::format("EM converged in {} iterations", m.iterations)});
  if (!m.converged)
    data.notes.push_back({true,
                          fmt::format("EM was stopped after {} iterations: much is missing, "
                                      "compare with correlations pair by pair",
                                      m.iterations),
                          Advice::pairwise});
}

}  // namespace

std::optional<Constraints> constraints_for(const Prepared& data, const Constraints* given) {
  if (!given && data.apart.empty()) return std::nullopt;
  Constraints out = given ? *given : Constraints(data.p());
  for (const auto& [i, j] : data.apart) out.narrow(i, j, PairRule::zero);
  return out;
}

std::vector<std::string> unique_names(const std::vector<std::string>& given, std::size_t p,
                                      std::vector<DataNote>& notes) {
  std::vector<std::string> names(p), repeated;
  std::set<std::string> taken(given.begin(), given.end()), used;
  for (std::size_t j = 0; j < p; ++j) {
    std::string name = j < given.size() ? given[j] : "";
    if (name.empty()) name = fmt::format("x{}", j + 1);
    if (used.contains(name)) {
      repeated.push_back(name);
      for (int k = 2;; ++k) {
        const std::string numbered = fmt::format("{} ({})", name, k);
        if (taken.contains(numbered) || used.contains(numbered)) continue;
        name = numbered;
        break;
      }
    }
    used.insert(name);
    names[j] = std::move(name);
  }
  if (!repeated.empty())
    notes.push_back(
        {true, fmt::format("the name{} {} stand{} above several columns: the later ones "
                           "are numbered (2), (3), ...",
                           repeated.size() == 1 ? "" : "s", listed(repeated),
                           repeated.size() == 1 ? "s" : "")});
  return names;
}

Prepared prepare_samples(Table table, const PrepareOptions& options, const std::string& where) {
  Prepared data;
  data.options = options;
  data.rows = std::move(data.options.rows);
  data.options.rows = {};
  data.named = !table.columns.empty();
  data.names = unique_names(table.columns, std::size_t(table.values.cols()), data.notes);
  data.X = std::move(table.values);
  list_columns(table, data);
  for (const std::string& remark : table.remarks) data.notes.push_back({false, remark});
  note_row_names(table, data.notes);
  note_text_columns(table, data.rows, data.notes);
  refuse_infinite(data, where);
  check_row_facts(data, where);
  take_log_ratios(data, where);
  leave_out_empty_columns(data);
  leave_out_constant_columns(data);
  leave_out_empty_rows(data);
  if (options.missing == Missing::drop && data.X.hasNaN()) leave_out_incomplete_rows(data, where);
  leave_out_constant_columns(data);
  check_size(data, where);
  if (options.diagnose) {
    note_shape(data);
    note_missing_codes(data);
  }
  adjust_columns(data);
  leave_out_constant_columns(data);
  if (!options.keep_dependent) leave_out_dependent_columns(data);
  check_size(data, where);
  if (options.diagnose) note_copied_rows(data);  // a column that stands twice says nothing of them
  note_missing(data);
  choose_kinds(data);
  MomentsOptions how = data.moments_options();
  how.pool = options.pool;
  data.moments = moments(data.X, how, data.rows.weight);
  check_scale(data, where);
  count_samples(data);
  note_moments(data);
  if (!options.diagnose) return data;
  note_near_dependences(data);
  note_empty_corners(data);
  for (DataNote& note : diagnose(data.X, data.names, options.ranks.has_value(), data.kinds))
    data.notes.push_back(std::move(note));
  return data;
}

Prepared prepare(Table table, const PrepareOptions& options, const std::string& where) {
  return options.covariance_of ? prepare_covariance(std::move(table), *options.covariance_of, where,
                                                    options.least_variables, options.keep_dependent)
                               : prepare_samples(std::move(table), options, where);
}

}  // namespace spodnet
