#pragma once

#include <functional>

#include "spodnet/program/plan.hpp"

namespace spodnet::program {

/// inv_theta_11 of the current column, for programs that ask for it (count x width, contiguous).
class ColumnSolver {
 public:
  virtual ~ColumnSolver() = default;
  virtual void solve(const double* x, double* h) = 0;
  /// d_x of the adjoint d_h of h; what h owes to the state itself goes to the state's adjoint.
  virtual void solve_back(const double* h, const double* d_h, double* d_x) = 0;
};

/// Runs one stage of a plan; roots as in plan.hpp, with room for plan.arena numbers behind
/// roots[kTemporary] and for plan.slots blocks behind `blocks`.
void run_stage(const Plan& plan, int stage, double* const* roots, double* blocks,
               ColumnSolver* solver);

}  // namespace spodnet::program
