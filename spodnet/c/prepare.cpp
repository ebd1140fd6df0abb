#include <algorithm>
#include <functional>

#include "spodnet/c/call.hpp"
#include "spodnet/c/handles.hpp"
#include "spodnet/c/options.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/select_columns.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/tables/log_ratio.hpp"

namespace spodnet::c {
namespace {

/// Columns of the table, as the options say.
using ReadColumns = std::function<Table(const TableOptions&)>;

/// The options of a preparation.
struct Asked {
  TableOptions reading;
  PrepareOptions prepare;
  bool covariance = false;
  double samples_count = 0;
  std::string weights, blocks, group, paired;
  std::vector<std::string> adjust, group_names;
  int threads = 0;
};

Choice choice_of(const std::string& text) {
  if (text.empty()) return Choice::automatic;
  if (text != "yes" && text != "no") throw Error("header and row_names are yes or no");
  return text == "yes" ? Choice::yes : Choice::no;
}

char separator_of(const std::string& text) {
  return text == "tab" ? '\t' : text == "space" ? ' ' : text.empty() ? '\0' : text[0];
}

TableOptions reading_of(Options& options) {
  const std::string decimal = options.text("decimal");
  TableOptions reading{.leave_out_text = true,
                       .header = choice_of(options.text("header")),
                       .row_names = choice_of(options.text("row_names")),
                       .separator = separator_of(options.text("sep")),
                       .decimal = decimal.empty() ? '\0' : decimal[0],
                       .missing = options.list("na")};
  for (const std::string& scale : options.list("levels"))
    reading.levels.push_back(level_scale_from(scale));
  reading.columns = options.list("columns");
  reading.exclude = options.list("exclude");
  return reading;
}

Asked asked_of(Options& options) {
  Asked asked;
  asked.reading = reading_of(options);
  PrepareOptions& prepare = asked.prepare;
  prepare.missing = missing_from(options.text("missing", "pairwise"));
  if (const std::string ranks = options.text("robust"); !ranks.empty())
    prepare.ranks = rank_correlation_from(ranks);
  prepare.kind = table_kind_from(options.text("kind", "auto"));
  prepare.composition = composition_from(options.text("transform"));
  if (options.has("pseudo_count"))
    prepare.composition.pseudo_count = options.number("pseudo_count", 0);
  prepare.link_unobserved = options.flag("link_unobserved", false);
  prepare.least_variables = 1;
  const std::string input = options.text("input", "samples");
  if (input != "samples" && input != "covariance")
    throw Error("option 'input' is samples or covariance");
  asked.covariance = input == "covariance";
  asked.samples_count = options.number("samples_count", 0);
  asked.weights = options.text("weights");
  asked.blocks = options.text("blocks");
  asked.group = options.text("group");
  asked.paired = options.text("paired");
  asked.adjust = options.list("adjust");
  asked.group_names = options.list("group_names");
  asked.threads = int(options.count("threads", 0));
  options.refuse_others();
  return asked;
}

std::size_t block_length(const Asked& asked) {
  return std::size_t(to_count(asked.blocks).value_or(0));
}

Matrix columns_of(const std::vector<std::string>& names, const Asked& asked,
                  const ReadColumns& read) {
  TableOptions reading = asked.reading;
  reading.columns = names;
  reading.exclude.clear();
  return read(reading).values;
}

/// Equal values get equal numbers 0, 1, ... in ascending order.
std::vector<std::uint32_t> numbered(const Vector& values, const std::string& what) {
  std::vector<double> different(values.begin(), values.end());
  if (values.hasNaN()) throw Error(what + ": a row has no value: leave it out or fill it in");
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<std::uint32_t> out;
  for (const double value : values)
    out.push_back(std::uint32_t(std::lower_bound(different.begin(), different.end(), value) -
                                different.begin()));
  return out;
}

/// The columns that say something of the rows, each with what it is.
std::vector<std::pair<std::string, std::string>> roles_of(const Asked& asked) {
  std::vector<std::pair<std::string, std::string>> roles;
  const auto add = [&](const std::string& column, const char* role) {
    if (!column.empty()) roles.emplace_back(column, role);
  };
  for (const std::string& column : asked.adjust) add(column, "a covariate");
  add(asked.weights, "the column of weights");
  if (block_length(asked) == 0) add(asked.blocks, "the column of clusters");
  add(asked.group, "the grouping column");
  add(asked.paired, "the column of persons");
  return roles;
}

RowFacts facts_of(const Asked& asked, const ReadColumns& read) {
  RowFacts facts;
  if (!asked.weights.empty()) facts.weight = columns_of({asked.weights}, asked, read).col(0);
  if (!asked.adjust.empty()) facts.covariates = columns_of(asked.adjust, asked, read);
  facts.block_length = block_length(asked);
  if (!asked.blocks.empty() && facts.block_length == 0)
    facts.cluster = numbered(columns_of({asked.blocks}, asked, read).col(0), asked.blocks);
  if (!asked.group.empty())
    facts.group = numbered(columns_of({asked.group}, asked, read).col(0), asked.group);
  if (!asked.paired.empty())
    facts.person = numbered(columns_of({asked.paired}, asked, read).col(0), asked.paired);
  facts.columns = roles_of(asked);
  return facts;
}

std::vector<std::string> group_names(const Asked& asked, const RowFacts& facts) {
  std::size_t count = 0;
  for (const std::uint32_t group : facts.group) count = std::max(count, std::size_t(group) + 1);
  if (asked.group_names.size() == count) return asked.group_names;
  if (!asked.group_names.empty())
    throw Error("group_names: " + std::to_string(asked.group_names.size()) + " names for " +
                std::to_string(count) + " groups");
  std::vector<std::string> names;
  for (std::size_t g = 1; g <= count; ++g) names.push_back(std::to_string(g));
  return names;
}

std::unique_ptr<spod_data> prepared(Asked asked, const ReadColumns& read,
                                    const std::string& title) {
  auto data = std::make_unique<spod_data>();
  data->title = title;
  if (asked.covariance) {
    asked.prepare.covariance_of = asked.samples_count;
    data->prepared = prepare(read(asked.reading), asked.prepare, title);
    return data;
  }
  if (asked.samples_count > 0)
    throw Error("samples_count goes with input covariance: samples are counted in the table");
  asked.prepare.rows = facts_of(asked, read);
  data->groups = group_names(asked, asked.prepare.rows);
  for (const auto& [column, role] : asked.prepare.rows.columns)
    asked.reading.exclude.push_back(column);  // no variables
  data->prepared = prepare_samples(read(asked.reading), asked.prepare, title);
  return data;
}

int make_data(const char* where, const char* text, spod_watch watch, void* user,
              const std::string& title, const ReadColumns& read, spod_data** out) {
  return guarded(where, [&] {
    if (!out) throw Error(std::string(where) + ": a place for the data is needed");
    Options options(text, where);
    Asked asked = asked_of(options);
    std::unique_ptr<spod_data> data;
    watched(watch, user, asked.threads, [&](const RunContext& run) {
      asked.prepare.pool = &run.pool;
      data = prepared(asked, read, title);
    });
    data->prepared.options.pool = nullptr;  // it is gone
    *out = data.release();
    return SPOD_OK;
  });
}

}  // namespace
}  // namespace spodnet::c

using namespace spodnet;

extern "C" {

int spod_prepare(const double* values, size_t rows, size_t columns, const char* const* names,
                 const char* options, spod_watch watch, void* user, spod_data** data) {
  const auto read = [&](const TableOptions& reading) {
    if (!values || rows == 0 || columns == 0) throw Error("spod_prepare: there are no values");
    Table table;
    if (names) table.columns.assign(names, names + columns);
    table.values =
        Eigen::Map<const Eigen::MatrixXd>(values, Eigen::Index(rows), Eigen::Index(columns));
    select_columns(table, reading, "data");
    return table;
  };
  return c::make_data("spod_prepare", options, watch, user, "data", read, data);
}

int spod_read(const char* file, const char* options, spod_watch watch, void* user,
              spod_data** data) {
  const std::string path = file ? file : "";
  const auto read = [&](const TableOptions& reading) { return read_table(path, reading); };
  return c::make_data("spod_read", options, watch, user, path, read, data);
}

int spod_parse(const char* text, size_t bytes, const char* name, const char* options,
               spod_watch watch, void* user, spod_data** data) {
  const std::string title = name ? name : "table";
  const auto read = [&](const TableOptions& reading) {
    return parse_table({text ? text : "", text ? bytes : 0}, title, reading);
  };
  return c::make_data("spod_parse", options, watch, user, title, read, data);
}

}  // extern "C"
