#pragma once

#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet::test {

/// `count` random pairs (S, Theta_true), p x p: S = A A^T / p, Theta_true = S / 2 + noise + I.
struct ToyData {
  MatrixBatch S, Theta_true;
  std::vector<Sample> samples;

  ToyData(std::size_t count, std::size_t p, std::uint64_t seed = 1)
      : S(count, p, p), Theta_true(count, p, p) {
    for (std::size_t k = 0; k < count; ++k) {
      RandomStream random(seed, k);
      Matrix A(p, p);
      for (double& x : A.reshaped()) x = random.normal();
      S[k] = A * A.transpose() / double(p);
      Theta_true[k] = S[k] / 2 + Matrix::Identity(p, p);
      for (std::size_t i = 0; i < p; ++i) Theta_true[k](i, i) += 0.3 * random.uniform();
      samples.push_back({S.data(k), Theta_true.data(k), p, 50.0});
    }
  }
};

}  // namespace spodnet::test
