// Every installed header in one translation unit, and one number that needs the library.
#include <cstdio>

#include "all_headers.hpp"

int main() {
  spodnet::ThreadPool pool(2);
  const spodnet::DataSet data = spodnet::generate_dataset({.p = 8, .n = 40, .count = 2}, pool);
  const auto model = spodnet::builtin_models().make({.model = "ubg", .p = 8});
  model->parameters().initialise(0);
  const spodnet::Estimate estimate = spodnet::make_engine(*model)->estimate(data.S[0], data.n);
  std::printf("status %d, residual %g\n", int(estimate.status), estimate.residual);
  return estimate.status == spodnet::Status::ok && estimate.residual < 1e-8 ? 0 : 1;
}
