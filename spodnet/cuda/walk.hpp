#pragma once

#include <cstddef>
#include <cstdint>

#include "spodnet/core/scaling.hpp"

namespace spodnet::cuda {

/// The rules of the library that a device knows.
enum class RuleKind { ubg, pnp, e2e, ubg_any, pnp_any, consistent_any };

/// Whether a rule has no p of its own (a question of the host).
constexpr bool size_free(RuleKind kind) { return kind >= RuleKind::ubg_any; }

/// A perceptron in -> hidden -> ReLU -> out: where its tensors start among a layer's weights.
/// hidden = 0: there is none.
struct MlpAt {
  int in = 0, hidden = 0, out = 0;
  int A1 = 0, b1 = 0, A2 = 0, b2 = 0;
};

/// A network of every entry (models/entry_network.hpp).
struct EntryNetworkAt {
  int hidden = 0, features = 0;
  int A = 0, C = 0, b = 0, B = 0, c = 0;
  MlpAt adapt;
};

/// One layer's weights.
struct RuleAt {
  RuleKind kind = RuleKind::ubg;
  int p = 0;         ///< number of variables; 0: any
  int size = 0;      ///< numbers in a layer
  int small = 0;     ///< of them, from the start: g and lambda of the paper's rules
  int features = 0;  ///< of a column (size-free rules)
  double kappa = 1;  ///< factor of the thresholds (paper's rules)
  int g_hidden = 0, g_A[3] = {}, g_b[3] = {};             ///< the paper's g
  int lambda_hidden = 0, B1 = 0, c1 = 0, B2 = 0, c2 = 0;  ///< the paper's lambda
  MlpAt gamma, map, margin;  ///< gamma; psi or phi of the paper's rules; g of the size-free ones
  EntryNetworkAt lambda, psi;
};

/// What all matrices of a call have in common.
struct WalkShape {
  RuleAt rule;
  int layers = 1;
  bool tied = false;
  Scaling scaling = Scaling::normalize;
  double zeta = 1, v_min = 1e-8, sparsity = 1;
  bool learn_offset = false;
  int offset_terms = 0;  ///< of the model's parameters, the last ones: the input offset's,
  int start_terms = 0;   ///< or those of a learned start in its place
  int parameters = 0;    ///< of the model

  /// Parameters after the layers', whose gradients are the host's.
  constexpr int tail() const { return offset_terms + start_terms; }
};

/// One matrix; pointers are the device's.
struct WalkProblem {
  const double* S = nullptr;
  const double* truth = nullptr;    ///< null: no loss
  double* Theta = nullptr;          ///< the estimate; null: not wanted
  double* W = nullptr;              ///< its inverse; null: not wanted
  double* state = nullptr;          ///< W as the walk left it, also for a backward of its own
  const double* G = nullptr;        ///< what such a backward begins with
  const double* summary = nullptr;  ///< of S, null: none
  const double* input = nullptr;    ///< (S + a I)^{-1}, null: not known
  double* start = nullptr;          ///< W_in instead of S + a I; a backward leaves the adjoint of
                                    ///< Theta_in in its place. Null: there is none
  double n = 0, offset = 1;
  double factor = 0;  ///< G = factor (Theta - truth)
  int p = 0;
  int row = 0;  ///< its place in the list: of results and gradients
};

/// What became of one matrix.
struct Outcome {
  double squared_error = 0;  ///< ||Theta - truth||_F^2
  double drift = 0;          ///< largest |w_i' Theta_i - 1|
  double d_offset = 0;       ///< of the input offset
  double residual = 0;       ///< ||Theta W - I||_F, where an inverse was asked for
  int bad = 0;               ///< not 0: a pivot, q0, q or v was not usable
  int pad = 0;
};

/// One call: the same for all its matrices.
struct Launch {
  WalkShape shape;
  const WalkProblem* problems = nullptr;
  int count = 0;
  bool forward = true, backward = false;
  const double* weights = nullptr;
  const double* host_weights = nullptr;  ///< the same on the host; null: not known
  const double* transposed = nullptr;    ///< of each layer: see transposed_numbers
  double* gradients = nullptr;           ///< [row][parameter]
  double* memory = nullptr;              ///< of each matrix or block: see walk_numbers
  bool keep = false;                     ///< memory is each matrix's own
  Outcome* outcomes = nullptr;           ///< [row]
};

}  // namespace spodnet::cuda
