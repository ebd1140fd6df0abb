#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include "cli/command.hpp"

namespace spodnet::test {
namespace {

const std::string kFig5 = "fig5 --scale tiny -o out --threads 1";

std::size_t parts_in(const TemporaryFolder& folder) {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out/parts", ignored))
    count += entry.path().extension() == ".json";
  return count;
}

TEST(ReproduceCommand, WritesTablesAndSaysWhatHolds) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(folder, kFig5 + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["status"], "ok");
  EXPECT_GT(result.json()["verdicts"].size(), 3u);
  for (const char* name : {"fig5.csv", "fig5.json", "verdicts.csv", "plan.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / name)) << name;
}

TEST(ReproduceCommand, KilledItGoesOnWithTheRest) {
  const TemporaryFolder whole, folder;
  ASSERT_EQ(spodnet(whole, kFig5).status, 0);
  std::size_t before = 0;
  for (std::size_t kill = 1; kill <= 3; ++kill) {
    const RunningCommand running(folder.path(),
                                 {"fig5", "--scale", "tiny", "-o", "out", "--threads", "1"});
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

void expect_refused(const TemporaryFolder& folder, const std::string& words,
                    const std::vector<std::string>& parts) {
  SCOPED_TRACE(words);
  const CommandResult result = spodnet(folder, words);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("spodnet-reproduce: ")) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(result.err, testing::HasSubstr(part));
}

TEST(ReproduceCommand, RefusesBadInput) {
  const TemporaryFolder folder;
  folder.write("animals.csv", "a,b\n1,2\n2,1\n3,3\n");
  expect_refused(folder, "fig1", {"fig1"});
  expect_refused(folder, "", {"figure"});
  expect_refused(folder, "fig2 --scale enormous", {"--scale", "enormous"});
  expect_refused(folder, "fig2 --sed 1", {"--sed", "did you mean --seed?"});
  expect_refused(folder, "fig5 --scale tiny --only nonesuch -o out",
                 {"--only", "'nonesuch'", "for example"});
  expect_refused(folder, "fig5 --scale tiny --animals animals.csv -o out", {"--animals", "fig6"});
  expect_refused(folder, "fig6 --scale tiny --animals animals.csv -o out", {"animals.csv", "33"});
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing half-written";
}

TEST(ReproduceCommand, SaysWhereTheAnimalsComeFrom) {
  const TemporaryFolder folder;
  expect_refused(folder, "fig6 --scale tiny --animals nowhere.csv",
                 {"nowhere.csv", "33 animals", "graphfactormodel"});
}

}  // namespace
}  // namespace spodnet::test
