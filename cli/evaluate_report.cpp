#include "cli/evaluate_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/parse.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/csv.hpp"

namespace spodnet::cli {
std::size_t MethodScores::failures() const {
  std::size_t count = 0;
  for (const Status each : status) count += !is_sound(each);
  return count;
}

std::size_t MethodScores::replaced() const {
  return std::size_t(std::count(status.begin(), status.end(), Status::replaced));
}

double MethodScores::mean_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(seconds.size());
}

std::string scores_table(const DataSet& data, const std::vector<MethodScores>& all) {
  const std::string title = std::to_string(data.count()) +
                            (data.count() == 1 ? " matrix" : " matrices") +
                            ", p = " + std::to_string(data.p()) +
                            (data.n > 0 ? ", n = " + number_text(data.n) : "") + "\n";
  std::vector<std::vector<std::string>> rows = {{""}};
  std::vector<MatrixScores> means;
  for (const MethodScores& each : all) {
    rows[0].push_back(each.method + (each.matrix == "Theta" ? "" : " (" + each.matrix + ")"));
    means.push_back(mean(each.scores));
  }
  for (const ScoreField& field : score_fields()) {
    std::vector<std::string> row = {std::string(field.name)};
    bool measured = false;
    for (const MatrixScores& average : means) {
      measured |= !std::isnan(average.*field.member);
      row.push_back(number_text(average.*field.member));
    }
    if (measured) rows.push_back(std::move(row));
  }
  std::vector<std::string> failures = {"failures"}, seconds = {"seconds per matrix"};
  for (const MethodScores& each : all) {
    failures.push_back(std::to_string(each.failures()));
    seconds.push_back(number_text(each.mean_seconds()));
  }
  rows.push_back(failures);
  if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.replaced() > 0; })) {
    rows.push_back({"replaced"});
    for (const MethodScores& each : all) rows.back().push_back(std::to_string(each.replaced()));
  }
  rows.push_back(seconds);
  return title + aligned(rows);
}

Json scores_json(const std::string& data_name, const DataSet& data,
                 const std::vector<MethodScores>& all) {
  Json out = {{"data", data_name},
              {"count", data.count()},
              {"p", data.p()},
              {"n", data.n > 0 ? Json(data.n) : Json(nullptr)},
              {"methods", Json::array()}};
  for (const MethodScores& each : all) {
    const MatrixScores average = mean(each.scores);
    Json method = {{"method", each.method}, {"matrix", each.matrix}};
    for (const ScoreField& field : score_fields())
      method[std::string(field.name)] = number_json(average.*field.member);
    method["failures"] = each.failures();
    method["replaced"] = each.replaced();
    method["seconds"] = each.mean_seconds();
    out["methods"].push_back(method);
  }
  return out;
}

void write_per_matrix(const std::filesystem::path& path, const std::vector<MethodScores>& all) {
  std::string text = "method,matrix,index,status,seconds";
  for (const ScoreField& field : score_fields()) text += "," + std::string(field.name);
  text += '\n';
  for (const MethodScores& each : all)
    for (std::size_t k = 0; k < each.scores.size(); ++k) {
      append_csv_name(text, each.method);
      text += ',' + each.matrix + ',' + std::to_string(k) + ',';
      text += std::string(to_string(each.status[k])) + ',' + exact_text(each.seconds[k]);
      for (const ScoreField& field : score_fields())
        text += ',' + number_cell(each.scores[k].*field.member);
      text += '\n';
    }
  write_file_atomically(path, text);
}

}  // namespace spodnet::cli
