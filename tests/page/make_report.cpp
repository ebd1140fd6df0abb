// Writes the files of a made-up analysis, for tests that read them with other programs.
//   make_report small|medium|large|hostile|unstable|empty FOLDER
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>

#include "spodnet/report/exports.hpp"
#include "support/graph_answer.hpp"
#include "support/hostile_names.hpp"

namespace spodnet::test {
namespace {

const std::vector<std::string> kWine = {
    "Alcohol", "Malic acid",  "Ash",           "Alcalinity",      "Magnesium",
    "Phenols", "Flavanoids",  "Nonflavanoids", "Proanthocyanins", "Colour intensity",
    "Hue",     "OD280/OD315", "Proline"};

const std::vector<std::string> kAnimals = {
    "Elephant", "Rhino",     "Horse",    "Cow",       "Camel",     "Giraffe", "Chimp",
    "Gorilla",  "Mouse",     "Squirrel", "Tiger",     "Lion",      "Cat",     "Dog",
    "Wolf",     "Seal",      "Dolphin",  "Robin",     "Eagle",     "Chicken", "Salmon",
    "Trout",    "Bee",       "Iguana",   "Alligator", "Butterfly", "Ant",     "Finch",
    "Penguin",  "Cockroach", "Whale",    "Ostrich",   "Deer"};

std::vector<std::string> genes(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) {
    std::string name;
    for (std::size_t letter = 0, at = 7919 * (k + 1); letter < 3; ++letter, at /= 23)
      name += char('A' + at % 23);
    names.push_back(name + std::to_string(k + 1));
  }
  return names;
}

void make_unstable(Answer& answer) {
  for (AnswerEdge& edge : answer.edges) edge.confidence->stable = false;
  answer.method = "pretrained:target=precision,refit=true";
  answer.stable_check =
      "no edge: of edges as sure as the surest here (in 93 % of the resamples) about 12 % were "
      "false";
}

Answer answer_of(const std::string& name) {
  const std::map<std::string, AnswerCase> cases = {
      {"small",
       {.names = kWine,
        .n = 178,
        .groups = 3,
        .resamples = 100,
        .inside = 0.6,
        .outside = 1.5,
        .lambda = 0.13,
        .seed = 3}},
      {"medium",
       {.names = kAnimals,
        .n = 102,
        .groups = 5,
        .resamples = 50,
        .inside = 0.5,
        .outside = 1,
        .lambda = 0.17,
        .seed = 5}},
      {"large",
       {.names = genes(500),
        .n = 200,
        .groups = 14,
        .inside = 0.12,
        .outside = 0.8,
        .lambda = 0.2,
        .seed = 7}},
      {"hostile",
       {.names = hostile_names(), .n = 60, .groups = 3, .resamples = 10, .lambda = 0.12}},
      {"unstable",
       {.names = kWine, .n = 178, .groups = 3, .resamples = 50, .lambda = 0.13, .seed = 3}},
      {"empty", {.names = {"a", "b", "c"}, .n = 60, .lambda = 2}}};
  Answer answer = make_answer(cases.at(name));
  add_words(answer);
  if (name == "hostile") make_hostile(answer);
  if (name == "unstable") make_unstable(answer);
  return answer;
}

}  // namespace
}  // namespace spodnet::test

int main(int argc, char** argv) try {
  if (argc != 3) throw std::invalid_argument("usage: make_report CASE FOLDER");
  for (const auto& path : spodnet::write_graph_answer(argv[2], spodnet::test::answer_of(argv[1])))
    std::puts(path.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
