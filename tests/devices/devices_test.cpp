#include "spodnet/devices/devices.hpp"

#include <gtest/gtest.h>

namespace spodnet {
namespace {

TEST(Devices, ProcessesOfANodeTakeItsGpusInTurn) {
  const std::string expected[] = {"cuda:0", "cuda:1", "cuda:2", "cuda:3",
                                  "cuda:0", "cuda:1", "cuda:2", "cuda:3"};
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(device_of_process("cuda", rank, 4), expected[rank]);
    EXPECT_EQ(device_of_process("auto", rank, 4), expected[rank]);
    EXPECT_EQ(device_of_process("cuda", rank, 1), "cuda:0");
  }
}

TEST(Devices, WhatWasSaidStays) {
  EXPECT_EQ(device_of_process("cpu", 3, 4), "cpu");
  EXPECT_EQ(device_of_process("cuda:2", 3, 4), "cuda:2");
  EXPECT_EQ(device_of_process("auto", 3, 0), "auto");
  EXPECT_EQ(device_of_process("cuda", 3, 0), "cuda");  // make_engine says that there is none
}

TEST(Devices, GpusAreCountedAsTheyAreListed) { EXPECT_EQ(gpu_count() + 1, list_devices().size()); }

}  // namespace
}  // namespace spodnet
