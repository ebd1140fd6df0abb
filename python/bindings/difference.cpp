#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"
#include "python/bindings/prepared.hpp"
#include "python/bindings/watched.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/report/difference_page.hpp"
#include "spodnet/workflow/difference.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

nb::dict to_dict(const Difference& found) {
  nb::dict out;
  nb::list partial;
  for (const GroupGraph& group : found.groups) partial.append(array_of(Matrix(group.partial)));
  out["names"] = found.names;
  out["partial"] = partial;
  out["csv"] = differences_csv(found);
  out["json"] = difference_json(found);
  nb::list warnings;
  for (const AnswerNote& note : found.notes)
    if (note.kind == AnswerNote::Kind::warning) warnings.append(note.text);
  out["warnings"] = warnings;
  return out;
}

nb::dict run_groups(const MatrixIn& values, const std::vector<std::string>& names,
                    const nb::dict& words, const std::vector<std::string>& groups,
                    const std::string& method, std::size_t permutations, std::uint64_t seed,
                    int threads, nb::object callback) {
  Difference found;
  const TableRequest request = request_from(words);
  std::atomic<bool> stop = false;
  run_watched(std::move(callback), stop, [&](const Report& report) {
    ThreadPool pool(threads);
    RunContext run{.pool = pool};
    run.stop = &stop;
    run.progress = report;
    found = difference(prepare_table(values, names, request, &pool), groups,
                       {.method = method, .permutations = permutations, .seed = seed}, run);
  });
  if (found.interrupted) throw Error("difference: stopped before its end");
  return to_dict(found);
}

}  // namespace

void bind_difference(nb::module_& m) {
  m.def("difference", &run_groups, "values"_a.noconvert(), "names"_a, "words"_a, "groups"_a,
        "method"_a, "permutations"_a, "seed"_a, "threads"_a, "callback"_a.none());
}

}  // namespace spodnet
