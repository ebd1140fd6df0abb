#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/prepared.hpp"
#include "python/bindings/watched.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/compare_data.hpp"
#include "spodnet/workflow/model_cache.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

nb::dict to_columns(const Answer& answer) {
  nb::dict out;
  const auto column = [&](const char* name, auto value) {
    Vector values(Eigen::Index(answer.edges.size()));
    for (std::size_t k = 0; k < answer.edges.size(); ++k)
      values[Eigen::Index(k)] = double(value(answer.edges[k]));
    out[name] = array_of(std::move(values));
  };
  column("i", [](const AnswerEdge& e) { return e.i; });
  column("j", [](const AnswerEdge& e) { return e.j; });
  column("theta", [](const AnswerEdge& e) { return e.theta; });
  column("partial_correlation", [](const AnswerEdge& e) { return e.partial_correlation; });
  if (answer.resamples == 0) return out;
  using C = EdgeConfidence;
  const auto confidence = [&](const char* name, auto member) {
    column(name, [&](const AnswerEdge& e) { return e.confidence.value_or(C{}).*member; });
  };
  confidence("share", &C::share);
  confidence("sign_agreement", &C::sign_agreement);
  confidence("low", &C::low);
  confidence("high", &C::high);
  confidence("stable", &C::stable);
  return out;
}

nb::list notes_of(const Answer& answer) {
  nb::list out;
  for (const AnswerNote& note : answer.notes) {
    const char* kind = note.kind == AnswerNote::Kind::warning  ? "warning"
                       : note.kind == AnswerNote::Kind::choice ? "choice"
                                                               : "done";
    out.append(nb::make_tuple(kind, note.text));
  }
  return out;
}

std::unique_ptr<Answer> graph(const MatrixIn& values, const std::vector<std::string>& names,
                              const nb::dict& words, const std::string& method, bool standardize,
                              std::size_t resamples, std::optional<double> stable,
                              std::uint64_t seed, const Pairs& forbid, const SignedPairs& signs,
                              bool cache, int threads, const std::string& title,
                              nb::object callback) {
  auto result = std::make_unique<Answer>();
  const TableRequest request = request_from(words);
  std::atomic<bool> stop = false;
  run_watched(std::move(callback), stop, [&](const Report& report) {
    ThreadPool pool(threads);
    const Prepared data = prepare_table(values, names, request, &pool);
    const auto rules = rules_of(data, forbid, signs);
    AnalysisOptions options;
    options.method = method;
    options.standardize = standardize;
    options.resamples = resamples;
    options.stable = stable;
    options.seed = seed;
    options.constraints = rules ? &*rules : nullptr;
    if (cache) options.cache = default_cache_folder();
    RunContext run{.pool = pool};
    run.stop = &stop;
    run.progress = report;
    *result = analyse(data, options, run);
    result->title = title;
  });
  if (result->status == Status::interrupted) throw Error("graph: stopped before its end");
  return result;
}

nb::dict compared(const ComparedMethod& method) {
  nb::dict out;
  out["method"] = method.name;
  out["done"] = method.done;
  out["note"] = method.note;
  out["held_out"] = method.held_out.mean;
  out["sd"] = method.held_out.sd;
  out["behind"] = method.behind;
  out["behind_sd"] = method.behind_sd;
  out["edges"] = method.edges;
  out["seconds"] = method.seconds;
  out["condition"] = method.scores.condition;
  out["partial"] = array_of(Matrix(method.partial));
  return out;
}

nb::list compare(const MatrixIn& values, const std::vector<std::string>& names,
                 const std::vector<std::string>& methods, bool only_these, int folds,
                 bool standardize, const nb::dict& words, std::uint64_t seed, bool cache,
                 int threads, nb::object callback) {
  Comparison result;
  const TableRequest request = request_from(words);
  std::atomic<bool> stop = false;
  run_watched(std::move(callback), stop, [&](const Report& report) {
    ThreadPool pool(threads);
    const Prepared data = prepare_table(values, names, request, &pool);
    CompareDataOptions options;
    options.methods = methods;
    options.only_these = only_these;
    options.folds = folds;
    options.standardize = standardize;
    options.seed = seed;
    if (cache) options.cache = default_cache_folder();
    RunContext run{.pool = pool};
    run.stop = &stop;
    run.progress = report;
    result = compare_data(data, options, run);
  });
  nb::list out;
  for (const ComparedMethod& method : result.methods) out.append(compared(method));
  return out;
}

nb::tuple read(const std::string& path) {
  Table table = read_table(path, {.leave_out_text = true});
  nb::list left_out;
  for (const TextColumn& column : table.left_out) left_out.append(column.name);
  return nb::make_tuple(array_of(std::move(table.values)), table.columns, left_out);
}

}  // namespace

void bind_graph(nb::module_& m) {
  using R = Answer;
  nb::class_<R>(m, "CoreGraph", "A graph with its certificate")
      .def_prop_ro("names", [](const R& r) { return r.names; })
      .def_prop_ro("method", [](const R& r) { return r.method; })
      .def_prop_ro("status", [](const R& r) { return std::string(to_string(r.status)); })
      .def_prop_ro("message", [](const R& r) { return r.message; })
      .def_prop_ro(
          "Theta", [](const R& r) { return array_of(Matrix(r.Theta)); }, nb::rv_policy::move)
      .def_prop_ro(
          "W", [](const R& r) { return array_of(Matrix(r.W)); }, nb::rv_policy::move)
      .def_prop_ro(
          "partial", [](const R& r) { return array_of(Matrix(r.partial)); }, nb::rv_policy::move)
      .def_prop_ro("community", [](const R& r) { return r.community; })
      .def_prop_ro("edges", [](const R& r) { return to_columns(r); })
      .def_prop_ro("notes", [](const R& r) { return notes_of(r); })
      .def("summary", [](const R& r) { return summary_json(r); })
      .def("html", [](const R& r) { return report_html(r, answer_layout(r)); })
      .def("write", [](const R& r, const std::string& folder) {
        std::vector<std::string> files;
        for (const auto& path : write_graph_answer(folder, r)) files.push_back(path.string());
        return files;
      });
  m.def("graph", &graph, "values"_a.noconvert(), "names"_a, "words"_a, "method"_a, "standardize"_a,
        "resamples"_a, "stable"_a.none(), "seed"_a, "forbid"_a, "signs"_a, "cache"_a, "threads"_a,
        "title"_a, "callback"_a.none());
  m.def("compare", &compare, "values"_a.noconvert(), "names"_a, "methods"_a, "only_these"_a,
        "folds"_a, "standardize"_a, "words"_a, "seed"_a, "cache"_a, "threads"_a,
        "callback"_a.none());
  m.def("read_table", &read, "path"_a);
}

}  // namespace spodnet
