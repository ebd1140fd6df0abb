#pragma once

#include "spodnet/models/glad_networks.hpp"

namespace spodnet::glad {

/// NN_rho and its adjoint on whole blocks (kernels.hpp), compiled once per instruction set.
struct RhoKernels {
  const char* name;
  void (*forward)(const double* parameters, const RhoInput& in, double* hidden, double* Z_next);
  void (*backward)(const double* parameters, const RhoInput& in, const double* hidden,
                   const double* multiplicity, const double* d_Z_next, double* d_Theta, double* d_Z,
                   double* d_parameters);
};

}  // namespace spodnet::glad
