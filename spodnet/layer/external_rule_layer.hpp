#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/layer/external_rule_adjoint.hpp"
#include "spodnet/layer/schur_state.hpp"

namespace spodnet {

/// What a rule may read of column i, one row per matrix, or the adjoints of it; null: not wanted.
/// Vectors are `width` wide: p - 1 (without entry i) or p (with 0 there).
template <class Number>
struct ColumnFields {
  Number* theta = nullptr;  ///< width
  Number* w = nullptr;      ///< width
  Number* theta_22 = nullptr;
  Number* w_22 = nullptr;
  Number* diag_Theta = nullptr;  ///< p
};

/// One layer of Algorithm 1, and its adjoint, for a batch of matrices and a rule outside the
/// library (SpodLayer in spod_layer.hpp calls its rule; here the caller computes f, the thresholds
/// and g of each column for the whole batch, and passes in z, lambda and v). Only w, y, h and u of
/// each column are kept, O(p^2) numbers: the backward undoes W from the layer's output.
///
///   begin, then for each i: fields, [solve ...], scale, quadratic, update; then end
///   back_begin, then for each i from p - 1 down: back_threshold, [back_scale], [back_solve ...],
///   back_close; then back_end
///
/// Numbers that cannot be used (NaN, infinity, a margin that is not positive) stop that one matrix:
/// it keeps its last SPD iterate, has no gradient, and the others go on.
class ExternalRuleLayer {
 public:
  ExternalRuleLayer(std::size_t count, std::size_t p);

  std::size_t count() const { return matrices_.size(); }
  std::size_t p() const { return p_; }
  std::size_t bytes() const;

  /// Theta and W = Theta^{-1}, count x p x p; a matrix that is not `usable` (null: all are) is
  /// replaced by the identity and stops at once.
  void begin(const double* Theta, const double* W, const std::uint8_t* usable,
             const LayerOptions& options);
  void fields(std::size_t i, std::size_t width, const ColumnFields<double>& out);
  /// out = inv_theta_11 x, count x width.
  void solve(std::size_t i, std::size_t width, const double* x, double* out);
  /// scaled = z times its scale (layer/options.hpp).
  void scale(std::size_t i, std::size_t width, const double* z, double* scaled);
  /// theta_12^+ = soft_threshold(scaled, lambda) (null: scaled itself) and its q, `stride` apart.
  void quadratic(std::size_t i, std::size_t width, const double* scaled, const double* lambda,
                 double* q, std::size_t stride);
  /// Alg. 1, line 7, with the margins v (count).
  void update(std::size_t i, const double* v);
  /// Theta and W of the layer, exactly symmetric, Theta SPD by Cholesky; a matrix that was not
  /// usable gets nothing written.
  void end(double* Theta, double* W);

  Status status(std::size_t k) const { return matrices_[k].status; }
  std::size_t done(std::size_t k) const { return matrices_[k].done; }  ///< columns rewritten

  /// d_Theta: total, W = Theta^{-1} substituted; W: as `end` gave it. Not `to_input`: only what the
  /// rule's adjoints need is computed, and there is no back_end.
  void back_begin(const double* d_Theta, const double* W, bool to_input = true);
  /// With the partial derivatives J (count x 3) of v by (theta_22, w_22, q): d_v (count), d_lambda
  /// (null: there is no threshold) and d_scaled, which does not have lambda's own contribution
  /// unless `slope` (d lambda_j / d scaled_j, where each lambda_j reads scaled_j alone) is given.
  void back_threshold(std::size_t i, std::size_t width, const double* J, const double* slope,
                      double* d_v, double* d_lambda, double* d_scaled);
  // The same in two steps, for a g that goes back from d_v itself: d_v (count), then with g's own
  // adjoint d_q of q (count) the others. What g adds to theta_22 and w_22 is back_close's.
  void back_margin(std::size_t i, double* d_v);
  void back_form(std::size_t i, std::size_t width, const double* d_q, const double* slope,
                 double* d_lambda, double* d_scaled);
  /// d_z of the unscaled z.
  void back_scale(std::size_t i, std::size_t width, const double* scaled, const double* d_scaled,
                  double* d_z);
  /// With h = inv_theta_11 x and its adjoint d_h: d_x = inv_theta_11 d_h.
  void back_solve(std::size_t i, std::size_t width, const double* h, const double* d_h,
                  double* d_x);
  /// Undoes column i in W and G, with the adjoints of the fields.
  void back_close(std::size_t i, std::size_t width, const ColumnFields<const double>& d);
  void back_end(double* d_Theta);

 private:
  struct Slot {  ///< one matrix
    SchurState state;
    LayerTape tape;
    ExternalRuleAdjoint adjoint;
    Status status = Status::ok;
    bool usable = true;
    bool suspect = false;  ///< W drifted or a margin is small: the end is checked by Cholesky
    std::size_t done = 0;
    double drift_allowed = 0;
    double d_q = 0, d_theta_22 = 0, d_w_22 = 0;
  };

  /// The k-th of a sweep over all W. Sweeps go up and down in turn: a batch is larger than the
  /// cache, and each sweep begins with the matrices that the last one left there.
  std::size_t turn(bool down, std::size_t k) const { return down ? count() - 1 - k : k; }
  double inv_theta_11(Slot& m, std::size_t i, const double* x, double* out);
  void refresh_if_drifted(Slot& m, std::size_t i);
  void fail(Slot& m, double number);
  void keep_spd(Slot& m);
  void spread(std::size_t i, std::size_t width, const double* x, double* out) const;
  void gather(std::size_t i, std::size_t width, const double* x, double* out) const;

  std::size_t p_, ld_;
  LayerOptions options_;
  std::vector<Slot> matrices_;
  AlignedVector x_, product_, g_, m_;  ///< scratch of one column of one matrix
  AlignedVector columns_;              ///< column i of every G, between the steps back
};

}  // namespace spodnet
