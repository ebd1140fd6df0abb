// Times one graphical lasso fit, or one cross-validation, on a table of samples; prints JSON.
//   glasso_bench SAMPLES.npy fit LAMBDA GAP [SECONDS]
//   glasso_bench SAMPLES.npy cv [SECONDS]
#include <time.h>

#include <cstdio>
#include <limits>
#include <string>

#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/tables/covariance.hpp"

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Least seconds of one call, over at least `budget` seconds of calls.
template <class Call>
double least_seconds(double budget, Call call) {
  double best = std::numeric_limits<double>::infinity();
  for (double start = now(); now() - start < budget;) {
    const double before = now();
    call();
    best = std::min(best, now() - before);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace spodnet;
  if (argc < 3) return std::fprintf(stderr, "glasso_bench: see the first lines of its source\n"), 2;
  const Matrix X = read_table(argv[1]).values;
  const std::string mode = argv[2];
  if (mode == "fit" && argc > 4) {
    const Matrix S = empirical_covariance(X);
    const GlassoOptions options{.lambda = std::stod(argv[3]),
                                .tolerance = std::stod(argv[4]),
                                .kkt_tolerance = std::numeric_limits<double>::infinity()};
    GlassoResult result;
    const double seconds =
        least_seconds(argc > 5 ? std::stod(argv[5]) : 1, [&] { result = glasso(S, options); });
    std::printf("{\"seconds\": %.9g, \"gap\": %.3e, \"objective\": %.12g, \"edges\": %zu}\n",
                seconds, result.duality_gap, result.objective, count_edges(result.Theta));
  } else {
    GlassoCvResult result;
    const double seconds =
        least_seconds(argc > 3 ? std::stod(argv[3]) : 1, [&] { result = glasso_cv(X); });
    std::printf("{\"seconds\": %.9g, \"lambda\": %.9g}\n", seconds, result.lambda);
  }
}
