#include "spodnet/models/glad_iterations.hpp"

#include <cmath>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/packed.hpp"

namespace spodnet::glad {
namespace {

/// Theta = (-Y + (Y^2 + (4/alpha) I)^{1/2})/2 in the eigenbasis of Y.                     Eq. (15)
/// For y > 0 the difference cancels: theta = (2/alpha)/(y + s) instead.
void half_root(double alpha, std::size_t p, const AlignedVector& y, AlignedVector& s,
               AlignedVector& theta) {
  for (std::size_t i = 0; i < p; ++i) {
    s[i] = std::hypot(y[i], 2 / std::sqrt(alpha));
    theta[i] = y[i] > 0 ? 2 / alpha / (y[i] + s[i]) : 0.5 * (s[i] - y[i]);
  }
}

/// First iteration: Z_0 is a function of S, hence so is Y, and S alone is decomposed:
/// y = sigma/alpha - zeta with zeta = 1/(sigma + offset).                                 Eq. (14)
Status first_spectrum(double offset, double alpha, Tape& tape) {
  SymmetricEigen& Y = tape.iterations.front().Y;
  const Status status = symmetric_eigen(tape.S.data(), Y);
  if (status != Status::ok) return status;
  for (std::size_t i = 0; i < tape.p; ++i) {
    tape.sigma[i] = Y.y[i];
    tape.zeta[i] = 1 / (tape.sigma[i] + offset);
    Y.y[i] = tape.sigma[i] / alpha - tape.zeta[i];
  }
  tape.products.assemble(Y, tape.zeta.data(), tape.Z_0.data());
  return Status::ok;
}

Status next_spectrum(const AlignedVector& Z, double alpha, Tape& tape, SymmetricEigen& Y) {
  for (std::size_t e = 0; e < tape.count; ++e) tape.work[e] = tape.S[e] / alpha - Z[e];  // Eq. (14)
  return symmetric_eigen(tape.work.data(), Y);
}

const AlignedVector& Z_before(const Tape& tape, std::size_t k) {
  return k == 0 ? tape.Z_0 : tape.iterations[k - 1].Z;
}

RhoInput rho_input(const Tape& tape, std::size_t k) {
  return {tape.count, tape.iterations[k].Theta.data(), tape.S.data(), Z_before(tape, k).data()};
}

/// d_Y = V' (K o (V d_Theta V')) V with the divided differences of theta(y),
///   K_ij = (theta_i - theta_j)/(y_i - y_j) = -(theta_i + theta_j)/(s_i + s_j):
/// no difference is left in it, so equal eigenvalues need no care.
/// Leaves d_Y in tape.work and returns d_alpha.
double spectrum_backward(const Iteration& it, Tape& tape) {
  const double alpha = it.alpha.alpha;
  const std::size_t p = tape.p, ld = it.Y.ld;
  tape.products.to_basis(it.Y, tape.d_Theta.data(), tape.M.data());
  double d_c = 0;  // c = 4/alpha, d theta / d c = 1/(4 s)
  for (std::size_t i = 0; i < p; ++i) {
    double* row = tape.M.data() + i * ld;
    d_c += row[i] / (4 * it.s[i]);
    for (std::size_t j = 0; j < p; ++j)
      row[j] *= -(it.theta[i] + it.theta[j]) / (it.s[i] + it.s[j]);
  }
  tape.products.from_basis(it.Y, tape.M.data(), tape.work.data());
  return -(4 * d_c + tape.inner(tape.work, tape.S)) / (alpha * alpha);
}

/// The first iteration's share: Theta_1 and Z_0 depend on alpha and offset through eigenvalues
/// only, so the diagonals of V d V' are enough. Returns d_alpha, adds to d_offset.
double first_spectrum_backward(Tape& tape, double& d_offset) {
  const Iteration& it = tape.iterations.front();
  const double alpha = it.alpha.alpha;
  double *d_theta = tape.M.data(), *d_zeta = d_theta + it.Y.ld, d_alpha = 0;
  tape.products.diagonal(it.Y, tape.d_Theta.data(), d_theta);
  tape.products.diagonal(it.Y, tape.d_Z_before.data(), d_zeta);
  for (std::size_t i = 0; i < tape.p; ++i) {
    const double d_y = -d_theta[i] * it.theta[i] / it.s[i];
    d_alpha += d_theta[i] * (it.theta[i] * tape.sigma[i] - 1) / (alpha * alpha * it.s[i]);
    d_offset += (d_y - d_zeta[i]) * tape.zeta[i] * tape.zeta[i];
  }
  return d_alpha;
}

}  // namespace

void Tape::resize(std::size_t p_, int L) {
  if (p == p_ && int(iterations.size()) == L) return;
  p = p_;
  count = padded(packed_size(p));
  for (AlignedVector* packed : {&S, &Z_0, &multiplicity, &d_Z, &d_Z_before, &d_Theta, &work})
    packed->assign(count, 0.0);
  for (AlignedVector* spectrum : {&sigma, &zeta}) spectrum->assign(p, 0.0);
  M.assign(padded(p) * padded(p), 0.0);
  products.resize(p);
  std::fill_n(multiplicity.begin(), packed_size(p), 2.0);
  for (std::size_t i = 0; i < p; ++i) multiplicity[packed_size(i) + i] = 1;
  iterations.resize(std::size_t(L));
  for (Iteration& it : iterations) {
    it.Y.resize(p);
    for (AlignedVector* spectrum : {&it.s, &it.theta}) spectrum->assign(p, 0.0);
    for (AlignedVector* packed : {&it.Theta, &it.Z, &it.G}) packed->assign(count, 0.0);
    it.hidden.assign(kRhoHidden * count, 0.0);
  }
}

double Tape::inner(const AlignedVector& A, const AlignedVector& B) const {
  double diagonal = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const std::size_t e = packed_size(i) + i;
    diagonal += A[e] * B[e];
  }
  return 2 * kernels().dot(count, A.data(), B.data()) - diagonal;
}

double Tape::distance2(const AlignedVector& A, const AlignedVector& B) {
  for (std::size_t e = 0; e < count; ++e) work[e] = A[e] - B[e];
  return inner(work, work);
}

Status forward(const double* parameters, const double* S, Tape& tape) {
  pack_lower(S, tape.p, tape.p, tape.S.data());
  AlphaTape alpha = alpha_forward(parameters, 1, 0);
  for (std::size_t k = 0; k < tape.iterations.size(); ++k) {
    Iteration& it = tape.iterations[k];
    it.alpha = alpha;
    const Status status = k == 0 ? first_spectrum(parameters[kOffsetStart], alpha.alpha, tape)
                                 : next_spectrum(Z_before(tape, k), alpha.alpha, tape, it.Y);
    if (status != Status::ok) return status;
    half_root(alpha.alpha, tape.p, it.Y.y, it.s, it.theta);
    tape.products.assemble(it.Y, it.theta.data(), it.Theta.data());
    rho_forward(parameters, rho_input(tape, k), it.hidden.data(), it.Z.data());
    const double distance2 = tape.distance2(it.Z, it.Theta);
    if (!std::isfinite(distance2)) return Status::not_finite;
    alpha = alpha_forward(parameters, distance2, alpha.alpha);
  }
  return Status::ok;
}

void backward(const double* parameters, Tape& tape, double* d_parameters) {
  std::fill(tape.d_Z_before.begin(), tape.d_Z_before.end(), 0.0);
  for (std::size_t k = tape.iterations.size(); k-- > 0;) {
    Iteration& it = tape.iterations[k];
    for (std::size_t e = 0; e < tape.count; ++e) tape.d_Z[e] = tape.d_Z_before[e] + it.G[e];
    rho_backward(parameters, rho_input(tape, k), it.hidden.data(), tape.multiplicity.data(),
                 tape.d_Z.data(), tape.d_Theta.data(), tape.d_Z_before.data(), d_parameters);
    double d_alpha = 0;
    if (k > 0) {
      d_alpha = spectrum_backward(it, tape);
      kernels().axpy(tape.count, -1, tape.work.data(), tape.d_Z_before.data());  // Eq. (14)
    } else {
      d_alpha = first_spectrum_backward(tape, d_parameters[kOffsetStart]);
    }
    alpha_backward(parameters, it.alpha, d_alpha, d_parameters);
  }
}

}  // namespace spodnet::glad
