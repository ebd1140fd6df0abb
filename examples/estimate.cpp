#include <cstdio>

#include "spodnet/spodnet.hpp"

int main() {
  using namespace spodnet;
  ThreadPool pool;

  // A model for 20 variables seen through 100 samples, trained on generated matrices.
  const DataSet data = generate_dataset({.p = 20, .n = 100, .count = 1000}, pool);
  const auto model = builtin_models().make({.model = "ubg", .p = 20, .scaling = Scaling::clip});
  model->parameters().initialise(/*seed=*/0);
  const TrainResult result = train(*model, samples(data), {}, {.epochs = 10}, pool);
  if (result.status != Status::ok) return 1;
  save_model("ubg.safetensors", *model);  // for `spodnet estimate --method ubg.safetensors`, too

  // The precision matrix behind a covariance it has never seen.
  const DataSet fresh = generate_dataset({.p = 20, .n = 100, .count = 1, .seed = 1}, pool);
  const auto engine = make_engine(*model);
  const Estimate estimate = engine->estimate(fresh.S[0], fresh.n);
  const Matrix& Theta = estimate.Theta;  // sparse, symmetric positive-definite
  const Matrix& W = estimate.W;          // its inverse
  std::printf("NMSE %.3f, %.0f %% of the pairs are edges, ||Theta W - I|| = %.1e\n",
              nmse(Theta, fresh.Theta_true[0]), 100 * density(Theta),
              (Theta * W - Matrix::Identity(20, 20)).norm());
  return estimate.status == Status::ok ? 0 : 1;
}
