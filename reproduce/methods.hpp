#pragma once

#include <string>
#include <vector>

#include "reproduce/study.hpp"

namespace spodnet::figures {

/// A line of a figure: a trained model or classical method and which of its matrices is meant.
struct MethodOutput {
  std::string method;   ///< as the tables name it
  std::string trained;  ///< the learned method behind it; empty: classical
  std::string output;   ///< theta or z
  bool guaranteed;      ///< SPD and sparse by construction
};

const std::vector<MethodOutput>& paper_models();  ///< ubg, pnp, e2e
const std::vector<MethodOutput>& glad_outputs();  ///< glad-theta, glad-z
const std::vector<MethodOutput>& classical_methods();
const std::vector<MethodOutput>& paper_methods();   ///< all of the above
const std::vector<MethodOutput>& beyond_methods();  ///< and ubg-k2, ubg-k3, best

/// The part behind a line.
Part part_of(const Study& study, const MethodOutput& line, const Cell& cell, int k);

/// The parts of all lines in all cells, every repetition.
std::vector<Part> parts_of(const Study& study, const std::vector<MethodOutput>& lines,
                           const std::vector<Cell>& cells);

/// The learning rates to choose for them.
std::vector<Part> choices_of(const Study& study, const std::vector<MethodOutput>& lines,
                             const std::vector<Cell>& cells);

/// One score of a line on the test set, at the epoch chosen on validation.
double final_score(const Study& study, const MethodOutput& line, const Cell& cell, int k,
                   const std::string& score);

/// The same averaged over the repetitions.
double mean_score(const Study& study, const MethodOutput& line, const Cell& cell,
                  const std::string& score);

/// The line of smallest mean NMSE in a cell.
struct BestLine {
  std::string method;
  double value = 0;
};
BestLine smallest_nmse(const Study& study, const std::vector<MethodOutput>& lines,
                       const Cell& cell);

/// Calls body(cell, k) for every cell and repetition, in order.
template <class Body>
void for_each_repetition(const Study& study, const std::vector<Cell>& cells, Body body) {
  for (const Cell& cell : cells)
    for (int k = 0; k < study.repetitions(cell.p); ++k) body(cell, k);
}

/// "p = 100, n = 100, strongly sparse": a cell in words.
std::string describe(const Cell& cell);

}  // namespace spodnet::figures
