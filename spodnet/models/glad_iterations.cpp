#include "spodnet/models/glad_iterations.hpp"

#include <cmath>

#include "spodnet/core/packed.hpp"

namespace spodnet::glad {
namespace {

/// Theta = (-Y + (Y^2 + (4/alpha) I)^{1/2})/2 in the eigenbasis of Y.                     Eq. (15)
/// For y > 0 the difference cancels: theta = (2/alpha)/(y + s) instead.
void half_root(double alpha, const Vector& y, Vector& s, Vector& theta) {
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    s[i] = std::hypot(y[i], 2 / std::sqrt(alpha));
    theta[i] = y[i] > 0 ? 2 / alpha / (y[i] + s[i]) : 0.5 * (s[i] - y[i]);
  }
}

/// First iteration: Z_0 is a function of S, hence so is Y, and S alone is decomposed:
/// y = sigma/alpha - zeta with zeta = 1/(sigma + offset).                                 Eq. (14)
Status first_spectrum(double offset, double alpha, Tape& tape) {
  Iteration& it = tape.iterations.front();
  unpack_symmetric(tape.S.data(), tape.p, tape.p, tape.full.data());
  const Status status = symmetric_eigen(tape.full, it.Y);
  if (status != Status::ok) return status;
  tape.sigma = it.Y.y;
  tape.zeta = (tape.sigma.array() + offset).inverse();
  it.Y.y = tape.sigma / alpha - tape.zeta;
  spectral_matrix(it.Y.V, tape.zeta, tape.full, tape.product, tape.Z_0);
  return Status::ok;
}

Status next_spectrum(const Vector& Z, double alpha, Tape& tape, Iteration& it) {
  tape.d_Theta = tape.S / alpha - Z;  // Eq. (14)
  unpack_symmetric(tape.d_Theta.data(), tape.p, tape.p, tape.full.data());
  return symmetric_eigen(tape.full, it.Y);
}

const Vector& Z_before(const Tape& tape, std::size_t k) {
  return k == 0 ? tape.Z_0 : tape.iterations[k - 1].Z;
}

RhoInput rho_input(const Tape& tape, std::size_t k) {
  return {std::size_t(tape.S.size()), tape.iterations[k].Theta.data(), tape.S.data(),
          Z_before(tape, k).data()};
}

/// d_Y = V^T (K o (V d_Theta V^T)) V with the divided differences of theta(y),
///   K_ij = (theta_i - theta_j)/(y_i - y_j) = -(theta_i + theta_j)/(s_i + s_j):
/// no difference is left in it, so equal eigenvalues need no care.
/// Overwrites tape.d_Theta by d_Y (packed) and returns d_alpha.
double spectrum_backward(const Iteration& it, Tape& tape) {
  const double alpha = it.alpha.alpha;
  const Matrix& V = it.Y.V;
  unpack_symmetric(tape.d_Theta.data(), tape.p, tape.p, tape.full.data());
  tape.product.noalias() = V * tape.full;
  tape.full.noalias() = tape.product * V.transpose();
  double d_c = 0;  // c = 4/alpha, d theta / d c = 1/(4 s)
  for (Eigen::Index i = 0; i < it.s.size(); ++i) {
    d_c += tape.full(i, i) / (4 * it.s[i]);
    for (Eigen::Index j = 0; j < it.s.size(); ++j)
      tape.full(i, j) *= -(it.theta[i] + it.theta[j]) / (it.s[i] + it.s[j]);
  }
  tape.product.noalias() = tape.full * V;
  tape.full.noalias() = V.transpose() * tape.product;
  pack_lower(tape.full.data(), tape.p, tape.p, tape.d_Theta.data());
  return -(4 * d_c + packed_inner(tape.d_Theta.data(), tape.S.data(), tape.p)) / (alpha * alpha);
}

/// The first iteration's share: Theta_1 and Z_0 depend on alpha and offset through eigenvalues
/// only, so the diagonals of V d V^T are enough. Returns d_alpha, adds to d_offset.
double first_spectrum_backward(Tape& tape, double& d_offset) {
  const Iteration& it = tape.iterations.front();
  const double alpha = it.alpha.alpha;
  const Matrix& V = it.Y.V;
  double d_alpha = 0;
  unpack_symmetric(tape.d_Theta.data(), tape.p, tape.p, tape.full.data());
  tape.product.noalias() = V * tape.full;
  for (Eigen::Index i = 0; i < it.s.size(); ++i) {
    const double d_theta = tape.product.row(i).dot(V.row(i));
    d_alpha += d_theta * (it.theta[i] * tape.sigma[i] - 1) / (alpha * alpha * it.s[i]);
    d_offset -= d_theta * it.theta[i] / it.s[i] * tape.zeta[i] * tape.zeta[i];
  }
  unpack_symmetric(tape.d_Z_before.data(), tape.p, tape.p, tape.full.data());
  tape.product.noalias() = V * tape.full;
  for (Eigen::Index i = 0; i < it.s.size(); ++i)
    d_offset -= tape.product.row(i).dot(V.row(i)) * tape.zeta[i] * tape.zeta[i];
  return d_alpha;
}

}  // namespace

void Tape::resize(std::size_t p_, int L) {
  if (p == p_ && int(iterations.size()) == L) return;
  p = p_;
  const Eigen::Index n = Eigen::Index(p), m = Eigen::Index(packed_size(p));
  for (Vector* packed : {&S, &Z_0, &multiplicity, &d_Z, &d_Z_before, &d_Theta}) packed->resize(m);
  for (Vector* spectrum : {&sigma, &zeta}) spectrum->resize(n);
  for (Matrix* scratch : {&full, &product}) scratch->resize(n, n);
  multiplicity.setConstant(2);
  for (std::size_t i = 0; i < p; ++i) multiplicity[Eigen::Index(packed_size(i) + i)] = 1;
  iterations.resize(std::size_t(L));
  for (Iteration& it : iterations) {
    it.Y.V.resize(n, n);
    for (Vector* spectrum : {&it.Y.y, &it.s, &it.theta}) spectrum->resize(n);
    for (Vector* packed : {&it.Theta, &it.Z}) packed->resize(m);
    it.hidden.resize(Eigen::Index(kRhoHidden) * m);
  }
}

void spectral_matrix(const Matrix& V, const Vector& weights, Matrix& scratch, Matrix& product,
                     Vector& out) {
  scratch.noalias() = weights.asDiagonal() * V;
  product.noalias() = V.transpose() * scratch;
  pack_lower(product.data(), std::size_t(V.rows()), std::size_t(V.rows()), out.data());
}

Status forward(const double* parameters, const double* S, Tape& tape) {
  pack_lower(S, tape.p, tape.p, tape.S.data());
  AlphaTape alpha = alpha_forward(parameters, 1, 0);
  for (std::size_t k = 0; k < tape.iterations.size(); ++k) {
    Iteration& it = tape.iterations[k];
    it.alpha = alpha;
    const Status status = k == 0 ? first_spectrum(parameters[kOffsetStart], alpha.alpha, tape)
                                 : next_spectrum(Z_before(tape, k), alpha.alpha, tape, it);
    if (status != Status::ok) return status;
    half_root(alpha.alpha, it.Y.y, it.s, it.theta);
    spectral_matrix(it.Y.V, it.theta, tape.full, tape.product, it.Theta);
    rho_forward(parameters, rho_input(tape, k), it.hidden.data(), it.Z.data());
    const double distance2 = packed_distance2(it.Z.data(), it.Theta.data(), tape.p);
    if (!std::isfinite(distance2)) return Status::not_finite;
    alpha = alpha_forward(parameters, distance2, alpha.alpha);
  }
  return Status::ok;
}

void backward(const double* parameters, const double* Theta_true, Tape& tape,
              double* d_parameters) {
  const double weight = 2.0 / double(tape.iterations.size());
  const Eigen::Map<const Vector> target(Theta_true, tape.S.size());
  tape.d_Z_before.setZero();
  for (std::size_t k = tape.iterations.size(); k-- > 0;) {
    Iteration& it = tape.iterations[k];
    tape.d_Z = tape.d_Z_before + weight * (it.Z - target);
    rho_backward(parameters, rho_input(tape, k), it.hidden.data(), tape.multiplicity.data(),
                 tape.d_Z.data(), tape.d_Theta.data(), tape.d_Z_before.data(), d_parameters);
    double d_alpha = 0;
    if (k > 0) {
      d_alpha = spectrum_backward(it, tape);
      tape.d_Z_before -= tape.d_Theta;  // Y = S/alpha - Z
    } else {
      d_alpha = first_spectrum_backward(tape, d_parameters[kOffsetStart]);
    }
    alpha_backward(parameters, it.alpha, d_alpha, d_parameters);
  }
}

}  // namespace spodnet::glad
