#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/models/model_file.hpp"

namespace spodnet::test {
namespace {

const std::vector<std::string> kTraining = {
    "train",    "--p",       "12",    "--n",   "30",           "--count", "400",
    "--epochs", "400",       "--lr",  "0.003", "--schedule",   "cosine",  "--seed",
    "2",        "--history", "h.csv", "-o",    "m.safetensors"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::string& more) {
  arguments.push_back(more);
  return arguments;
}

/// The training without an interruption.
struct Whole {
  std::string model, history;
};

/// Without its column of seconds, which differs from run to run.
std::string history_without_seconds(const std::filesystem::path& path) {
  std::string text;
  std::istringstream in(read_bytes(path));
  for (std::string line; std::getline(in, line);) text += line.substr(0, line.rfind(',')) + '\n';
  return text;
}

const Whole& uninterrupted() {
  static const Whole whole = [] {
    const TemporaryFolder folder;
    EXPECT_EQ(spodnet(folder, kTraining).status, 0);
    return Whole{read_bytes(folder / "m.safetensors"), history_without_seconds(folder / "h.csv")};
  }();
  return whole;
}

void wait_for_checkpoint(const TemporaryFolder& folder, const RunningCommand& running) {
  while (!running.ended() && !std::filesystem::exists(folder / "m.safetensors.checkpoint"))
    pause_seconds(0.001);
}

/// Starts the training and sends the signal once there is a checkpoint. On a busy machine the
/// signal may come after the training's end: then once more.
CommandResult stop_in_the_middle(const TemporaryFolder& folder, int number) {
  CommandResult result;
  for (int attempt = 0; attempt < 50 && result.status != 130; ++attempt) {
    std::filesystem::remove(folder / "m.safetensors");
    const RunningCommand running(folder.path(), kTraining);
    wait_for_checkpoint(folder, running);
    running.signal(number);
    result = running.wait();
  }
  return result;
}

/// No file a reader would open is ever half-written.
void expect_whole_files(const TemporaryFolder& folder) {
  for (const char* name : {"m.safetensors", "m.safetensors.checkpoint"})
    if (std::filesystem::exists(folder / name)) {
      EXPECT_NO_THROW((void)read_safetensors(folder / name)) << name;
    }
}

/// Five kills a round, and more until one has hit a training with a checkpoint: on a busy machine
/// some come after its end.
TEST(CliResume, KilledAtTwentyRandomMomentsItEndsWithTheSameModel) {
  RandomStream random(20);
  for (int round = 0; round < 4; ++round) {
    const TemporaryFolder folder;
    int resumed = 0;
    for (int kill = 0; kill < 5 || (resumed == 0 && kill < 100); ++kill) {
      const RunningCommand running(folder.path(), with(kTraining, "--resume"));
      if (kill % 2 == 1) wait_for_checkpoint(folder, running);
      running.wait_for_work(random.uniform(0.0, 0.3));
      running.signal(SIGKILL);
      (void)running.wait();
      expect_whole_files(folder);
      resumed += std::filesystem::exists(folder / "m.safetensors.checkpoint");
    }
    EXPECT_GT(resumed, 0);
    const CommandResult result = spodnet(folder, with(kTraining, "--resume"));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(read_bytes(folder / "m.safetensors"), uninterrupted().model) << "round " << round;
    EXPECT_EQ(history_without_seconds(folder / "h.csv"), uninterrupted().history);
    EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors.checkpoint"));
  }
}

TEST(CliResume, CtrlCLeavesACheckpointAndStatus130) {
  for (const int number : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const CommandResult stopped = stop_in_the_middle(folder, number);
    ASSERT_EQ(stopped.status, 130);
    EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
    EXPECT_TRUE(std::filesystem::exists(folder / "m.safetensors.checkpoint"));
    EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
    EXPECT_EQ(spodnet(folder, "info --json m.safetensors.checkpoint").json()["kind"], "checkpoint");
    ASSERT_EQ(spodnet(folder, with(kTraining, "--resume")).status, 0);
    EXPECT_EQ(read_bytes(folder / "m.safetensors"), uninterrupted().model);
    EXPECT_EQ(history_without_seconds(folder / "h.csv"), uninterrupted().history);
  }
}

TEST(CliResume, OtherSettingsAreRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(stop_in_the_middle(folder, SIGINT).status, 130);
  auto other = with(kTraining, "--resume");
  other[10] = "0.004";  // --lr
  const CommandResult result = spodnet(folder, other);
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("lr = '0.003', not 0.004"), std::string::npos) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "m.safetensors.checkpoint"));
}

TEST(CliResume, AnUnfinishedTrainingIsNotReplacedSilently) {
  const TemporaryFolder folder;
  ASSERT_EQ(stop_in_the_middle(folder, SIGINT).status, 130);
  const CommandResult again = spodnet(folder, kTraining);
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("unfinished"), std::string::npos) << again.err;
  EXPECT_EQ(read_bytes(folder / "m.safetensors"), uninterrupted().model);
}

}  // namespace
}  // namespace spodnet::test
