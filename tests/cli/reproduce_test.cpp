#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace spodnet::test {
namespace {

const std::string kFig5 = "reproduce fig5 --scale tiny --no-pictures -o out --threads 1";

std::size_t parts_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out/parts", ignored))
    count += entry.path().extension() == ".json";
  return count;
}

TEST(CliReproduce, WritesTablesAndSaysWhatHolds) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(folder, kFig5 + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["status"], "ok");
  EXPECT_GT(result.json()["verdicts"].size(), 3u);
  for (const char* name : {"fig5.csv", "fig5.json", "verdicts.csv", "plan.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / name)) << name;
}

TEST(CliReproduce, KilledItGoesOnWithTheRest) {
  const TemporaryFolder whole, folder;
  ASSERT_EQ(spodnet(whole, kFig5).status, 0);
  std::size_t before = 0;
  for (std::size_t kill = 1; kill <= 3; ++kill) {
    const RunningCommand running(folder.path(), {"reproduce", "fig5", "--scale", "tiny",
                                                 "--no-pictures", "-o", "out", "--threads", "1"});
    while (!running.ended() && parts_in(folder) < 5 * kill) pause_seconds(0.001);
    running.signal(SIGKILL);
    (void)running.wait();
    EXPECT_GE(parts_in(folder), before);
    before = parts_in(folder);
  }
  EXPECT_GE(before, 15u);
  const CommandResult rest = spodnet(folder, kFig5 + " --json");
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(rest.json()["reused"], before);
  EXPECT_EQ(read_bytes(folder / "out/fig5.csv"), read_bytes(whole / "out/fig5.csv"));
}

TEST(CliReproduce, SaysHowToDrawWhenItCannot) {
  const TemporaryFolder folder;
  ::setenv("SPODNET_PLOT", "/nowhere/plot.py", 1);
  const CommandResult result = spodnet(folder, "reproduce fig7 --scale tiny -o out");
  ::unsetenv("SPODNET_PLOT");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("no pictures"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("plot.py"), std::string::npos) << result.err;
}

TEST(CliReproduce, RefusesBadInput) {
  const TemporaryFolder folder;
  EXPECT_EQ(spodnet(folder, "reproduce fig1").status, 2);
  EXPECT_EQ(spodnet(folder, "reproduce").status, 2);
  EXPECT_EQ(spodnet(folder, "reproduce fig6 --scale tiny --animals nowhere.csv").status, 2);
  EXPECT_EQ(spodnet(folder, "reproduce fig2 --scale enormous").status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "reproduced")) << "nothing half-written";
}

}  // namespace
}  // namespace spodnet::test
