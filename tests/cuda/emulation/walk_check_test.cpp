// A fast walk is compared with the general one before it is trusted.
#include "spodnet/cuda/walk_check.cuh"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/cuda/device.hpp"

namespace spodnet::cuda {
namespace {

/// Walks that write one gradient and count their launches.
int fast_launches, general_launches;
double fast_gradient;
void general_walk(const Launch& launch, int) {
  ++general_launches;
  launch.gradients[0] = 2;
  launch.outcomes[0] = {};
}
void fast_walk(const Launch& launch, int) {
  ++fast_launches;
  launch.gradients[0] = fast_gradient;
  launch.outcomes[0] = {};
}

/// Four launches by a walk whose gradient should be 2, with a trust of their own.
struct FourLaunches {
  double first = 0, last = 0;
  std::string error;
  bool trusted = false;

  explicit FourLaunches(double gradient) {
    DeviceMemory gradients, problems, outcomes;
    gradients.reserve(8), problems.reserve(sizeof(WalkProblem)), outcomes.reserve(sizeof(Outcome));
    const WalkProblem problem;
    problems.upload(&problem, sizeof(problem));
    WalkTrust trust;
    Launch launch;
    launch.problems = static_cast<const WalkProblem*>(problems.get());
    launch.count = 1, launch.backward = true, launch.shape.parameters = 1;
    launch.gradients = gradients.numbers();
    launch.outcomes = static_cast<Outcome*>(outcomes.get());
    launch.trust = &trust;
    fast_launches = general_launches = 0, fast_gradient = gradient;
    try {
      for (int k = 0; k < 4; ++k) {
        run_checked({8, fast_walk, general_walk}, launch, 5);
        gradients.download(k == 0 ? &first : &last, 8);
      }
    } catch (const Error& e) {
      error = e.what();
    }
    trusted = trust.any();
  }
};

TEST(WalkCheck, AWalkThatAgreesIsComparedOnceByEachEngine) {
  for (int engine = 0; engine < 2; ++engine) {
    const FourLaunches got(2 * (1 + 1e-12));
    EXPECT_EQ(general_launches, 1);
    EXPECT_EQ(fast_launches, 4);
    EXPECT_EQ(got.first, got.last) << "the first result is the fast walk's, too";
    EXPECT_TRUE(got.trusted);
    EXPECT_EQ(got.error, "");
  }
}

TEST(WalkCheck, OneThatDiffersIsRefused) {
  for (const double wrong : {2 * (1 + 1e-7), double(NAN)}) {
    const FourLaunches got(wrong);
    EXPECT_EQ(got.first, 2);
    EXPECT_EQ(got.last, 2);
    EXPECT_EQ(fast_launches, 3) << "an Error at the third";
    EXPECT_FALSE(got.trusted);
    EXPECT_NE(got.error.find("use device cuda"), std::string::npos) << got.error;
  }
}

}  // namespace
}  // namespace spodnet::cuda
