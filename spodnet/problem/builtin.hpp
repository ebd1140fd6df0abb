#pragma once

#include "spodnet/problem/loss.hpp"

namespace spodnet {

// The built-in losses, one file each, and the terms they share.

/// ||Theta - Theta_true||_F^2, the paper's.
LossPtr make_mse();
/// The same over ||Theta_true||_F^2: matrices of all sizes and scales count alike.
LossPtr make_nmse();
/// nmse + 0.05 (1 - F1): small entries, which hardly count in the error, are then kept only where
/// there are edges.
LossPtr make_support();
/// Stein's loss per variable + 0.05 (1 - F1), for estimates whose likelihood matters.
LossPtr make_likelihood();
/// log(Stein's loss per variable + 1e-3), and 0.05 (1 - F1) where the truth has zeros: a tenth less
/// is worth the same for few and for many samples, and no matrix outweighs the others.
LossPtr make_log_stein();
/// log(nmse + 1e-4) + 0.3 (1 - F1): a tenth less error is worth the same for few and for many
/// samples.
LossPtr make_balanced();

/// Squared Frobenius norms.
struct ErrorNorms {
  double difference = 0, truth = 0;  ///< of Theta - Theta_true and of Theta_true
};

/// The norms; G = factor (Theta - Theta_true).
ErrorNorms squared_error(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true,
                         double factor, MatrixMap G);

/// 1 - F1; adds weight times its gradient to G. F1 = 2 found / (found + wrong + edges) of the
/// support off the diagonal, where an entry counts t / (t + 0.02) of an edge, with t = |theta_ij|
/// over the true sqrt(Theta_ii Theta_jj). A truth without edges: 0.
double add_missed_edges(const ConstMatrixMap& Theta, const ConstMatrixMap& Theta_true,
                        double weight, MatrixMap G);

}  // namespace spodnet
