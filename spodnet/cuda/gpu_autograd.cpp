#include "spodnet/cuda/gpu_autograd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "spodnet/core/error.hpp"
#include "spodnet/cuda/copy.hpp"
#include "spodnet/layer/options.hpp"
#include "spodnet/models/chunk.hpp"

namespace spodnet::cuda {
namespace {

bool all_finite(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += 0 * x[k];
  return sum == 0;
}

}  // namespace

bool trusted(const Outcome& outcome) {
  return outcome.bad == 0 && outcome.drift <= LayerOptions{}.drift_limit;
}

void GpuAutograd::begin(std::span<const Sample> samples) {
  samples_.assign(samples.begin(), samples.end());
  rest_.clear();
  done_ = false;
  const std::size_t p = count() ? samples_[0].p : 0;
  by_cpu_ = !walk_.fits(p, true);
  for (const Sample& each : samples_) {
    if (each.p != p) throw Error("forward: the matrices of one call must be of one size");
    by_cpu_ = by_cpu_ || each.constraints;
  }
  const bool there = count() && on_device(samples_[0].S);
  in_place_ = there && !by_cpu_ && !entrance_.framed;
  if (there && !in_place_) {  // the host reads them
    S_.resize(count() * entries());
    for (std::size_t k = 0; k < count(); ++k) {
      copy(S_.data() + k * entries(), samples_[k].S, entries());
      samples_[k].S = S_.data() + k * entries();
    }
  }
}

void GpuAutograd::forward(std::span<const Sample> samples, double* Theta, double* W,
                          std::span<Status> status) {
  begin(samples);
  if (count() == 0) return;
  if (in_place_) {
    walk_in_place(Theta, W);
    return walk_rest(Theta, W, status);
  }
  for (const Sample& each : samples_) check_sample(each, cpu_.model(), entrance_.framed);
  const std::size_t numbers = count() * entries();
  const bool there = on_device(Theta);
  std::vector<double> copies(there ? 2 * numbers : 0);
  double* const Theta_here = there ? copies.data() : Theta;
  double* const W_here = there ? copies.data() + numbers : W;
  if (by_cpu_)
    cpu_.forward(samples_, Theta_here, W_here, status);
  else
    walk_copies(Theta_here, W_here, status);
  if (!there) return;
  copy(Theta, Theta_here, numbers);
  copy(W, W_here, numbers);
}

void GpuAutograd::walk_in_place(double* Theta, double* W) {
  std::vector<WalkProblem> problems(count());
  for (std::size_t k = 0; k < count(); ++k) {
    WalkProblem& each = problems[k];
    each.S = samples_[k].S;
    each.Theta = Theta + k * entries();
    each.state = W + k * entries();
    each.n = samples_[k].n;
    each.offset = walk_.offset()(samples_[k].n, samples_[k].p);
    each.p = int(samples_[k].p);
    each.row = int(k);
  }
  walk_.set_weights();
  walk_.forward(std::move(problems));
  for (std::size_t k = 0; k < count(); ++k)
    if (!trusted(walk_.outcomes()[k])) rest_.push_back(k);
}

void GpuAutograd::walk_copies(double* Theta, double* W, std::span<Status> status) {
  const std::size_t numbers = count() * entries();
  kept_.keep(samples_, entrance_, team_);
  matrices_.reserve(2 * numbers * sizeof(double));
  std::vector<WalkProblem> problems;
  for (std::size_t k = 0; k < count(); ++k) {
    problems.push_back(walk_.problem(kept_, k, k));
    problems.back().Theta = matrices_.numbers() + k * entries();
    problems.back().state = matrices_.numbers() + numbers + k * entries();
  }
  std::vector<std::uint32_t> which(count());
  std::iota(which.begin(), which.end(), 0u);
  walk_.begin_starts(kept_, which, problems, team_);
  walk_.set_weights();
  walk_.forward(std::move(problems));
  staged_.reserve(2 * numbers * sizeof(double));
  matrices_.download(staged_.get(), 2 * numbers * sizeof(double));
  std::vector<char> good(count(), 0);
  team_.run(count(), [&](std::size_t k, int) {
    const std::size_t at = k * entries();
    good[k] = trusted(walk_.outcomes()[k]) &&
              leave(samples_[k], staged_.numbers() + at, Theta + at, W + at);
  });
  for (std::size_t k = 0; k < count(); ++k)
    if (!good[k]) rest_.push_back(k);
  walk_rest(Theta, W, status);
}

/// Theta and W of a sample as the caller sees them; false: they are not finite.
bool GpuAutograd::leave(const Sample& sample, const double* from, double* Theta, double* W) const {
  const auto p = Eigen::Index(sample.p);
  const double* state = from + count() * entries();
  if (!all_finite(from, entries()) || !all_finite(state, entries())) return false;
  if (!entrance_.framed) {
    std::copy_n(from, entries(), Theta);
    std::copy_n(state, entries(), W);
    return true;
  }
  const VariableFrame frame(sample.S, sample.p, entrance_.standardized);
  MatrixMap(Theta, p, p) = frame.leave_precision(ConstMatrixMap(from, p, p));
  MatrixMap(W, p, p) = frame.leave_covariance(ConstMatrixMap(state, p, p));
  return true;
}

/// The rows that the device could not do, or not well, by the CPU engine.
void GpuAutograd::walk_rest(double* Theta, double* W, std::span<Status> status) {
  std::fill(status.begin(), status.end(), Status::ok);
  if (rest_.empty()) return;
  const std::size_t numbers = rest_.size() * entries();
  std::vector<double> matrices(2 * numbers);
  std::vector<Sample> some;
  std::vector<Status> become(rest_.size());
  if (in_place_) S_.resize(numbers);
  for (std::size_t m = 0; m < rest_.size(); ++m) {
    some.push_back(samples_[rest_[m]]);
    if (!in_place_) continue;
    copy(S_.data() + m * entries(), some[m].S, entries());
    some[m].S = S_.data() + m * entries();
  }
  cpu_.forward(some, matrices.data(), matrices.data() + numbers, become);
  for (std::size_t m = 0; m < rest_.size(); ++m) {
    copy(Theta + rest_[m] * entries(), matrices.data() + m * entries(), entries());
    copy(W + rest_[m] * entries(), matrices.data() + numbers + m * entries(), entries());
    status[rest_[m]] = become[m];
  }
}

void GpuAutograd::backward(const double* d_Theta, std::span<double> gradient, double* d_S) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  if (count() == 0) return;
  if (d_S || by_cpu_) return backward_by_cpu(d_Theta, gradient, d_S);
  if (std::exchange(done_, true)) return;  // a backward counts once
  const double* G = in_place_ ? d_Theta : upload_adjoints(d_Theta);
  std::vector<const double*> of_row(count());
  for (std::size_t k = 0; k < count(); ++k) of_row[k] = G + k * entries();
  walk_.backward(of_row);
  const std::vector<double> zeros(gradient.size(), 0.0);
  for (const std::size_t row : rest_) walk_.set_gradient(row, zeros);
  walk_.sum(count(), {}, gradient);
  add_tails(gradient);
  add_rest(d_Theta, gradient);
}

/// The whole batch, which the CPU engine must first have walked itself.
void GpuAutograd::backward_by_cpu(const double* d_Theta, std::span<double> gradient, double* d_S) {
  const std::size_t numbers = count() * entries();
  if (in_place_ || (d_S && on_device(d_S)))
    throw Error("backward: the gradient of S is the CPU's, and S lies on the device");
  std::vector<double> G(on_device(d_Theta) ? numbers : 0);
  if (!G.empty()) copy(G.data(), std::exchange(d_Theta, G.data()), numbers);
  if (!by_cpu_) {
    std::vector<double> ignored(2 * numbers);
    std::vector<Status> status(count());
    cpu_.forward(samples_, ignored.data(), ignored.data() + numbers, status);
  }
  cpu_.backward(d_Theta, gradient, d_S);
}

/// G of every row, as the network sees it, where Theta was.
const double* GpuAutograd::upload_adjoints(const double* d_Theta) {
  const std::size_t numbers = count() * entries();
  double* const G = staged_.numbers();
  copy(G, d_Theta, numbers);
  if (entrance_.framed)
    team_.run(count(), [&](std::size_t k, int) {
      const std::vector<double> outside(G + k * entries(), G + (k + 1) * entries());
      VariableFrame(samples_[k].S, samples_[k].p, entrance_.standardized)
          .enter_gradient(outside.data(), G + k * entries());
    });
  matrices_.upload(G, numbers * sizeof(double));
  return matrices_.numbers();
}

/// The last parameters are the input's: their sums are made here, in index order.
void GpuAutograd::add_tails(std::span<double> gradient) {
  const auto terms = std::size_t(walk_.shape().tail());
  if (terms == 0) return;
  const bool started = walk_.shape().start_terms > 0;
  const std::vector<double> starts =
      started ? walk_.start_gradients(count(), team_) : std::vector<double>();
  const std::span<double> tail = gradient.last(terms);
  std::fill(tail.begin(), tail.end(), 0.0);
  for (std::size_t k = 0; k < count(); ++k) {
    if (std::binary_search(rest_.begin(), rest_.end(), k)) continue;
    if (started)
      for (std::size_t m = 0; m < terms; ++m) tail[m] += starts[k * terms + m];
    else
      walk_.offset().backward(samples_[k].n, samples_[k].p,
                              in_place_ ? nullptr : kept_[k].summary.data(),
                              walk_.outcomes()[k].d_offset, tail.data());
  }
}

void GpuAutograd::add_rest(const double* d_Theta, std::span<double> gradient) {
  if (rest_.empty()) return;
  std::vector<double> G(rest_.size() * entries()), part(gradient.size());
  for (std::size_t m = 0; m < rest_.size(); ++m)
    copy(G.data() + m * entries(), d_Theta + rest_[m] * entries(), entries());
  cpu_.backward(G.data(), part, nullptr);
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += part[k];
}

}  // namespace spodnet::cuda
