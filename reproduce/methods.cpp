#include "reproduce/methods.hpp"

#include <fmt/format.h>

#include "reproduce/classical.hpp"
#include "reproduce/learned.hpp"

namespace spodnet::figures {
namespace {

using Lines = std::vector<MethodOutput>;

Lines joined(std::initializer_list<const Lines*> lists) {
  Lines all;
  for (const Lines* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

}  // namespace

const Lines& paper_models() {
  static const Lines lines = {
      {"ubg", "ubg", "theta", true}, {"pnp", "pnp", "theta", true}, {"e2e", "e2e", "theta", true}};
  return lines;
}

const Lines& glad_outputs() {
  static const Lines lines = {{"glad-theta", "glad", "theta", false},
                              {"glad-z", "glad", "z", false}};
  return lines;
}

const Lines& classical_methods() {
  static const Lines lines = {{"glasso-cv", "", "theta", true},
                              {"ledoit-wolf", "", "theta", false},
                              {"oas", "", "theta", false}};
  return lines;
}

const Lines& paper_methods() {
  static const Lines lines = joined({&paper_models(), &glad_outputs(), &classical_methods()});
  return lines;
}

const Lines& beyond_methods() {
  static const Lines ours = {{"ubg-k2", "ubg-k2", "theta", true},
                             {"ubg-k3", "ubg-k3", "theta", true},
                             {"best", "best", "theta", true}};
  static const Lines lines = joined({&paper_methods(), &ours});
  return lines;
}

Part part_of(const Study& study, const MethodOutput& line, const Cell& cell, int k) {
  if (line.trained.empty()) return classical_part(study, line.method, cell, k);
  return learned_part(study, line.trained, cell, k);
}

std::vector<Part> parts_of(const Study& study, const Lines& lines, const std::vector<Cell>& cells) {
  std::vector<Part> parts;
  for_each_repetition(study, cells, [&](const Cell& cell, int k) {
    for (const MethodOutput& line : lines) parts.push_back(part_of(study, line, cell, k));
  });
  return parts;
}

std::vector<Part> choices_of(const Study& study, const Lines& lines,
                             const std::vector<Cell>& cells) {
  std::vector<Part> parts;
  for (const Cell& cell : cells)
    for (const MethodOutput& line : lines)
      for (Part& part : choice_parts(study, line.trained, cell)) parts.push_back(std::move(part));
  return parts;
}

double final_score(const Study& study, const MethodOutput& line, const Cell& cell, int k,
                   const std::string& score) {
  const Json result = study.store.result(part_of(study, line, cell, k));
  const Json& measured = line.trained.empty() ? result : result.at("final");
  return to_number(measured.at(line.output).at(score));
}

double mean_score(const Study& study, const MethodOutput& line, const Cell& cell,
                  const std::string& score) {
  const int count = study.repetitions(cell.p);
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += final_score(study, line, cell, k, score);
  return sum / count;
}

BestLine smallest_nmse(const Study& study, const Lines& lines, const Cell& cell) {
  BestLine best;
  for (const MethodOutput& line : lines) {
    const double value = mean_score(study, line, cell, "nmse");
    if (best.method.empty() || value < best.value) best = {line.method, value};
  }
  return best;
}

std::string describe(const Cell& cell) {
  const std::string sparse = cell.alpha == kStrong ? "strongly sparse"
                             : cell.alpha == kWeak ? "weakly sparse"
                                                   : "alpha " + cell.alpha;
  return fmt::format("p = {}, n = {}, {}", cell.p, cell.n, sparse);
}

}  // namespace spodnet::figures
