#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/glad_reference.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/models/glad_networks.hpp"
#include "support/gradient_check.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {
namespace {

/// NN_rho with each instruction set, against the standard library entry by entry.
class GladRho : public EachInstructionSet {
 protected:
  static std::vector<double> draw(std::size_t count, double scale, std::uint64_t seed) {
    RandomStream random(seed);
    std::vector<double> out(count);
    for (double& x : out) x = scale * random.normal();
    return out;
  }

  const std::size_t m = 64;
  const std::vector<double> Theta = draw(m, 1, 1), S = draw(m, 1, 2), Z = draw(m, 1, 3);
  const std::vector<double> parameters = draw(glad::kSize, 0.7, 4);
  std::vector<double> hidden = std::vector<double>(glad::kRhoHidden * m), Z_next = hidden;
};

TEST_P(GladRho, TanhIsAccurateEverywhere) {
  std::vector<double> x = {0.0, 1e-320, -1e-300, 1e-17, 19.9, 20.1, 400, -1e300};
  RandomStream random(9);
  for (double size = 1e-12; size < 40; size *= 1.03) x.push_back(size * (2 * random.uniform() - 1));
  x.resize(padded(x.size()), 0.3);
  std::vector<double> identity(glad::kSize, 0.0), zeros(x.size(), 0.0), out(7 * x.size());
  identity[0] = 1;  // first hidden unit = tanh(Theta)
  std::vector<double> next(x.size());
  glad::rho_forward(identity.data(), {x.size(), x.data(), zeros.data(), zeros.data()}, out.data(),
                    next.data());
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double expected = std::tanh(x[e]);
    EXPECT_LE(std::abs(out[e] - expected), 9e-16 * std::abs(expected)) << x[e];
  }
}

TEST_P(GladRho, ForwardIsTheDefinition) {
  glad::rho_forward(parameters.data(), {m, Theta.data(), S.data(), Z.data()}, hidden.data(),
                    Z_next.data());
  const GladReference reference{parameters, 1};
  for (std::size_t e = 0; e < m; ++e) {
    const double rho = reference.rho(Theta[e], S[e], Z[e]);
    EXPECT_NEAR(hidden[6 * m + e], rho, 1e-15);
    EXPECT_NEAR(Z_next[e], std::copysign(std::max(std::abs(Theta[e]) - rho, 0.0), Theta[e]), 2e-15);
  }
}

TEST_P(GladRho, NotANumberStaysOne) {
  std::vector<double> broken = Theta;
  broken[5] = std::nan("");
  glad::rho_forward(parameters.data(), {m, broken.data(), S.data(), Z.data()}, hidden.data(),
                    Z_next.data());
  for (std::size_t e = 0; e < m; ++e) EXPECT_EQ(std::isnan(Z_next[e]), e == 5) << e;
}

TEST_P(GladRho, BackwardMatchesFiniteDifferences) {
  const std::vector<double> weight = draw(m, 1, 7);
  std::vector<double> multiplicity(m, 2.0);
  for (std::size_t e = 0; e < m; e += 5) multiplicity[e] = 1;
  // x = parameters, Theta, Z; f = sum_e multiplicity weight Z_next
  std::vector<double> x = parameters;
  x.insert(x.end(), Theta.begin(), Theta.end());
  x.insert(x.end(), Z.begin(), Z.end());
  const auto f = [&](std::span<const double> at) {
    const double* theta = at.data() + glad::kSize;
    glad::rho_forward(at.data(), {m, theta, S.data(), theta + m}, hidden.data(), Z_next.data());
    double value = 0;
    for (std::size_t e = 0; e < m; ++e) value += multiplicity[e] * weight[e] * Z_next[e];
    return value;
  };
  f(x);
  std::vector<double> gradient(x.size(), 0.0);
  double* d_Theta = gradient.data() + glad::kSize;
  glad::rho_backward(parameters.data(), {m, Theta.data(), S.data(), Z.data()}, hidden.data(),
                     multiplicity.data(), weight.data(), d_Theta, d_Theta + m, gradient.data());
  for (std::size_t e = 0; e < m; ++e) {  // adjoints of entries are per entry
    d_Theta[e] *= multiplicity[e];
    d_Theta[m + e] *= multiplicity[e];
  }
  EXPECT_LT(gradient_error(f, x, gradient), 1e-6);
}

SPODNET_EACH_INSTRUCTION_SET(GladRho);

}  // namespace
}  // namespace spodnet::test
