#include <gtest/gtest.h>

#include <pty.h>

#include <cmath>
#include <sstream>

#include "cli/cli.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "spodnet/generate/dataset.hpp"
#include "support/toy_model.hpp"

namespace spodnet::test {
namespace {

TEST(CliProgress, LineShowsShareNoteAndTimeLeft) {
  EXPECT_EQ(cli::progress_line("train", 0.25, 75, "epoch 1/4"),
            "train [######------------------]  25 %  epoch 1/4  1:15 left");
  EXPECT_EQ(cli::progress_line("x", 1.5, -1, ""), "x [########################] 100 %");
}

/// What `spodnet` writes to its terminal until `part` turns up or it ends; then Ctrl-C.
std::string typescript(const TemporaryFolder& folder, std::vector<std::string> arguments,
                       const std::string& part) {
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    std::filesystem::current_path(folder.path());
    arguments.insert(arguments.begin(), SPODNET_BINARY);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::string text;
  bool stopped = false;
  char piece[4096];
  for (ssize_t size; (size = ::read(terminal, piece, sizeof piece)) > 0;) {
    text.append(piece, std::size_t(size));
    if (!stopped && text.find(part) != std::string::npos) stopped = ::kill(pid, SIGINT) == 0;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  return text;
}

TEST(CliProgress, ATerminalSeesABarWithTimeLeftAfterTwoSeconds) {
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const std::string text = typescript(
      folder,
      {"train", "--p", "20", "--count", "200", "--epochs", "100000000", "-o", "m.safetensors"},
      " left");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_NE(text.find("\rtrain [------------------------]   0 %  epoch "), std::string::npos)
      << text;
  EXPECT_NE(text.find(" left\033[K"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\033[Kspodnet: stopped"), std::string::npos) << "erased at the end";
}

TEST(CliReport, Numbers) {
  EXPECT_EQ(cli::number_text(NAN), "-");
  EXPECT_EQ(cli::number_text(0.0123456), "0.01235");
  EXPECT_EQ(cli::seconds_text(0.5), "0.50 s");
  EXPECT_EQ(cli::seconds_text(3723), "1:02:03");
  EXPECT_EQ(cli::bytes_text(999), "999 B");
  EXPECT_EQ(cli::bytes_text(6.4e6), "6.4 MB");
  EXPECT_TRUE(number_json(INFINITY).is_null());
  EXPECT_EQ(cli::aligned({{"a", "bb"}, {"ccc", "d"}}), "a    bb\nccc   d\n");
}

TEST(CliHelp, EveryCommandHasExamples) {
  const TemporaryFolder folder;
  const CommandResult whole = spodnet(folder, "--help");
  EXPECT_EQ(whole.status, 0);
  for (const std::string command : {"generate", "train", "estimate", "evaluate", "info"}) {
    EXPECT_NE(whole.out.find(command), std::string::npos);
    const CommandResult help = spodnet(folder, command + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Examples:\n  spodnet " + command), std::string::npos) << help.out;
  }
  EXPECT_EQ(spodnet(folder, "--version").out.rfind("spodnet ", 0), 0u);
}

TEST(CliGenerate, SameFileForAnyNumberOfThreadsAndAsTheLibraryMakesIt) {
  const TemporaryFolder folder;
  for (const std::string threads : {"1", "3"})
    ASSERT_EQ(spodnet(folder,
                      "generate --p 7 --n 11 --alpha 0.5:0.9 --count 9 --seed 4 --samples "
                      "--threads " +
                          threads + " -o d" + threads + ".safetensors")
                  .status,
              0);
  EXPECT_EQ(read_bytes(folder / "d1.safetensors"), read_bytes(folder / "d3.safetensors"));
  ThreadPool pool(1);
  const DataSet data = generate_dataset({.p = 7,
                                         .n = 11,
                                         .alpha = sparsity_levels_from("0.5:0.9"),
                                         .count = 9,
                                         .seed = 4,
                                         .keep_samples = true},
                                        pool);
  const DataSet read = load_dataset(folder / "d1.safetensors");
  EXPECT_EQ(read.S.values, data.S.values);
  EXPECT_EQ(read.Theta_true.values, data.Theta_true.values);
  EXPECT_EQ(read.X.values, data.X.values);
}

TEST(CliInfo, KnowsWhatAFileHolds) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 3 -o d.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "train --data d.safetensors --epochs 1 -o m.safetensors").status, 0);
  folder.write("x.csv", "a,b\n1,2\n3,\n");
  const auto kind = [&](const std::string& file) {
    const CommandResult result = spodnet(folder, "info --json " + file);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json()["kind"].get<std::string>();
  };
  EXPECT_EQ(kind("d.safetensors"), "data set");
  EXPECT_EQ(kind("m.safetensors"), "model");
  EXPECT_EQ(kind("x.csv"), "table");
  EXPECT_EQ(spodnet(folder, "info --json x.csv").json()["missing"], 1);
  const CommandResult text = spodnet(folder, "info m.safetensors");
  EXPECT_NE(text.out.find("scaling  normalize"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("layers.0.g.0.weight  F64 [3,3]"), std::string::npos);
}

/// A user's own main: the whole command line with a registered model.
int run_with_toy(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  std::filesystem::current_path(folder.path());
  arguments.insert(arguments.begin(), "mine");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return cli::run(int(argv.size()), argv.data(), toy_registry());
}

TEST(CliRun, AUsersModelHasTheWholeCommandLine) {
  const TemporaryFolder folder;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_with_toy(folder, {"train", "--model", "toy", "--p", "4", "--n", "30", "--count",
                                  "20", "--epochs", "3", "-o", "t.safetensors"}),
            0);
  EXPECT_EQ(run_with_toy(folder, {"generate", "--p", "4", "--count", "5", "-o", "d.safetensors"}),
            0);
  EXPECT_EQ(run_with_toy(folder, {"estimate", "d.safetensors", "--method", "t.safetensors", "-o",
                                  "e.safetensors"}),
            0);
  EXPECT_EQ(
      run_with_toy(folder, {"evaluate", "--data", "d.safetensors", "--method", "t.safetensors"}),
      0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("toy, p = 4"), std::string::npos);
  std::filesystem::current_path("/");
}

}  // namespace
}  // namespace spodnet::test
