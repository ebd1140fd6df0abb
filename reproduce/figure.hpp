#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reproduce/study.hpp"
#include "reproduce/table.hpp"
#include "reproduce/verdict.hpp"

namespace spodnet::figures {

/// One figure of the paper: which parts it needs, the tables made of them, and what becomes of the
/// paper's claims.
struct Figure {
  std::string name;  ///< fig2, ..., beyond
  std::string title;
  std::function<std::vector<Part>(const Study&)> choices = {};  ///< to be finished before `parts`
  std::function<std::vector<Part>(const Study&)> parts;
  std::function<std::vector<ResultTable>(const Study&)> tables;
  std::function<std::vector<Verdict>(const Study&)> verdicts;
};

// One per file, in the paper's order.
Figure fig2();
Figure fig3();
Figure fig4();
Figure fig5();
Figure fig6();
Figure fig7();
Figure fig8();
Figure fig9();
Figure beyond();

const std::vector<Figure>& all_figures();

}  // namespace spodnet::figures
