#pragma once

#include <vector>

#include "spodnet/problem/sample.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {

/// Random pairs (S, Theta_true) of given sizes, each with its own n and scale.
struct MixedData {
  std::vector<Matrix> S, Theta_true;
  std::vector<Sample> samples;

  MixedData(const std::vector<std::size_t>& sizes, std::uint64_t seed) {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto p = Eigen::Index(sizes[k]), n = Eigen::Index(3 + 2 * p);
      RandomStream random(seed, k);
      S.push_back(empirical_covariance(correlated_samples(n, p, random)));
      Matrix Theta = S.back() / 2 + Matrix::Identity(p, p);
      for (Eigen::Index i = 0; i < p; ++i) Theta(i, i) += 0.3 * random.uniform();
      Theta_true.push_back(Theta);
    }
    for (std::size_t k = 0; k < sizes.size(); ++k)
      samples.push_back({S[k].data(), Theta_true[k].data(), sizes[k], double(3 + 2 * sizes[k])});
  }
};

}  // namespace spodnet::test
