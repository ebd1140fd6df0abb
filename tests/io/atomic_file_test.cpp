#include "spodnet/io/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write("half");
  EXPECT_FALSE(fs::exists(folder / "a"));
  file.write(" done");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "half done");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AbandonedLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    AtomicFile file(folder / "a");
    file.write(std::string(1'000'000, 'x'));
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AKilledProcessLeavesNothing) {
  const TemporaryFolder folder;
  const int probe = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(probe);
  const ::pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.write(std::string(1'000'000, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(AtomicFile, LargeContentIsWrittenWhole) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i);
  AtomicFile file(folder / "a");
  for (std::size_t i = 0; i < content.size(); i += 777) file.write(content.substr(i, 777));
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), content);
}

TEST(AtomicFile, FollowsLinksAndKeepsTheMode) {
  const TemporaryFolder folder;
  folder.write("real", "old");
  ::chmod((folder / "real").c_str(), 0640);
  fs::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "real"), "new");
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms(0640));
}

TEST(AtomicFile, BareNamesGoToTheCurrentFolder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("bare", "x");
  fs::current_path(before);
  EXPECT_EQ(read_bytes(folder / "bare"), "x");
}

TEST(AtomicFile, LongNamesFit) {
  const TemporaryFolder folder;
  const fs::path path = folder / std::string(255, 'n');
  write_file_atomically(path, "x");
  EXPECT_EQ(read_bytes(path), "x");
}

TEST(AtomicFile, WritersDoNotDisturbEachOther) {
  const TemporaryFolder folder;
  const auto write = [&](char c) {
    for (int i = 0; i < 50; ++i) write_file_atomically(folder / "a", std::string(10'000, c));
  };
  std::thread a(write, 'a'), b(write, 'b');
  a.join();
  b.join();
  const std::string content = read_bytes(folder / "a");
  EXPECT_EQ(content, std::string(10'000, content.at(0)));
  EXPECT_EQ(entries(folder.path()), 1u);
}

void expect_refused(const fs::path& path, const std::vector<std::string>& parts) {
  SCOPED_TRACE(path);
  std::vector<std::string> all = parts;
  all.push_back(path.string() + ": ");
  all.push_back("; ");
  expect_error([&] { write_file_atomically(path, std::string(1'000'000, 'x')); }, all);
}

TEST(AtomicFile, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  expect_refused(folder / "none/a", {"No such file", "create the folder"});
  expect_refused(folder.write("plain", "") / "a", {"Not a directory"});
  expect_refused(folder.path(), {"Is a directory", "file name inside it"});
  expect_refused("/dev/full", {"No space left", "free some space"});
  expect_refused(folder / std::string(300, 'n'), {"too long"});
  expect_error([] { write_file_atomically("", "x"); }, {": cannot write"});
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, RefusesAnUnwritableFolder) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0755));
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms(0555));
  // Root may write anywhere, so it steps down for the attempt.
  const ::uid_t user = ::geteuid();
  ASSERT_EQ(user == 0 ? ::seteuid(65534) : 0, 0);
  expect_refused(folder / "locked/a", {"Permission denied"});
  ASSERT_EQ(user == 0 ? ::seteuid(0) : 0, 0);
  EXPECT_TRUE(fs::is_empty(folder / "locked"));
}

TEST(AtomicFile, ADiskThatFillsUpLeavesTheOldFile) {
  // A limit on the file size fails the write half-way as a full disk does.
  const TemporaryFolder folder;
  folder.write("a", "old");
  struct ::rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct ::rlimit small { 300'000, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_refused(folder / "a", {"too large", "free some space"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, DevicesAreWrittenDirectly) {
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace spodnet::test
