#include "spodnet/workflow/analyse.hpp"

#include <algorithm>

#include "spodnet/c/call.hpp"
#include "spodnet/c/handles.hpp"
#include "spodnet/c/options.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/metrics/centrality.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/workflow/model_cache.hpp"

namespace spodnet::c {
namespace {

std::filesystem::path cache_of(const std::string& text) {
  return text == "default" ? default_cache_folder() : std::filesystem::path(text);
}

AnalysisOptions analysis_of(Options& options) {
  AnalysisOptions out;
  out.method = options.text("method", "auto");
  out.standardize = options.flag("standardize", true);
  out.folds_in_order = options.flag("folds_in_order", false);
  out.train = options.flag("train", false);
  out.resamples = std::size_t(options.count("bootstrap", 0));
  if (options.has("stable")) out.stable = options.number("stable", 0);
  out.seed = options.count("seed", 0);
  out.cache = cache_of(options.text("cache"));
  return out;
}

/// groups: a list of a variable, its group, a variable, its group, ...
std::vector<NodeStyle> styles_of(Options& options, const Prepared& data) {
  const std::vector<std::string> groups = options.list("groups");
  if (groups.empty()) return {};
  std::vector<NodeStyle> styles(data.p());
  for (std::size_t k = 0; k + 1 < groups.size(); k += 2) {
    const auto found = std::find(data.names.begin(), data.names.end(), groups[k]);
    if (found != data.names.end())
      styles[std::size_t(found - data.names.begin())].group = groups[k + 1];
    else if (std::find(data.file_columns.begin(), data.file_columns.end(), groups[k]) ==
             data.file_columns.end())
      throw Error("groups: there is no variable " + shown(groups[k]));
  }
  return styles;
}

/// remedies: a list of an advice's word, how it is followed, a word, ...: the notes of the page
/// then say what to do.
Remedies remedies_of(Options& options) {
  const std::vector<std::string> words = options.list("remedies");
  Remedies remedies;
  for (std::size_t k = 0; k + 1 < words.size(); k += 2) remedies[words[k]] = words[k + 1];
  return remedies;
}

void put_edges(const Answer& answer, spod_result& out) {
  std::vector<std::string> columns = {"i", "j", "theta", "partial_correlation"};
  if (answer.resamples > 0)
    columns.insert(columns.end(), {"share", "sign_agreement", "low", "high", "stable"});
  Eigen::MatrixXd edges(Eigen::Index(answer.edges.size()), Eigen::Index(columns.size()));
  for (Eigen::Index k = 0; k < edges.rows(); ++k) {
    const AnswerEdge& e = answer.edges[std::size_t(k)];
    edges.row(k).head(4) << double(e.i + 1), double(e.j + 1), e.theta, e.partial_correlation;
    if (answer.resamples == 0) continue;
    const EdgeConfidence c = e.confidence.value_or(EdgeConfidence{});
    edges.row(k).tail(5) << c.share, c.sign_agreement, c.low, c.high, double(c.stable);
  }
  out.numbers["edges"] = std::move(edges);
  out.texts["edges.columns"] = std::move(columns);
}

void put_nodes(const Answer& answer, spod_result& out) {
  out.numbers["nodes"] = answer.nodes.value;
  if (answer.nodes.low.size() > 0) {
    out.numbers["nodes.low"] = answer.nodes.low;
    out.numbers["nodes.high"] = answer.nodes.high;
  }
  if (answer.nodes.stability.size() > 0) out.numbers["nodes.stability"] = answer.nodes.stability;
  for (const auto measure : kNodeMeasureNames) out.texts["nodes.columns"].emplace_back(measure);
  Eigen::MatrixXd& community = out.numbers["communities"];
  community.resize(Eigen::Index(answer.community.size()), 1);
  for (std::size_t i = 0; i < answer.community.size(); ++i)
    community(Eigen::Index(i), 0) = double(answer.community[i] + 1);
  put(out, "modularity", answer.modularity);
}

void put_candidates(const Answer& answer, spod_result& out) {
  Eigen::MatrixXd& numbers = out.numbers["candidates"];
  numbers.resize(Eigen::Index(answer.candidates.size()), 5);
  for (std::size_t k = 0; k < answer.candidates.size(); ++k) {
    const AnswerCandidate& each = answer.candidates[k];
    numbers.row(Eigen::Index(k)) << each.held_out, each.spread, double(each.edges), each.seconds,
        double(each.chosen);
    out.texts["candidates"].push_back(each.method);
    out.texts["candidates.note"].push_back(each.note);
  }
  out.texts["candidates.columns"] = {"held_out", "spread", "edges", "seconds", "chosen"};
}

/// The files of the answer, made when they are read.
void put_files(const std::shared_ptr<const Answer>& answer, spod_result& out) {
  const auto file = [&](const char* name, std::string (*text)(const Answer&)) {
    out.pages[name] = [answer, text] { return text(*answer); };
  };
  file("edges.csv", edges_csv);
  file("pairs.csv", pairs_csv);
  file("communities.csv", communities_csv);
  file("nodes.csv", nodes_csv);
  file("summary.json", summary_json);
  out.pages["report.html"] = [answer] { return report_html(*answer, answer_layout(*answer)); };
  out.pages["graph.graphml"] = [answer] { return graphml(*answer, answer_layout(*answer)); };
  out.write = [answer](const std::string& folder) { write_graph_answer(folder, *answer); };
}

void put_answer(const std::shared_ptr<const Answer>& answer, const Prepared& data,
                spod_result& out) {
  put(out, "precision", answer->Theta);
  put(out, "covariance", answer->W);
  put(out, "partial", answer->partial);
  if (data.moments.mean.size() > 0) out.numbers["mean"] = data.moments.mean;
  put(out, "sample_covariance", data.X.size() > 0 ? data.moments.covariance() : data.S);
  put(out, "n", answer->n);
  put(out, "rows", answer->rows);
  put(out, "seconds", answer->seconds);
  put(out, "residual", answer->certificate.residual);
  put_edges(*answer, out);
  put_nodes(*answer, out);
  put_candidates(*answer, out);
  out.texts["names"] = answer->names;
  out.texts["kinds"] = answer->kinds;
  out.texts["title"] = {answer->title};
  out.texts["method"] = {answer->method};
  out.texts["stable.check"] = {answer->stable_check};
  out.texts["status"] = {std::string(to_string(answer->status))};
  out.texts["message"] = {answer->message};
  put_notes(out, answer->notes);
  put_files(answer, out);
}

}  // namespace
}  // namespace spodnet::c

using namespace spodnet;

extern "C" int spod_analyse(const spod_data* data, const char* text, spod_watch watch, void* user,
                            spod_result** result) {
  return c::guarded("spod_analyse", [&] {
    if (!data || !result) throw Error("spod_analyse: data and a place for the result are needed");
    c::Options options(text, "spod_analyse");
    const AnalysisOptions analysis = c::analysis_of(options);
    std::vector<NodeStyle> styles = c::styles_of(options, data->prepared);
    const std::string title = options.text("title", data->title);
    const Remedies remedies = c::remedies_of(options);
    const int threads = int(options.count("threads", 0));
    options.refuse_others();
    if (data->prepared.p() < 2)
      throw Error(data->title + ": one variable is left, a graph has two");
    auto answer = std::make_shared<Answer>();
    c::watched(watch, user, threads,
               [&](const RunContext& run) { *answer = analyse(data->prepared, analysis, run); });
    if (answer->status == Status::interrupted) throw Stopped{};
    answer->title = title;
    answer->styles = std::move(styles);
    answer->settings.insert(answer->settings.begin(), {"file", data->title});
    for (AnswerNote& note : answer->notes)
      note.text = with_remedy(note.text, note.advice, note.value, remedies);
    auto made = std::make_unique<spod_result>();
    c::put_answer(answer, data->prepared, *made);
    c::put_names(*made);
    *result = made.release();
    return is_sound(answer->status) ? SPOD_OK : SPOD_NUMERICAL;
  });
}
