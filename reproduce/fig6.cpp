// Figure 6: the graphs of the Animals data, by UBG trained on synthetic data alone, GLasso, EGFM
// and GLAD, with their communities and modularity.
#include <fmt/format.h>

#include <set>

#include "reproduce/animals.hpp"
#include "reproduce/figure.hpp"
#include "reproduce/learned.hpp"

namespace spodnet::figures {
namespace {

constexpr const char* kMissing = "not measured: the Animals data were not given (--animals FILE)";

std::vector<Part> fig6_parts(const Study& study) {
  std::vector<Part> all;
  if (study.animals.empty()) return all;
  for (const AnimalsMethod& each : animals_methods())
    all.push_back(animals_part(study, each.source));
  return all;
}

std::vector<Part> fig6_choices(const Study& study) {
  if (study.animals.empty()) return {};
  return choice_parts(study, "ubg", study.scale.animals);
}

Json graph_of_method(const Study& study, const AnimalsMethod& each) {
  return study.store.result(animals_part(study, each.source)).at(each.output);
}

/// How the estimate came about, in words.
std::string detail(const Study& study, const AnimalsMethod& each) {
  const Json result = study.store.result(animals_part(study, each.source));
  const Json& graph = result.at(each.output);
  const std::string faint =
      fmt::format("; entries above 0.01: {} edges, modularity {:.4f}",
                  graph.at("edges_001").get<int>(), graph.at("modularity_001").get<double>());
  if (result.contains("lr"))
    return fmt::format("trained on synthetic data, alpha in {}, {} epochs, lr {}",
                       study.scale.animals.alpha, result.at("epochs").get<int>(),
                       result.at("lr").get<double>()) +
           faint;
  const Json& details = result.at("details");
  if (details.contains("lambda"))
    return fmt::format("lambda {:.5f}", details.at("lambda").get<double>()) + faint;
  return fmt::format("rank 10, lambda 10, nu 5, {:.0f} steps", to_number(details.at("steps"))) +
         faint;
}

std::vector<ResultTable> fig6_tables(const Study& study) {
  ResultTable table{
      "fig6", {"method", "paper_modularity", "modularity", "edges", "communities", "detail"}, {}};
  ResultTable nodes{"fig6_nodes", {"method", "name", "community"}, {}};
  ResultTable edges{
      "fig6_edges", {"method", "source", "target", "theta", "partial_correlation"}, {}};
  std::vector<std::string> names;
  if (!study.animals.empty()) names = read_animals(study.animals).names;
  for (const AnimalsMethod& each : animals_methods()) {
    if (study.animals.empty()) {
      table.rows.push_back({each.method, to_json(each.modularity), {}, {}, {}, kMissing});
      continue;
    }
    const Json graph = graph_of_method(study, each);
    table.rows.push_back({each.method, to_json(each.modularity), graph.at("modularity"),
                          graph.at("edges").size(), graph.at("communities"), detail(study, each)});
    for (std::size_t k = 0; k < names.size(); ++k)
      nodes.rows.push_back({each.method, names[k], graph.at("community")[k]});
    for (const Json& edge : graph.at("edges"))
      edges.rows.push_back({each.method, names[edge[0].get<std::size_t>()],
                            names[edge[1].get<std::size_t>()], edge[2], edge[3]});
  }
  return {table, nodes, edges};
}

const AnimalsMethod& method(const std::string& name) {
  for (const AnimalsMethod& each : animals_methods())
    if (each.method == name) return each;
  throw std::logic_error("no Animals method " + name);
}

double modularity(const Study& study, const std::string& name) {
  return graph_of_method(study, method(name)).at("modularity").get<double>();
}

std::string why(const std::string& name) {
  if (name == "ubg")
    return "no independent confirmation: the paper does not give its mix of sparsities and ours, "
           "alpha in 0.9:0.98, is the one of five that came nearest on these very data (0.78 and "
           "0.81 on development seeds; 0.8:0.98 0.56 and 0.65, 0.5:0.98 0.27 and 0.37)";
  if (name == "glasso")
    return "at scikit-learn's lambda, the edge at which its solver fails; a cross-validation that "
           "works picks a smaller lambda (row glasso-cv of the table)";
  if (name == "egfm")
    return "an early-stopped iterate of 999 steps: 0.80 ... 0.87 by rounding alone, 0.866 "
           "without entries below 0.01";
  return "one iteration trained on the same data as UBG; Z, the sparse one of GLAD's two matrices";
}

std::vector<Verdict> modularities(const Study& study) {
  std::vector<Verdict> out;
  for (const AnimalsMethod& each : animals_methods()) {
    if (std::isnan(each.modularity)) continue;
    Verdict verdict{fmt::format("Modularity of the Animals graph by {}", each.method),
                    "Section 5.2, Figure 6",
                    fmt::format("{:.2f}", each.modularity),
                    "not measured",
                    "not measured",
                    kMissing};
    if (!study.animals.empty()) {
      const double ours = modularity(study, each.method);
      const double distance = std::abs(ours - each.modularity);
      verdict.measured = fmt::format("{:.4f}", ours);
      verdict.holds = distance <= 0.02 ? "yes" : distance <= 0.1 ? "partly" : "no";
      verdict.reason = "holds within 0.02, partly within 0.1; " + why(each.method);
    }
    out.push_back(std::move(verdict));
  }
  return out;
}

Verdict order(const Study& study) {
  const double ubg = modularity(study, "ubg"), glasso = modularity(study, "glasso"),
               egfm = modularity(study, "egfm"), glad = modularity(study, "glad-z");
  return {
      "UBG has a higher modularity than GLasso and GLAD, slightly lower than EGFM",
      "Section 5.2",
      "0.78 > 0.61, 0.72; < 0.86",
      fmt::format("ubg {:.3f}, glasso {:.3f}, glad-z {:.3f}, egfm {:.3f}", ubg, glasso, glad, egfm),
      verdict_of((ubg > glasso) + (ubg > glad) + (ubg < egfm), 3),
      "each of the three inequalities counts"};
}

Verdict sparser(const Study& study) {
  const std::size_t ubg = graph_of_method(study, method("ubg")).at("edges").size();
  const std::size_t glasso = graph_of_method(study, method("glasso")).at("edges").size();
  return {"UBG's graph is sparser than GLasso's",
          "Section 5.2",
          "no number",
          fmt::format("{} edges against {}", ubg, glasso),
          ubg < glasso ? "yes" : "no",
          "non-zero entries above the diagonal, no threshold"};
}

Verdict chimp_and_gorilla(const Study& study) {
  const std::vector<std::string> names = read_animals(study.animals).names;
  const Json labels = graph_of_method(study, method("ubg")).at("community");
  Json chimp, gorilla;
  std::size_t together = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == "Chimp") chimp = labels[k];
    if (names[k] == "Gorilla") gorilla = labels[k];
  }
  for (const Json& label : labels) together += label == chimp;
  return {"UBG groups Chimp and Gorilla in a cluster of their own",
          "Section 5.2",
          "a cluster of two",
          chimp == gorilla ? fmt::format("together, in a cluster of {}", together) : "apart",
          chimp != gorilla ? "no"
          : together == 2  ? "yes"
                           : "partly",
          "communities by Louvain; holds when the two are alone together"};
}

std::vector<Verdict> fig6_verdicts(const Study& study) {
  std::vector<Verdict> out = modularities(study);
  if (study.animals.empty()) return out;
  for (const auto& judge : {order, sparser, chimp_and_gorilla}) out.push_back(judge(study));
  return out;
}

}  // namespace

Figure fig6() {
  return {.name = "fig6",
          .title = "Animals: four graphs, their communities and modularity",
          .choices = fig6_choices,
          .parts = fig6_parts,
          .tables = fig6_tables,
          .verdicts = fig6_verdicts};
}

}  // namespace spodnet::figures
