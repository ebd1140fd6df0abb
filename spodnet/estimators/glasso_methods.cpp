#include <fmt/format.h>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/baseline_methods.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/glasso_ebic.hpp"
#include "spodnet/estimators/glasso_stars.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/io/table.hpp"

namespace spodnet {
namespace {

Estimate to_estimate(const std::string& name, GlassoResult fit, double lambda) {
  Estimate estimate;
  estimate.lambda = lambda;
  estimate.details = {{"lambda", lambda},
                      {"edges", double(count_edges(fit.Theta))},
                      {"objective", fit.objective},
                      {"duality_gap", fit.duality_gap},
                      {"kkt_residual", fit.kkt_residual},
                      {"iterations", double(fit.iterations)},
                      {"components", double(fit.components)}};
  estimate.status = fit.status;
  estimate.residual = fit.residual;
  if (fit.status != Status::ok)
    estimate.message = fmt::format(
        "{}: after {} sweeps the duality gap is {:.3g}, the KKT residual {:.3g}; raise lambda (S "
        "may be singular) or iterations",
        name, fit.iterations, fit.duality_gap, fit.kkt_residual);
  estimate.Theta = std::move(fit.Theta);
  estimate.W = std::move(fit.W);
  return estimate;
}

const Matrix& samples_of(const Problem& problem, const std::string& name) {
  if (problem.X) return *problem.X;
  throw Error(name +
              ": it splits the samples, a covariance is not enough: give the samples, or use "
              "glasso-ebic");
}

void set_problem(const Problem& problem, GlassoSearch& search) {
  search.pool = problem.pool;
  search.final.constraints = problem.constraints;
}

class GlassoMethod final : public Method {
 public:
  explicit GlassoMethod(GlassoOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "glasso"; }
  bool honours_constraints() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    GlassoOptions options = options_;
    options.pool = problem.pool;
    options.constraints = problem.constraints;
    Estimate out = to_estimate(name(), glasso(problem.S, options), options.lambda);
    if (options.penalty.size() > 0) {  // no single lambda
      out.lambda.reset();
      out.details.erase(out.details.begin());
    }
    return out;
  }

 private:
  GlassoOptions options_;
};

class GlassoCvMethod final : public Method {
 public:
  explicit GlassoCvMethod(GlassoCvOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "glasso-cv"; }
  bool honours_constraints() const override { return true; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    GlassoCvOptions options = options_;
    set_problem(problem, options.search);
    GlassoCvResult result = glasso_cv(samples_of(problem, name()), options);
    Estimate out = to_estimate(name(), std::move(result.fit), result.lambda);
    put_scores(result.scores, out);
    return out;
  }

 private:
  GlassoCvOptions options_;
};

class GlassoEbicMethod final : public Method {
 public:
  explicit GlassoEbicMethod(GlassoEbicOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "glasso-ebic"; }
  bool honours_constraints() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    GlassoEbicOptions options = options_;
    set_problem(problem, options.search);
    GlassoEbicResult result = glasso_ebic(problem.S, problem.n, options);
    Estimate out = to_estimate(name(), std::move(result.fit), result.lambda);
    out.score_columns = {"lambda", "edges", "log_likelihood", "ebic"};
    out.scores.resize(Eigen::Index(result.scores.size()), 4);
    for (Eigen::Index r = 0; r < out.scores.rows(); ++r) {
      const GlassoEbicScore& score = result.scores[std::size_t(r)];
      out.scores.row(r) << score.lambda, double(score.edges), score.log_likelihood, score.ebic;
    }
    return out;
  }

 private:
  GlassoEbicOptions options_;
};

class GlassoStarsMethod final : public Method {
 public:
  explicit GlassoStarsMethod(GlassoStarsOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "glasso-stars"; }
  bool honours_constraints() const override { return true; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    GlassoStarsOptions options = options_;
    set_problem(problem, options.search);
    GlassoStarsResult result = glasso_stars(samples_of(problem, name()), options);
    Estimate out = to_estimate(name(), std::move(result.fit), result.lambda);
    out.score_columns = {"lambda", "instability", "monotone"};
    out.scores.resize(Eigen::Index(result.scores.size()), 3);
    for (Eigen::Index r = 0; r < out.scores.rows(); ++r) {
      const GlassoStarsScore& score = result.scores[std::size_t(r)];
      out.scores.row(r) << score.lambda, score.instability, score.monotone;
    }
    return out;
  }

 private:
  GlassoStarsOptions options_;
};

std::unique_ptr<Method> make_glasso(Settings settings) {
  GlassoOptions options;
  if (settings.has("lambda") == settings.has("penalty"))
    throw Error(
        "glasso: give lambda=NUMBER or penalty=FILE, one of them; glasso-cv, glasso-ebic and "
        "glasso-stars choose lambda themselves");
  options.lambda = settings.number("lambda", 0);
  if (settings.has("penalty")) options.penalty = read_table(settings.text("penalty", "")).values;
  options.penalize_diagonal = settings.flag("diagonal", options.penalize_diagonal);
  options.tolerance = settings.number("tol", options.tolerance);
  options.kkt_tolerance = settings.number("kkt", options.kkt_tolerance);
  options.max_iterations = settings.count("iterations", options.max_iterations);
  settings.done();
  return std::make_unique<GlassoMethod>(std::move(options));
}

std::unique_ptr<Method> make_glasso_cv(Settings settings) {
  GlassoCvOptions options;
  options.folds = settings.count("folds", options.folds);
  options.grid = settings.count("grid", options.grid);
  options.refinements = settings.count("refinements", options.refinements);
  options.search.tolerance = settings.number("tol", options.search.tolerance);
  settings.done();
  return std::make_unique<GlassoCvMethod>(std::move(options));
}

std::unique_ptr<Method> make_glasso_ebic(Settings settings) {
  GlassoEbicOptions options;
  options.gamma = settings.number("gamma", options.gamma);
  options.count = settings.count("count", options.count);
  options.ratio = settings.number("ratio", options.ratio);
  options.search.tolerance = settings.number("tol", options.search.tolerance);
  settings.done();
  return std::make_unique<GlassoEbicMethod>(std::move(options));
}

std::unique_ptr<Method> make_glasso_stars(Settings settings) {
  GlassoStarsOptions options;
  options.subsamples = settings.count("subsamples", options.subsamples);
  options.threshold = settings.number("threshold", options.threshold);
  options.count = settings.count("count", options.count);
  options.ratio = settings.number("ratio", options.ratio);
  options.seed = settings.count("seed", int(options.seed));
  options.search.tolerance = settings.number("tol", options.search.tolerance);
  settings.done();
  return std::make_unique<GlassoStarsMethod>(std::move(options));
}

}  // namespace

void add_glasso_methods(MethodRegistry& methods) {
  const auto add = [&](const char* name, auto make) {
    methods.add(name, [make](const MethodSpec& spec) { return make(Settings(spec)); });
  };
  add("glasso", make_glasso);
  add("glasso-cv", make_glasso_cv);
  add("glasso-ebic", make_glasso_ebic);
  add("glasso-stars", make_glasso_stars);
}

}  // namespace spodnet
