// Held-out Gaussian log-likelihood on real tables, every cell of every table.
//   real_tables OUT.csv METHOD[;METHOD...] SPLITS SEED [kind=KIND] TABLE...
// Each split holds half of the rows out and trains on the first n of the others, n = p/2, p, 2p, 4p
// and all of them; columns are standardised by the training rows (a column constant there by the
// whole half). The score is (log det Theta - tr(S_test Theta)) / 2 per row and variable. OUT.csv
// gets one line per cell and method; it prints a Markdown table, and how often each method is best.
// With kind=auto, ordinal, ranks or gaussian the training rows are prepared as `spodnet estimate`
// prepares a table whose columns are of that kind; the score stays that of the numbers.
// A model that is not shipped yet stands in the place of `tables` as
// `tables:file=PATH,sparsity=1.25`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program.hpp"
#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/effective_samples.hpp"
#include "spodnet/estimators/held_out.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/model_method.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet::experiments {
namespace {

/// A model file in the place of the form `tables`.
class TablesMethod final : public Method {
 public:
  TablesMethod(const std::string& path, double sparsity)
      : model_(std::make_unique<ModelMethod>("tables", load_model(path, builtin_models()),
                                             EngineOptions{}, ModelUse{.canonical_signs = true})) {
    model_->scale_thresholds(sparsity);
  }
  std::string name() const override { return "pretrained"; }
  Estimate estimate(const Problem& problem) const override {
    Problem told = problem;
    told.n = effective_samples(told);
    return model_->estimate(told);
  }

 private:
  std::unique_ptr<Method> model_;
};

MethodRegistry methods_and_tables() {
  MethodRegistry methods = builtin_methods();
  methods.add("tables", [](const MethodSpec& spec) -> std::unique_ptr<Method> {
    Settings read(spec);
    const std::string path = read.text("file", "");
    const double sparsity = read.number("sparsity", 1.25);
    read.done();
    return std::make_unique<TablesMethod>(path, sparsity);
  });
  return methods;
}

struct Cell {
  std::string table;
  std::size_t p = 0, n = 0;
  std::vector<double> mean, sd, edges;  ///< of each method
};

std::vector<std::size_t> training_sizes(std::size_t p, std::size_t half) {
  std::vector<std::size_t> sizes;
  for (const std::size_t n : {p / 2, p, 2 * p, 4 * p, half})
    if (n >= 4 && n <= half && std::find(sizes.begin(), sizes.end(), n) == sizes.end())
      sizes.push_back(n);
  return sizes;
}

/// The share of rows that have the column's most frequent value.
double largest_share(const Vector& column) {
  std::map<double, int> counts;
  int most = 0;
  for (const double x : column) most = std::max(most, ++counts[x]);
  return double(most) / double(column.size());
}

/// Complete rows, and the columns that vary: no value is taken by more than nine rows in ten.
Matrix usable(const Matrix& values) {
  std::vector<Eigen::Index> rows, columns;
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    if (values.row(i).allFinite()) rows.push_back(i);
  const Matrix complete = values(rows, Eigen::all);
  for (Eigen::Index j = 0; j < complete.cols(); ++j)
    if (largest_share(complete.col(j)) <= 0.9) columns.push_back(j);
  return complete(Eigen::all, columns);
}

/// The diagonal of S inverted where a method refuses the data (a fold with a constant column).
Matrix estimate_or_diagonal(const Method& method, const Problem& problem) {
  try {
    return method.estimate(problem).Theta;
  } catch (const Error&) {
    return Matrix(problem.S.diagonal().cwiseInverse().asDiagonal());
  }
}

using Methods = std::vector<std::unique_ptr<Method>>;

/// Theta of these rows in the units of `part`, prepared as `spodnet estimate` would: `pretrained`
/// in the data's units, others standardised; columns left out are unrelated to the rest.
Matrix prepared_estimate(const Method& method, const Matrix& rows, TableKind kind,
                         const TrainingPart& part) {
  const Prepared data = prepare_samples({{}, {}, rows}, {.kind = kind}, "rows");
  const bool standardize = method.name() != "pretrained";
  const WorkingData working = working_data(data, standardize, {});
  Estimate estimate = method.estimate(problem_of(working, working.all));
  if (standardize) to_data_units(estimate, working.scale);
  Matrix Theta = part.scale.cwiseAbs2().cwiseInverse().asDiagonal();
  for (std::size_t i = 0; i < data.p(); ++i)
    for (std::size_t j = 0; j < data.p(); ++j)
      Theta(Eigen::Index(data.place[i]), Eigen::Index(data.place[j])) =
          estimate.Theta(Eigen::Index(i), Eigen::Index(j));
  return part.scale.asDiagonal() * Theta * part.scale.asDiagonal();
}

/// The scores of one split.
std::vector<double> score_split(const Matrix& X, std::size_t n, std::uint64_t seed,
                                std::uint64_t split, const Methods& methods,
                                std::optional<TableKind> kind, std::vector<double>& edges) {
  std::vector<std::uint32_t> order(std::size_t(X.rows()));
  std::iota(order.begin(), order.end(), 0u);
  RandomStream random(seed, split);
  random.shuffle(order);
  const std::size_t half = order.size() / 2;
  const std::vector<std::uint32_t> first(order.begin(), order.begin() + std::ptrdiff_t(half));
  const std::vector<std::uint32_t> few(order.begin(), order.begin() + std::ptrdiff_t(n));
  const std::vector<std::uint32_t> rest(order.begin() + std::ptrdiff_t(half), order.end());
  const Matrix whole = X(first, Eigen::all);
  Vector fallback =
      (whole.rowwise() - whole.colwise().mean()).colwise().norm() / std::sqrt(double(half));
  fallback = (fallback.array() > 0).select(fallback, 1.0);
  const TrainingPart part = centred_part(X(few, Eigen::all), fallback, true);
  Matrix test = X(rest, Eigen::all).rowwise() - part.mean.transpose();
  test = test.array().rowwise() / part.scale.transpose().array();
  const Matrix S_test = test.transpose() * test / double(test.rows());
  std::vector<double> scores;
  for (const auto& method : methods) {
    const Problem problem{.S = part.S, .n = part.n, .X = &part.X};
    const Matrix Theta = kind ? prepared_estimate(*method, X(few, Eigen::all), *kind, part)
                              : estimate_or_diagonal(*method, problem);
    const double log_det = spd_log_det(Theta);
    scores.push_back((log_det - S_test.cwiseProduct(Theta).sum()) / 2 / double(X.cols()));
    edges.push_back((double((Theta.array() != 0).count()) - double(X.cols())) / 2);
  }
  return scores;
}

Cell run_cell(const std::string& name, const Matrix& X, std::size_t n, int splits,
              std::uint64_t seed, const Methods& methods, std::optional<TableKind> kind,
              ThreadPool& pool) {
  std::vector<std::vector<double>> scores(static_cast<std::size_t>(splits)), edges(scores.size());
  pool.run(scores.size(), [&](std::size_t k, int) {
    scores[k] = score_split(X, n, seed, k, methods, kind, edges[k]);
  });
  Cell cell{name, std::size_t(X.cols()), n, {}, {}, {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    double sum = 0, squares = 0, kept = 0;
    for (std::size_t k = 0; k < scores.size(); ++k)
      sum += scores[k][m], squares += scores[k][m] * scores[k][m], kept += edges[k][m];
    const double mean = sum / splits;
    cell.mean.push_back(mean);
    cell.sd.push_back(std::sqrt(std::max(0.0, squares / splits - mean * mean)));
    cell.edges.push_back(kept / splits);
  }
  return cell;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t last = std::min(text.find(';', first), text.size());
    parts.push_back(text.substr(first, last - first));
    first = last + 1;
  }
  return parts;
}

void print_cell(const Cell& cell) {
  std::string line = fmt::format("| {} | {} | {} |", cell.table, cell.p, cell.n);
  const double best = *std::max_element(cell.mean.begin(), cell.mean.end());
  for (const double mean : cell.mean)
    line += mean == best ? fmt::format(" **{:.4f}** |", mean) : fmt::format(" {:.4f} |", mean);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void print_verdict(const std::vector<Cell>& cells, const std::vector<std::string>& names) {
  fmt::print(
      "\n| method | best | within 0.002 | within 0.01 where n >= 4 p | mean shortfall "
      "|\n|---|---|---|---|---|\n");
  for (std::size_t m = 0; m < names.size(); ++m) {
    int best = 0, near = 0, many = 0, near_many = 0;
    double shortfall = 0;
    for (const Cell& cell : cells) {
      const double behind = *std::max_element(cell.mean.begin(), cell.mean.end()) - cell.mean[m];
      best += behind == 0, near += behind <= 0.002;
      if (cell.n >= 4 * cell.p) ++many, near_many += behind <= 0.01;
      shortfall += std::min(behind, 1.0) / double(cells.size());
    }
    fmt::print("| {} | {} of {} | {} | {} of {} | {:.4f} |\n", names[m], best, cells.size(), near,
               near_many, many, shortfall);
  }
}

int run(int argc, char** argv) {
  if (argc < 6)
    throw Error("usage: real_tables OUT.csv METHOD[;METHOD...] SPLITS SEED [kind=KIND] TABLE...");
  const std::vector<std::string> names = split_list(argv[2]);
  const ModelRegistry models = builtin_models();
  const std::string first = argv[5];
  std::optional<TableKind> kind;
  if (first.starts_with("kind=")) kind = table_kind_from(first.substr(5));
  Methods methods;
  for (const std::string& name : names)
    methods.push_back(make_method(name, models, methods_and_tables(), {}));
  ThreadPool pool(0);
  std::ofstream csv(argv[1]);
  csv << "table,p,n,method,mean,sd,edges\n";
  std::string head = "| table | p | n |", rule = "|---|---|---|";
  for (const std::string& name : names) head += " " + name + " |", rule += "---|";
  fmt::print("{}\n{}\n", head, rule);
  std::vector<Cell> cells;
  for (int k = kind ? 6 : 5; k < argc; ++k) {
    const std::string name = std::filesystem::path(argv[k]).stem().string();
    const Matrix X = usable(read_table(argv[k], {.leave_out_text = true}).values);
    for (const std::size_t n : training_sizes(std::size_t(X.cols()), std::size_t(X.rows()) / 2)) {
      cells.push_back(run_cell(name, X, n, std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10),
                               methods, kind, pool));
      const Cell& cell = cells.back();
      for (std::size_t m = 0; m < names.size(); ++m)
        csv << fmt::format("{},{},{},\"{}\",{:.6f},{:.6f},{:.1f}\n", cell.table, cell.p, cell.n,
                           names[m], cell.mean[m], cell.sd[m], cell.edges[m]);
      csv.flush();
      print_cell(cell);
    }
  }
  print_verdict(cells, names);
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("real_tables", run, argc, argv);
}
