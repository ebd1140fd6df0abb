#pragma once

#include <string>
#include <vector>

#include "cli/problems.hpp"
#include "cli/report.hpp"

namespace spodnet::cli {

/// What a person wants to know of one estimate.
struct Summary {
  Status status = Status::ok;
  std::string message;
  double residual = 0;  ///< ||Theta W - I||_F
  int refreshes = 0;
  std::size_t edges = 0, pairs = 0;
  double eig_min = 0, eig_max = 0, condition = 0;
  double seconds = 0;
  std::string form;  ///< of `pretrained`
  std::vector<std::pair<std::string, double>> details;
};

Summary summarise(const Estimate& estimate, double seconds);

/// The worst status and residual, the smallest eigenvalue, the sums of the rest; form and details
/// only of a single estimate.
Summary combine(const std::vector<Summary>& all);

Json to_json(const Summary& summary);
std::vector<std::string> to_lines(const Summary& summary, std::size_t count);

}  // namespace spodnet::cli
