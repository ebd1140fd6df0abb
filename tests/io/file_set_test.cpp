#include "spodnet/io/file_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::read_bytes;
using test::TemporaryFolder;

std::vector<std::string> listing(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST(FileSet, FilesAppearTogether) {
  const TemporaryFolder folder;
  const fs::path out = folder / "new/deep/out/";
  FileSet files(out);
  write_file_atomically(files.add("b"), "2");
  write_file_atomically(files.add("a"), "1");
  EXPECT_FALSE(fs::exists(out / "a"));
  EXPECT_EQ(files.commit(), (std::vector<fs::path>{out / "b", out / "a"}));
  EXPECT_EQ(listing(out), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_bytes(out / "a"), "1");
}

TEST(FileSet, GivenUpLeavesNothing) {
  const TemporaryFolder folder;
  {
    FileSet files(folder / "new/out");
    write_file_atomically(files.add("a"), "1");
  }
  EXPECT_TRUE(listing(folder.path()).empty());
}

TEST(FileSet, OlderFilesSurviveAFailure) {
  const TemporaryFolder folder;
  folder.write("a", "old a");
  fs::create_directory(folder / "c");
  {
    FileSet files(folder.path());
    for (const char* name : {"a", "b", "c"}) write_file_atomically(files.add(name), "new");
    expect_error([&] { files.commit(); }, {"/c", "is a folder"});
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old a");
  EXPECT_EQ(listing(folder.path()), (std::vector<std::string>{"a", "c"}));
}

TEST(FileSet, AFileThatWasNeverWrittenUndoesTheOthers) {
  const TemporaryFolder folder;
  folder.write("a", "old a");
  {
    FileSet files(folder.path());
    write_file_atomically(files.add("a"), "new");
    files.add("missing");
    expect_error([&] { files.commit(); }, {"missing", "cannot rename"});
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old a");
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"a"});
}

TEST(FileSet, ReplacesOlderFiles) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  FileSet files(folder.path());
  write_file_atomically(files.add("a"), "new");
  files.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"a"});
}

TEST(FileSet, RefusesWhatIsNoFolder) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "x");
  expect_error([&] { FileSet files(file); }, {file, "is not a folder"});
  expect_error([&] { FileSet files(file / "below"); }, {"file/below", "Not a directory"});
  expect_error([&] { FileSet files("/proc/spodnet"); }, {"/proc/spodnet", "folder"});
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace spodnet
