#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/data/constraints.hpp"
#include "spodnet/data/sample.hpp"
#include "spodnet/layer/options.hpp"
#include "spodnet/nn/parameters.hpp"

namespace spodnet {

/// Everything but the weights: what a model file's metadata holds.
struct ModelConfig {
  std::string model = "ubg";
  std::size_t p = 0;  ///< number of variables; 0: any (models with SizeFreeRule)
  int layers = 1;     ///< K
  bool tied = false;  ///< the K layers share one set of weights
  Scaling scaling = Scaling::normalize;
  double zeta = 1.0;
  bool learn_offset = false;                  ///< the input offset a = exp(a0) is a parameter
  double init_offset = 1.0;                   ///< W_in = S + a I when it is not
  double v_min = 1e-8;                        ///< floor of the Schur margin: v >= v_min * max(1, q)
  bool standardized = false;                  ///< a size-free model works on correlations
  bool summary = false;                       ///< a size-free model also reads the whole of S
  std::map<std::string, std::size_t> widths;  ///< hidden widths that differ from the default
  std::map<std::string, std::string> info;    ///< how it was trained, for information
  std::size_t most_parameters = SIZE_MAX;     ///< a larger network is refused, not allocated
};

/// What is minimised: the squared error ||Theta - Theta_true||_F^2, or the same relative to
/// ||Theta_true||_F^2, so that matrices of all sizes and scales count alike; or the latter and
/// support_weight (1 - F1) of the support (AdjointState::add_support): small entries, which hardly
/// count in the error, are then kept only where there are edges; or Stein's loss per variable with
/// the same addition, for estimates whose likelihood matters (AdjointState::start_likelihood); or,
/// balanced, log(NMSE + kLeastError) with the same: a tenth less error is then worth the same for
/// few and for many samples.
enum class Loss { squared, relative, support, likelihood, balanced };

inline constexpr double kLeastError = 1e-4;

std::string to_string(Loss loss);         ///< `mse`, `nmse`, `support`, `likelihood`, `balanced`
Loss loss_from(const std::string& text);  ///< throws Error on an unknown name
std::vector<std::string> loss_names();
double support_weight(Loss loss);  ///< 0: edges are not counted

/// What the squared error of a sample is divided by: 1, or ||Theta_true||_F^2.
double loss_unit(Loss loss, const Sample& sample);

/// What is chosen anew for each use of a model and stands in no file.
struct RunOptions {
  double sparsity = 1;        ///< factor of all thresholds in `estimate`: above 1 fewer edges
  Loss loss = Loss::squared;  ///< of `loss_gradient`
};

/// An estimated precision matrix with its certificate.
struct Estimate {
  Matrix Theta;             ///< precision
  Matrix W;                 ///< covariance, the inverse of Theta
  std::optional<Matrix> Z;  ///< GLAD's second matrix (sparse, not SPD)
  Status status = Status::ok;
  double residual = 0;  ///< ||Theta W - I||_F
  int refreshes = 0;    ///< how often W was recomputed from Theta because it had drifted
  std::string message;  ///< one line when status is not ok
  std::vector<std::pair<std::string, double>> details;  ///< method's own numbers (lambda, gap, ...)
  std::vector<std::string> score_columns;  ///< of a model selection: lambda, score, ...
  Matrix scores;                           ///< one row per candidate it tried
};

/// Mean over a batch; `status` is not_finite when any loss or gradient is.
struct BatchLoss {
  double loss = 0;  ///< mean of RunOptions::loss
  double nmse = 0;  ///< mean of ||Theta - Theta_true||_F^2 / ||Theta_true||_F^2
  Status status = Status::ok;
  int refreshes = 0;
};

/// Scratch of `loss_gradient`, kept between steps; each model defines its own.
class TrainWorkspace {
 public:
  virtual ~TrainWorkspace() = default;
};

/// A trainable estimator: the seam chosen at run time (which model). Const calls are thread-safe.
class Model {
 public:
  virtual ~Model() = default;

  const ModelConfig& config() const { return config_; }
  ModelConfig& config() { return config_; }
  const Parameters& parameters() const { return parameters_; }
  Parameters& parameters() { return parameters_; }
  const RunOptions& run_options() const { return run_; }
  RunOptions& run_options() { return run_; }

  /// Whether RunOptions::sparsity has an effect: networks of the layer.
  virtual bool has_thresholds() const { return false; }

  /// Settings of ModelConfig that change nothing in this model, by their names in a model file.
  virtual std::vector<std::string> unused_settings() const { return {}; }

  virtual std::unique_ptr<TrainWorkspace> make_workspace() const = 0;

  /// Loss of a batch and its gradient (overwritten, same layout as the parameters). The result
  /// is the same bit for bit for any pool size: fixed chunks, summed in index order.
  [[nodiscard]] virtual BatchLoss loss_gradient(std::span<const Sample> batch,
                                                std::span<double> gradient, ThreadPool& pool,
                                                TrainWorkspace& workspace) const = 0;

  /// Estimates the precision matrix behind S (p x p, from n samples).
  [[nodiscard]] virtual Estimate estimate(const MatrixRef& S, double n) const = 0;

  /// The same with prior knowledge, which then holds exactly in Theta. A model that cannot promise
  /// it says so by its first function and throws an Error in the second (the default).
  virtual bool honours_constraints() const { return false; }
  [[nodiscard]] virtual Estimate estimate_within(const Constraints& constraints, const MatrixRef& S,
                                                 double n) const;

 protected:
  ModelConfig config_;
  Parameters parameters_;
  RunOptions run_;
};

using ModelFactory = std::function<std::unique_ptr<Model>(const ModelConfig&)>;

/// Models by name: the built-in ones and those a user registers (docs/extending.md).
class ModelRegistry {
 public:
  void add(const std::string& name, ModelFactory factory);
  /// A model with freshly laid out parameters (all zero until initialised or loaded).
  std::unique_ptr<Model> make(const ModelConfig& config) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, ModelFactory> factories_;
};

/// ubg, pnp, e2e, ubg-any, pnp-any and glad.
ModelRegistry builtin_models();

}  // namespace spodnet
