#include "spodnet/c/call.hpp"
#include "spodnet/c/handles.hpp"
#include "spodnet/c/options.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/report/difference_page.hpp"
#include "spodnet/workflow/compare_data.hpp"

namespace spodnet::c {
namespace {

void put_comparison(const Comparison& found, spod_result& out) {
  Eigen::MatrixXd& numbers = out.numbers["methods"];
  numbers.resize(Eigen::Index(found.methods.size()), 7);
  for (std::size_t k = 0; k < found.methods.size(); ++k) {
    const ComparedMethod& each = found.methods[k];
    numbers.row(Eigen::Index(k)) << each.held_out.mean, each.held_out.sd, each.behind,
        each.behind_sd, double(each.edges), each.seconds, double(each.done);
    out.texts["methods"].push_back(each.name);
    out.texts["methods.note"].push_back(each.note);
    if (each.done) put(out, "partial." + std::to_string(k + 1), each.partial);
  }
  out.texts["methods.columns"] = {"held_out", "sd",      "behind", "behind_sd",
                                  "edges",    "seconds", "done"};
}

void put_difference(const std::shared_ptr<const Difference>& found, spod_result& out) {
  out.texts["names"] = found->names;
  Eigen::MatrixXd& groups = out.numbers["groups"];
  groups.resize(Eigen::Index(found->groups.size()), 2);
  for (std::size_t g = 0; g < found->groups.size(); ++g) {
    const GroupGraph& group = found->groups[g];
    groups.row(Eigen::Index(g)) << group.rows, double(group.edges);
    out.texts["groups"].push_back(group.name);
    put(out, "partial." + std::to_string(g + 1), group.partial);
  }
  out.texts["groups.columns"] = {"rows", "edges"};
  Eigen::MatrixXd& tests = out.numbers["tests"];
  tests.resize(Eigen::Index(found->pairs.size()), 8);
  for (std::size_t k = 0; k < found->pairs.size(); ++k) {
    const GroupPair& pair = found->pairs[k];
    const PermutationTest& test = pair.test;
    tests.row(Eigen::Index(k)) << double(pair.a + 1), double(pair.b + 1), test.largest,
        test.p_structure, test.strength_a, test.strength_b, test.p_strength, double(test.done);
    const std::string place = std::to_string(k + 1);
    put(out, "difference." + place, test.partial_a - test.partial_b);
    put(out, "p." + place, test.p_edge);
    put(out, "p.holm." + place, test.p_holm);
    put(out, "p.max." + place, test.p_max);
  }
  out.texts["tests.columns"] = {"a",          "b",          "largest",    "p_structure",
                                "strength_a", "strength_b", "p_strength", "permutations"};
  put(out, "joint", found->joint);
  out.texts["method"] = {found->method};
  put_notes(out, found->notes);
  out.pages["differences.csv"] = [found] { return differences_csv(*found); };
  out.pages["difference.json"] = [found] { return difference_json(*found); };
}

}  // namespace
}  // namespace spodnet::c

using namespace spodnet;

extern "C" {

int spod_compare(const spod_data* data, const char* text, spod_watch watch, void* user,
                 spod_result** result) {
  return c::guarded("spod_compare", [&] {
    if (!data || !result) throw Error("spod_compare: data and a place for the result are needed");
    c::Options options(text, "spod_compare");
    CompareDataOptions compare;
    compare.methods = options.list("methods");
    compare.only_these = options.flag("only", false);
    compare.folds = int(options.count("folds", 5));
    compare.standardize = options.flag("standardize", true);
    compare.seed = options.count("seed", 0);
    compare.folds_in_order = options.flag("folds_in_order", false);
    const int threads = int(options.count("threads", 0));
    options.refuse_others();
    Comparison found;
    c::watched(watch, user, threads,
               [&](const RunContext& run) { found = compare_data(data->prepared, compare, run); });
    if (found.interrupted) throw Stopped{};
    auto made = std::make_unique<spod_result>();
    c::put_comparison(found, *made);
    made->texts["names"] = data->prepared.names;
    c::put_notes(*made, c::notes_of(data->prepared));
    c::put_names(*made);
    *result = made.release();
    return SPOD_OK;
  });
}

int spod_difference(const spod_data* data, const char* text, spod_watch watch, void* user,
                    spod_result** result) {
  return c::guarded("spod_difference", [&] {
    if (!data || !result)
      throw Error("spod_difference: data and a place for the result are needed");
    if (data->groups.empty())
      throw Error("spod_difference: the data have no groups: prepare them with the option group");
    c::Options options(text, "spod_difference");
    DifferenceOptions difference_options;
    difference_options.method = options.text("method", difference_options.method);
    difference_options.permutations =
        std::size_t(options.count("permutations", difference_options.permutations));
    difference_options.seed = options.count("seed", 0);
    const int threads = int(options.count("threads", 0));
    options.refuse_others();
    auto found = std::make_shared<Difference>();
    c::watched(watch, user, threads, [&](const RunContext& run) {
      *found = difference(data->prepared, data->groups, difference_options, run);
    });
    if (found->interrupted) throw Stopped{};
    auto made = std::make_unique<spod_result>();
    c::put_difference(found, *made);
    c::put_names(*made);
    *result = made.release();
    return SPOD_OK;
  });
}

}  // extern "C"
