#include <fmt/format.h>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/estimators/baseline_methods.hpp"
#include "spodnet/estimators/glasso_latent_select.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {
namespace {

/// The sparse part is the answer where the factors are given, else sparse less low rank.
bool latent_given(Settings& settings) {
  const std::string factors = settings.text("factors", "included");
  if (factors != "given" && factors != "included")
    throw Error("glasso-latent: factors = " + factors + ": it is given or included");
  return factors == "given";
}

Estimate latent_estimate(const std::string& name, GlassoLatentResult fit, double lambda,
                         double gamma, bool given) {
  Estimate out;
  out.details = {{"lambda", lambda},
                 {"gamma", gamma},
                 {"factors", double(fit.factors)},
                 {"edges", double(count_edges(fit.A))},
                 {"objective", fit.objective},
                 {"duality_gap", fit.duality_gap},
                 {"iterations", double(fit.iterations)}};
  out.status = fit.status;
  if (fit.status != Status::ok)
    out.message = fmt::format(
        "{}: after {} iterations the duality gap is {:.3g}; raise lambda, gamma or iterations",
        name, fit.iterations, fit.duality_gap);
  out.Theta = given ? std::move(fit.A) : std::move(fit.Theta);
  if (!given) out.W = std::move(fit.W);
  if (given && !std::isfinite(spd_inverse(out.Theta, out.W))) out.status = Status::not_spd;
  out.residual = inverse_residual(out.Theta, out.W);
  return out;
}

Estimate latent_estimate(const std::string& name, GlassoLatentChoice choice, bool given,
                         const char* score) {
  Estimate out = latent_estimate(name, std::move(choice.fit), choice.lambda, choice.gamma, given);
  out.score_columns = {"lambda", "gamma", "edges", "factors", score};
  out.scores.resize(Eigen::Index(choice.scores.size()), 5);
  for (Eigen::Index r = 0; r < out.scores.rows(); ++r) {
    const GlassoLatentScore& each = choice.scores[std::size_t(r)];
    out.scores.row(r) << each.lambda, each.gamma, double(each.edges), double(each.factors),
        each.score;
  }
  return out;
}

class GlassoLatentMethod final : public Method {
 public:
  GlassoLatentMethod(const GlassoLatentOptions& options, bool given)
      : options_(options), given_(given) {}
  std::string name() const override { return "glasso-latent"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    return latent_estimate(name(), glasso_latent(problem.S, options_), options_.lambda,
                           options_.gamma, given_);
  }

 private:
  GlassoLatentOptions options_;
  bool given_;
};

class GlassoLatentEbicMethod final : public Method {
 public:
  GlassoLatentEbicMethod(const GlassoLatentSearch& search, double ebic, bool given)
      : search_(search), ebic_(ebic), given_(given) {}
  std::string name() const override { return "glasso-latent-ebic"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    GlassoLatentSearch search = search_;
    search.pool = problem.pool;
    return latent_estimate(name(), glasso_latent_ebic(problem.S, problem.n, ebic_, search), given_,
                           "ebic");
  }

 private:
  GlassoLatentSearch search_;
  double ebic_;
  bool given_;
};

class GlassoLatentCvMethod final : public Method {
 public:
  GlassoLatentCvMethod(const GlassoLatentSearch& search, int folds, bool given)
      : search_(search), folds_(folds), given_(given) {}
  std::string name() const override { return "glasso-latent-cv"; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    if (!problem.X)
      throw Error(
          "glasso-latent-cv: it splits the samples, a covariance is not enough: give the samples, "
          "or use glasso-latent-ebic");
    GlassoLatentSearch search = search_;
    search.pool = problem.pool;
    return latent_estimate(name(), glasso_latent_cv(*problem.X, folds_, search), given_, "mean");
  }

 private:
  GlassoLatentSearch search_;
  int folds_;
  bool given_;
};

GlassoLatentSearch latent_search(Settings& settings) {
  GlassoLatentSearch search;
  search.count = settings.count("count", search.count);
  search.ratio = settings.number("ratio", search.ratio);
  search.tolerance = settings.number("tol", search.tolerance);
  return search;
}

}  // namespace

void add_latent_methods(MethodRegistry& methods) {
  methods.add("glasso-latent", [](const MethodSpec& spec) {
    Settings read(spec);
    GlassoLatentOptions options;
    if (!read.has("lambda") || !read.has("gamma"))
      throw Error(
          "glasso-latent: give lambda=NUMBER and gamma=NUMBER; glasso-latent-ebic and "
          "glasso-latent-cv choose them themselves");
    options.lambda = read.number("lambda", 0);
    options.gamma = read.number("gamma", 0);
    options.tolerance = read.number("tol", options.tolerance);
    options.max_iterations = read.count("iterations", options.max_iterations);
    const bool given = latent_given(read);
    read.done();
    return std::make_unique<GlassoLatentMethod>(options, given);
  });
  methods.add("glasso-latent-ebic", [](const MethodSpec& spec) {
    Settings read(spec);
    const GlassoLatentSearch search = latent_search(read);
    const double ebic = read.number("ebic", 0.5);
    const bool given = latent_given(read);
    read.done();
    return std::make_unique<GlassoLatentEbicMethod>(search, ebic, given);
  });
  methods.add("glasso-latent-cv", [](const MethodSpec& spec) {
    Settings read(spec);
    const GlassoLatentSearch search = latent_search(read);
    const int folds = read.count("folds", 5);
    const bool given = latent_given(read);
    read.done();
    return std::make_unique<GlassoLatentCvMethod>(search, folds, given);
  });
}

}  // namespace spodnet
