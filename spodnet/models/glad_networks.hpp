#pragma once

#include <array>
#include <cstddef>

#include "spodnet/layer/parameters.hpp"

namespace spodnet {

/// The two small networks of GLAD, shared by all iterations and all entries:
///   NN_rho(Theta_ij, S_ij, Z_ij): 3 -> 3 tanh -> 3 tanh -> 1 sigmoid      Eq. (16)
///   NN_alpha(||Z - Theta||_F^2, alpha): 2 -> 3 tanh -> 1 sigmoid          Eq. (13)
/// Parameters lie flat in the order of `layout`: rho, alpha, init_offset.
namespace glad {

inline constexpr std::size_t kWidth = 3;  ///< hidden width of both networks
inline constexpr std::size_t kRhoSize = 28;
inline constexpr std::size_t kAlphaStart = kRhoSize;
inline constexpr std::size_t kAlphaSize = 13;
inline constexpr std::size_t kOffsetStart = kAlphaStart + kAlphaSize;
inline constexpr std::size_t kSize = kOffsetStart + 1;
inline constexpr std::size_t kRhoHidden = 7;  ///< numbers kept per entry: 3 tanh, 3 tanh, rho

/// rho.{0,1,2}.{weight,bias}, alpha.{0,1}.{weight,bias}, init_offset (starts at 0.1).
ParameterLayout layout();

/// One call works on `count` entries (a packed triangle, padded to whole blocks, kernels.hpp).
/// `hidden` is kRhoHidden x count.
struct RhoInput {
  std::size_t count = 0;
  const double* Theta = nullptr;
  const double* S = nullptr;
  const double* Z = nullptr;  ///< of the iteration before
};

/// rho = NN_rho(Theta, S, Z) and Z_next = soft_threshold(Theta, rho), entry by entry.  Eq. (16, 17)
void rho_forward(const double* parameters, const RhoInput& in, double* hidden, double* Z_next);

/// Adjoint of `rho_forward`: overwrites d_Theta and d_Z (per entry), adds to d_parameters with
/// `multiplicity` (how many entries of the full matrix each packed one stands for).
void rho_backward(const double* parameters, const RhoInput& in, const double* hidden,
                  const double* multiplicity, const double* d_Z_next, double* d_Theta, double* d_Z,
                  double* d_parameters);

/// What `alpha_backward` needs. The inputs are detached: no gradient leaves through them.
struct AlphaTape {
  double distance2 = 0, alpha_before = 0;
  std::array<double, kWidth> hidden{};
  double alpha = 0;
};

AlphaTape alpha_forward(const double* parameters, double distance2, double alpha_before);
void alpha_backward(const double* parameters, const AlphaTape& tape, double d_alpha,
                    double* d_parameters);

}  // namespace glad
}  // namespace spodnet
