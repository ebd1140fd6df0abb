#include "python/bindings/prepared.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "python/bindings/bindings.hpp"
#include "python/bindings/watched.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/tables/log_ratio.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

/// The place of a column among the variables; -1: it was left out.
int variable_of(const Prepared& data, int column) {
  const auto found = std::find(data.place.begin(), data.place.end(), std::size_t(column));
  return found == data.place.end() ? -1 : int(found - data.place.begin());
}

nb::list notes_of(const Prepared& data) {
  nb::list out;
  for (const DataNote& note : data.notes)
    out.append(nb::make_tuple(note.warning ? "warning" : "done", note.text));
  return out;
}

std::unique_ptr<Prepared> prepared_of(const MatrixIn& values, const std::vector<std::string>& names,
                                      const nb::dict& words, int threads) {
  const TableRequest request = request_from(words);
  auto out = std::make_unique<Prepared>();
  std::atomic<bool> stop = false;
  run_watched(nb::none(), stop, [&](const Report&) {
    ThreadPool pool(threads);
    *out = prepare_table(values, names, request, &pool);
    out->options.pool = nullptr;  // it ends here
  });
  return out;
}

}  // namespace

TableRequest request_from(const nb::dict& words) {
  TableRequest out;
  for (const auto& [word, value] : words) {
    const std::string key = nb::cast<std::string>(word);
    if (key == "n")
      out.n = nb::cast<double>(value);
    else if (key == "missing")
      out.missing = nb::cast<std::string>(value);
    else if (key == "kind")
      out.kind = nb::cast<std::string>(value);
    else if (key == "robust")
      out.ranks = nb::cast<std::string>(value);
    else if (key == "transform")
      out.transform = nb::cast<std::string>(value);
    else if (key == "pseudo_count")
      out.pseudo_count = nb::cast<double>(value);
    else if (key == "weights")
      out.rows.weight = as_vector(nb::cast<VectorIn>(value));
    else if (key == "group")
      out.rows.group = nb::cast<std::vector<std::uint32_t>>(value);
    else if (key == "person")
      out.rows.person = nb::cast<std::vector<std::uint32_t>>(value);
    else if (key == "keep_dependent")
      out.keep_dependent = nb::cast<bool>(value);
    else if (key == "diagnose")
      out.diagnose = nb::cast<bool>(value);
    else
      throw Error("prepare: does not know '" + key + "'");
  }
  return out;
}

Prepared prepare_table(const MatrixIn& values, const std::vector<std::string>& names,
                       const TableRequest& request, ThreadPool* pool) {
  PrepareOptions options;
  if (request.n > 0 || std::isnan(request.n)) options.covariance_of = request.n;
  options.missing = missing_from(request.missing);
  options.kind = table_kind_from(request.kind);
  if (!request.ranks.empty()) options.ranks = rank_correlation_from(request.ranks);
  options.composition = composition_from(request.transform);
  if (request.pseudo_count >= 0) options.composition.pseudo_count = request.pseudo_count;
  options.rows = request.rows;
  options.keep_dependent = request.keep_dependent;
  options.diagnose = request.diagnose;
  options.pool = pool;
  return prepare({names, {}, as_matrix(values)}, options, "data");
}

std::optional<Constraints> rules_of(const Prepared& data, const Pairs& forbid,
                                    const SignedPairs& signs) {
  Pairs kept_pairs;
  SignedPairs kept_signs;
  for (const auto& [a, b] : forbid) {
    const int i = variable_of(data, a), j = variable_of(data, b);
    if (i >= 0 && j >= 0) kept_pairs.emplace_back(i, j);
  }
  for (const auto& [a, b, sign] : signs) {
    const int i = a < 0 ? a : variable_of(data, a), j = a < 0 ? b : variable_of(data, b);
    if (a < 0 || (i >= 0 && j >= 0)) kept_signs.emplace_back(i, j, sign);
  }
  const auto rules = constraints_of(data.p(), kept_pairs, kept_signs);
  return constraints_for(data, rules ? &*rules : nullptr);
}

void bind_prepared(nb::module_& m) {
  nb::class_<Prepared>(m, "CorePrepared", "A table made ready for an estimate")
      .def_prop_ro("names", [](const Prepared& d) { return d.names; })
      .def_prop_ro("n", [](const Prepared& d) { return d.moments.n; })
      .def_prop_ro("kept", [](const Prepared& d) { return d.place; })
      .def_prop_ro("notes", &notes_of)
      .def_prop_ro(
          "X", [](const Prepared& d) { return array_of(Matrix(d.X)); }, nb::rv_policy::move)
      .def_prop_ro(
          "mean", [](const Prepared& d) { return array_of(Vector(d.moments.mean)); },
          nb::rv_policy::move)
      .def(
          "S",
          [](const Prepared& d, bool uncentred) {
            return array_of(Matrix(pose(d, {.standardize = false, .uncentred = uncentred}).all.S));
          },
          "uncentred"_a = false);
  m.def("prepare", &prepared_of, "values"_a.noconvert(), "names"_a, "words"_a, "threads"_a = 1);
}

}  // namespace spodnet
