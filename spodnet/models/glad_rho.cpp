#include <cmath>

#include "spodnet/models/glad_networks.hpp"

namespace spodnet::glad {

void rho_forward(const double* parameters, const RhoInput& in, double* hidden, double* Z_next) {
  const double *A = parameters, *a = A + 9, *B = a + 3, *b = B + 9, *c = b + 3;
  const std::size_t m = in.count;
  for (std::size_t e = 0; e < m; ++e) {
    const double theta = in.Theta[e];
    double x[3], out = c[3];
    for (int k = 0; k < 3; ++k)
      x[k] = hidden[k * m + e] =
          std::tanh(A[3 * k] * theta + A[3 * k + 1] * in.S[e] + A[3 * k + 2] * in.Z[e] + a[k]);
    for (int k = 0; k < 3; ++k) {
      const double pre = B[3 * k] * x[0] + B[3 * k + 1] * x[1] + B[3 * k + 2] * x[2] + b[k];
      out += c[k] * (hidden[(3 + k) * m + e] = std::tanh(pre));
    }
    const double rho = hidden[6 * m + e] = 0.5 + 0.5 * std::tanh(0.5 * out);
    Z_next[e] = std::copysign(std::max(std::abs(theta) - rho, 0.0), theta);
  }
}

void rho_backward(const double* parameters, const RhoInput& in, const double* hidden,
                  const double* multiplicity, const double* d_Z_next, double* d_Theta, double* d_Z,
                  double* d_parameters) {
  const double *A = parameters, *B = A + 12, *c = B + 12;
  double *d_A = d_parameters, *d_a = d_A + 9, *d_B = d_a + 3, *d_b = d_B + 9, *d_c = d_b + 3;
  const std::size_t m = in.count;
  for (std::size_t e = 0; e < m; ++e) {
    const double theta = in.Theta[e], rho = hidden[6 * m + e];
    d_Theta[e] = d_Z[e] = 0;
    if (!(std::abs(theta) > rho)) continue;
    const double d_rho = theta > 0 ? -d_Z_next[e] : d_Z_next[e];
    const double d_out = d_rho * rho * (1 - rho), w = multiplicity[e];
    const double input[3] = {theta, in.S[e], in.Z[e]};
    double d_x[3] = {0, 0, 0}, d_input[3] = {0, 0, 0};
    d_c[3] += w * d_out;
    for (int k = 0; k < 3; ++k) {
      const double h = hidden[(3 + k) * m + e], d_pre = d_out * c[k] * (1 - h * h);
      d_c[k] += w * d_out * h;
      d_b[k] += w * d_pre;
      for (int l = 0; l < 3; ++l) {
        d_B[3 * k + l] += w * d_pre * hidden[l * m + e];
        d_x[l] += B[3 * k + l] * d_pre;
      }
    }
    for (int k = 0; k < 3; ++k) {
      const double h = hidden[k * m + e], d_pre = d_x[k] * (1 - h * h);
      d_a[k] += w * d_pre;
      for (int l = 0; l < 3; ++l) {
        d_A[3 * k + l] += w * d_pre * input[l];
        d_input[l] += A[3 * k + l] * d_pre;
      }
    }
    d_Theta[e] = d_Z_next[e] + d_input[0];
    d_Z[e] = d_input[2];
  }
}

}  // namespace spodnet::glad
