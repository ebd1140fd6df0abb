#include "spodnet/io/file_set.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "spodnet/io/message.hpp"

namespace spodnet {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFolderRemedy = "choose a folder you may write to, on a disk with free space";

[[noreturn]] void fail(const fs::path& path, const std::string& action,
                       const std::error_code& code) {
  throw io_error(path.string(), action + ": " + code.message(), kFolderRemedy);
}

fs::path staging_name(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  return folder /
         (".spodnet-" + std::to_string(::getpid()) + "-set" + std::to_string(counter++) + ".tmp");
}

/// Folders of `path` that do not exist yet, outermost first.
std::vector<fs::path> missing_folders(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path at = path; !at.empty() && !fs::exists(at, ignored); at = at.parent_path()) {
    if (at.has_filename()) missing.push_back(at);
    if (at == at.parent_path()) break;
  }
  std::reverse(missing.begin(), missing.end());
  return missing;
}

}  // namespace

FileSet::FileSet(const fs::path& folder) : folder_(folder.empty() ? fs::path(".") : folder) {
  std::error_code code;
  if (fs::exists(folder_, code) && !fs::is_directory(folder_, code))
    throw io_error(folder_.string(), "is not a folder",
                   "give the name of a folder for the results");
  for (const fs::path& each : missing_folders(folder_)) {
    if (fs::create_directory(each, code)) made_.push_back(each);
    if (code) {
      undo();
      fail(folder_, "cannot make the folder", code);
    }
  }
  for (bool fresh = false; !fresh;) {  // a name left behind by a killed process is not ours
    staging_ = staging_name(folder_);
    fresh = fs::create_directory(staging_, code);
    if (code) {
      staging_.clear();
      undo();
      fail(folder_, "cannot write into the folder", code);
    }
  }
}

FileSet::~FileSet() {
  if (!committed_) undo();
}

fs::path FileSet::add(const std::string& name) {
  names_.push_back(name);
  return staging_ / name;
}

std::string FileSet::named(std::string message) const {
  const std::string hidden = shown_path(staging_ / ""), shown = shown_path(folder_ / "");
  for (std::size_t at = 0; (at = message.find(hidden, at)) != message.npos; at += shown.size())
    message.replace(at, hidden.size(), shown);
  return message;
}

/// A second name for the file that `target` is now, so that it can come back.
void FileSet::keep_old(const std::string& name, const fs::path& target) {
  std::error_code code;
  if (!fs::exists(fs::symlink_status(target, code))) {
    moved_.push_back({target, {}});
    return;
  }
  if (fs::is_directory(target, code))
    throw io_error(target.string(), "is a folder where a file is to be written",
                   "move it away or choose another folder");
  const fs::path backup = staging_ / ("old-" + name);
  fs::create_hard_link(target, backup, code);
  if (code) fs::copy(target, backup, fs::copy_options::copy_symlinks, code);
  if (code) fail(target, "cannot be replaced", code);
  moved_.push_back({target, backup});
}

std::vector<fs::path> FileSet::commit() {
  std::vector<fs::path> paths;
  for (const std::string& name : names_) {
    const fs::path target = folder_ / name;
    keep_old(name, target);
    std::error_code code;
    fs::rename(staging_ / name, target, code);
    if (code) fail(target, "cannot rename into place", code);
    paths.push_back(target);
  }
  committed_ = true;
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
  return paths;
}

void FileSet::undo() noexcept {
  std::error_code ignored;
  for (auto it = moved_.rbegin(); it != moved_.rend(); ++it) {
    if (it->backup.empty())
      fs::remove(it->target, ignored);
    else
      fs::rename(it->backup, it->target, ignored);
  }
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  for (auto it = made_.rbegin(); it != made_.rend(); ++it) fs::remove(*it, ignored);
}

}  // namespace spodnet
