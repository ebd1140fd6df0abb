#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/command.hpp"

namespace spodnet::test {

/// A command line that must be refused, and what its one line of explanation must name.
struct Refusal {
  std::string command;
  std::vector<std::string> parts;
};

inline std::set<std::string> files_in(const TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (!entry.path().filename().string().starts_with(".std"))
      names.insert(entry.path().filename().string());
  return names;
}

/// Exit status 2, one line on standard error, nothing written.
inline void expect_refused(const TemporaryFolder& folder, const std::vector<Refusal>& refusals) {
  const std::set<std::string> before = files_in(folder);
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE("spodnet " + refusal.command);
    const CommandResult result = spodnet(folder, refusal.command);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("spodnet: ")) << result.err;
    for (const std::string& part : refusal.parts) EXPECT_THAT(result.err, testing::HasSubstr(part));
  }
  EXPECT_EQ(files_in(folder), before) << "something was left behind";
}

}  // namespace spodnet::test
