#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.hpp"

namespace spodnet::test {
namespace {

/// The text of all blocks fenced as `sh`, in order.
std::string shell_blocks(const std::string& markdown) {
  std::string script, line;
  bool inside = false;
  for (std::istringstream in(markdown); std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = !inside && line == "```sh";
    else if (inside)
      script += line + '\n';
  }
  return script;
}

TEST(CliDocs, EveryExampleOfUsingRuns) {
  const TemporaryFolder folder;
  const std::string script =
      shell_blocks(read_bytes(std::filesystem::path(SPODNET_SOURCE_DIR) / "docs/using.md"));
  ASSERT_NE(script.find("spodnet train"), std::string::npos);
  folder.write("examples.sh", script);
  const std::string bin = std::filesystem::path(SPODNET_BINARY).parent_path().string();
  const std::string command = "cd '" + folder.path().string() + "' && PATH='" + bin +
                              "':\"$PATH\" sh -ex examples.sh > log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_bytes(folder / "log");
  EXPECT_TRUE(std::filesystem::exists(folder / "precision.mtx"));
}

}  // namespace
}  // namespace spodnet::test
