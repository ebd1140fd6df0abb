#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet::test {

/// Those this machine can run, the best one last.
inline std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const char* name : {"baseline", "avx2", "avx512"}) try {
      force_kernels(name);
      names.push_back(name);
    } catch (const Error&) {
    }
  force_kernels("");
  return names;
}

/// Forces one instruction set for the time of a test; where this machine lacks it, says that the
/// test did not run.
class EachInstructionSet : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      force_kernels(GetParam());
    } catch (const Error& error) {
      GTEST_SKIP() << "NOT RUN: " << error.what();
    }
  }
  void TearDown() override { force_kernels(""); }
};

#define SPODNET_EACH_INSTRUCTION_SET(Suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(InstructionSets, Suite, testing::Values("baseline", "avx2", "avx512"), \
                           [](const auto& test) { return test.param; })

}  // namespace spodnet::test
