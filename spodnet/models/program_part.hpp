#pragma once

#include <map>

#include "spodnet/program/program.hpp"

namespace spodnet {

enum class ProgramPart { f, threshold, g };

/// What one part of a program reads, for B matrices and one column; all contiguous, by name.
struct ProgramArguments {
  std::size_t B = 1, p = 2, column = 0;
  std::map<std::string, std::vector<double>> inputs;
  std::vector<double> weights;       ///< all, one after the other
  std::vector<double> inv_theta_11;  ///< B x width x width, for a program that solves
};

struct ProgramAnswer {
  std::vector<double> out;
  std::map<std::string, std::vector<double>> d_inputs;
  std::vector<double> d_weights;
};

/// One part alone: its answer, and from d_out (empty: not wanted) all its gradients. For tests
/// and for comparing a captured program with what it was captured from.
ProgramAnswer evaluate(const Program& program, ProgramPart part, const ProgramArguments& at,
                       const std::vector<double>& d_out);

}  // namespace spodnet
