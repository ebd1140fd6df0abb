#include "spodnet/models/program_layer.hpp"

#include <algorithm>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {

/// inv_theta_11 of the column at hand.
class ProgramLayer::Solver : public program::ColumnSolver {
 public:
  Solver(ExternalRuleLayer& layer, std::size_t i, std::size_t width)
      : layer_(layer), i_(i), width_(width) {}
  void solve(const double* x, double* h) override { layer_.solve(i_, width_, x, h); }
  void solve_back(const double* h, const double* d_h, double* d_x) override {
    layer_.back_solve(i_, width_, h, d_h, d_x);
  }

 private:
  ExternalRuleLayer& layer_;
  std::size_t i_, width_;
};

ProgramLayer::ProgramLayer(std::shared_ptr<const ColumnProgram> program, bool keeps)
    : keeps_(keeps),
      memory_(program, keeps ? program->p() : 1),
      layer_(program->B(), program->p()) {
  theta_ = field("theta_12", "theta", keeps);
  w_ = field("w_12", "w", keeps);
  theta_22_ = field("theta_22", "", keeps);
  w_22_ = field("w_22", "", keeps);
  diag_Theta_ = field("diag_Theta", "", keeps);
  z_ = field("z", "", false);
  q_ = field("q", "", keeps);
  s_ = field("s_12", "s", false);
  s_22_ = field("s_22", "", false);
  diag_S_ = field("diag_S", "", false);
  n_ = field("n", "", false);
  index_ = field("index", "", false);
  for (int k = 0; program->input("context" + std::to_string(k)) >= 0; ++k)
    contexts_.push_back(field(("context" + std::to_string(k)).c_str(), "", false));
  const std::size_t vectors = B() * width();
  scaled_.assign(vectors * (keeps ? p() : 1) + 8, 0.0);
  d_scaled_.assign(vectors + 8, 0.0);
  q_row_.assign(B(), 0.0);
  whole_.assign(2 * p(), 0.0);
}

ProgramLayer::Field ProgramLayer::field(const char* compact, const char* full, bool kept) const {
  Field out{.at = program().input(compact)};
  if (out.at < 0 && *full) out.at = program().input(full);
  if (out.at < 0) return out;
  out.size = program().inputs()[std::size_t(out.at)].size;
  out.rows.assign(out.size * (kept ? p() : 1), 0.0);
  return out;
}

std::size_t ProgramLayer::bytes() const {
  std::size_t doubles = scaled_.size();
  for (const Field* field : {&theta_, &w_, &theta_22_, &w_22_, &diag_Theta_, &q_, &s_, &diag_S_})
    doubles += field->rows.size();
  return layer_.bytes() + program().bytes(keeps_ ? p() : 1) + doubles * sizeof(double);
}

void ProgramLayer::place(std::size_t i, const double* weights, double* d_weights) {
  for (Field* field : {&theta_, &w_, &theta_22_, &w_22_, &diag_Theta_, &q_})
    if (field->at >= 0) memory_.set_input(field->at, row(*field, i));
  for (Field* field : {&s_, &s_22_, &diag_S_, &n_, &index_})
    if (field->at >= 0) memory_.set_input(field->at, field->rows.data());
  for (Field& field : contexts_) memory_.set_input(field.at, field.rows.data());
  if (z_.at >= 0) memory_.set_input(z_.at, scaled(i));
  memory_.begin(i, weights, d_weights);
  load_S(i);
}

void ProgramLayer::load_S(std::size_t i) {
  const std::size_t width = this->width();
  for (std::size_t k = 0; k < B(); ++k) {
    const double* S = in_.S.empty() ? nullptr : in_.S[k];
    if (s_.at >= 0) {
      const double* row = S + i * p();
      double* out = std::copy_n(row, i, s_.rows.data() + k * width);
      if (width == p()) *out++ = 0;
      std::copy(row + i + 1, row + p(), out);
    }
    if (s_22_.at >= 0) s_22_.rows[k] = S[i * p() + i];
    if (index_.at >= 0) index_.rows[k] = double(i);
  }
}

/// What is the same in every column.
void ProgramLayer::load_constants() {
  if ((s_.at >= 0 || s_22_.at >= 0 || diag_S_.at >= 0) && in_.S.size() != B())
    throw Error("the program reads the covariance S: give S");
  if (n_.at >= 0 && in_.n.size() != B())
    throw Error("the program reads n: give n, the number of samples");
  if (in_.contexts.size() < contexts_.size())
    throw Error("the program reads context" + std::to_string(in_.contexts.size()) +
                ": a layer alone can be given it (spodnet.torch), not a model");
  for (std::size_t k = 0; k < B(); ++k) {
    if (n_.at >= 0) n_.rows[k] = in_.n[k];
    for (std::size_t j = 0; diag_S_.at >= 0 && j < p(); ++j)
      diag_S_.rows[k * p() + j] = in_.S[k][j * p() + j];
  }
  for (std::size_t c = 0; c < contexts_.size(); ++c)
    std::copy_n(in_.contexts[c], contexts_[c].size, contexts_[c].rows.data());
}

/// Prior knowledge: z_j becomes 0 where Theta_ij must not have its sign; with d_z, the adjoint.
void ProgramLayer::mask(std::size_t i, double* z, double* d_z) {
  const std::size_t width = this->width();
  for (std::size_t k = 0; k < in_.constraints.size(); ++k) {
    if (!in_.constraints[k]) continue;
    const auto move = [&](double* row, double* whole, bool out) {
      for (std::size_t j = 0, at = 0; j < p(); ++j) {
        if (j == i && width != p()) continue;
        if (out)
          row[at++] = whole[j];
        else
          whole[j] = row[at++];
      }
    };
    double *whole = whole_.data(), *d_whole = whole + p();
    move(z + k * width, whole, false);
    if (!d_z) {
      in_.constraints[k]->mask(i, whole);
      move(z + k * width, whole, true);
    } else {
      move(d_z + k * width, d_whole, false);
      in_.constraints[k]->mask_backward(i, whole, d_whole);
      move(d_z + k * width, d_whole, true);
    }
  }
}

void ProgramLayer::forward(const ProgramLayerInput& in, const LayerOptions& options,
                           const double* weights, double* Theta, double* W) {
  in_ = in;
  options_ = options;
  load_constants();
  layer_.begin(in.Theta, in.W, in.usable, options);
  for (std::size_t i = 0; i < p(); ++i) {
    leave_if_stopped();
    place(i, weights, nullptr);
    Solver solver(layer_, i, width());
    step(i, solver);
  }
  layer_.end(Theta, W);
}

void ProgramLayer::step(std::size_t i, program::ColumnSolver& solver) {
  layer_.fields(i, width(),
                {.theta = width() ? row(theta_, i) : nullptr,
                 .w = width() ? row(w_, i) : nullptr,
                 .theta_22 = row(theta_22_, i),
                 .w_22 = row(w_22_, i),
                 .diag_Theta = row(diag_Theta_, i)});
  double* lambda = nullptr;
  if (p() > 1) {
    memory_.run_f(&solver);
    if (!in_.constraints.empty()) mask(i, memory_.z(), nullptr);
    layer_.scale(i, width(), memory_.z(), scaled(i));
    if (program().has_threshold()) {
      memory_.run_threshold(&solver);
      lambda = memory_.lambda();
    }
    for (std::size_t j = 0; lambda && options_.sparsity != 1 && j < B() * width(); ++j)
      if (lambda[j] <= std::numeric_limits<double>::max()) lambda[j] *= options_.sparsity;
  } else {
    layer_.scale(i, 0, nullptr, nullptr);
  }
  double* q = q_.at >= 0 ? row(q_, i) : q_row_.data();
  layer_.quadratic(i, width(), scaled(i), lambda, q, 1);
  memory_.run_g(&solver);
  layer_.update(i, memory_.v());
}

const double* ProgramLayer::adjoint(const Field& field) {
  if (field.at < 0 || !program().inputs()[std::size_t(field.at)].has_adjoint) return nullptr;
  return memory_.adjoint(field.at);
}

void ProgramLayer::backward(const double* weights, const double* d_Theta, const double* W,
                            const ProgramLayerAdjoint& out) {
  for (const auto& each : out.d_contexts)
    if (each) std::fill_n(each, contexts_[std::size_t(&each - out.d_contexts.data())].size, 0.0);
  layer_.back_begin(d_Theta, W, out.d_Theta != nullptr);
  for (std::size_t i = p(); i-- > 0;) {
    leave_if_stopped();
    place(i, weights, out.d_weights);
    Solver solver(layer_, i, width());
    renew_stopped(i, solver);
    step_back(i, solver);
    if (!out.d_S.empty()) add_S(i, out.d_S);
    for (std::size_t c = 0; c < out.d_contexts.size(); ++c)
      if (const double* d = adjoint(contexts_[c]))
        for (std::size_t j = 0; j < contexts_[c].size; ++j) out.d_contexts[c][j] += d[j];
  }
  if (out.d_Theta) layer_.back_end(out.d_Theta);
  memory_.add_products(p(), out.d_weights);
}

void ProgramLayer::step_back(std::size_t i, program::ColumnSolver& solver) {
  layer_.back_margin(i, memory_.d_v());
  memory_.back_g(&solver);
  layer_.back_form(i, width(), adjoint(q_), nullptr,
                   program().has_threshold() && p() > 1 ? memory_.d_lambda() : nullptr,
                   d_scaled_.data());
  memory_.back_threshold(&solver);
  if (const double* d = adjoint(z_))
    for (std::size_t j = 0; j < B() * width(); ++j) d_scaled_[j] += d[j];
  layer_.back_scale(i, width(), scaled(i), d_scaled_.data(), memory_.d_z());
  if (!in_.constraints.empty() && p() > 1) mask(i, scaled(i), memory_.d_z());
  memory_.back_f(&solver);
  const bool vectors = width() > 0;
  layer_.back_close(i, width(),
                    {.theta = vectors ? adjoint(theta_) : nullptr,
                     .w = vectors ? adjoint(w_) : nullptr,
                     .theta_22 = adjoint(theta_22_),
                     .w_22 = adjoint(w_22_),
                     .diag_Theta = adjoint(diag_Theta_)});
}

/// A matrix that stopped here or before has no gradient, but what made it stop may be infinite, and
/// 0 times that is no 0: the column is computed again with harmless numbers in its place.
void ProgramLayer::renew_stopped(std::size_t i, program::ColumnSolver& solver) {
  bool any = false;
  for (std::size_t k = 0; k < B(); ++k) {
    if (layer_.status(k) == Status::ok || layer_.done(k) > i || program().solves()) continue;
    any = true;
    const auto set = [&](Field& field, double value) {
      const std::size_t each = field.size / B();
      if (field.at >= 0) std::fill_n(row(field, i) + k * each, each, value);
    };
    set(theta_, 0), set(w_, 0), set(theta_22_, 1), set(w_22_, 1), set(diag_Theta_, 1), set(q_, 0);
    std::fill_n(scaled(i) + k * width(), width(), 0.0);
  }
  if (!any) return;
  memory_.run_f(&solver);
  memory_.run_threshold(&solver);
  memory_.run_g(&solver);
}

void ProgramLayer::add_S(std::size_t i, std::span<double* const> d_S) {
  const double *d_s = adjoint(s_), *d_s_22 = adjoint(s_22_), *d_diag = adjoint(diag_S_);
  for (std::size_t k = 0; k < B(); ++k) {
    if (d_s && width() > 0)
      for (std::size_t j = 0, at = k * width(); j < p(); ++j) {
        if (j == i && width() != p()) continue;
        if (j != i) d_S[k][i * p() + j] += d_s[at];
        ++at;
      }
    if (d_s_22) d_S[k][i * p() + i] += d_s_22[k];
    for (std::size_t j = 0; d_diag && j < p(); ++j) d_S[k][j * p() + j] += d_diag[k * p() + j];
  }
}

}  // namespace spodnet
