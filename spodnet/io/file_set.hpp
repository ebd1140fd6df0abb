#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spodnet {

/// Files of one folder that appear together or not at all. They are written into a hidden folder
/// `.spodnet-<pid>-<n>.tmp` inside `folder` (made, with its parents, where missing); `commit` moves
/// them into place. When anything fails before or during `commit`, earlier files of the same names
/// are as they were and no folder made here remains. Failures throw an Error with the path and
/// the system's reason.
class FileSet {
 public:
  explicit FileSet(const std::filesystem::path& folder);
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  /// Where to write the file that will be called `name`.
  std::filesystem::path add(const std::string& name);

  /// `message` about a file in the hidden folder, as one about the file that it will be.
  std::string named(std::string message) const;

  /// Moves all files into place and returns their paths, in the order of `add`.
  std::vector<std::filesystem::path> commit();

 private:
  struct Moved {
    std::filesystem::path target, backup;  // no backup: there was nothing before
  };
  void keep_old(const std::string& name, const std::filesystem::path& target);
  void undo() noexcept;

  std::filesystem::path folder_, staging_;
  std::vector<std::filesystem::path> made_;  // folders made on the way, outermost first
  std::vector<std::string> names_;
  std::vector<Moved> moved_;
  bool committed_ = false;
};

}  // namespace spodnet
