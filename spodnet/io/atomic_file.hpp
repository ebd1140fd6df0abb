#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spodnet {

/// A file that appears complete or not at all: bytes go to a file without a name on the disk of
/// `path`, which vanishes with a killed process (where there is no such thing, to
/// `.spodnet-<pid>-<n>.tmp` beside `path`); `commit` flushes them to the disk and renames.
/// Destroyed before `commit`, it leaves an older `path` untouched. A symbolic link is followed, the
/// mode of an existing file kept. A path that exists and is no regular file (/dev/stdout, a pipe)
/// is written directly. Every failure (missing or unwritable folder, full disk) throws an Error
/// with the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);
  void commit();

 private:
  void open_direct();
  void open_temporary();
  void open_named();
  void give_name();
  void for_new_name(const std::function<bool(const std::filesystem::path&)>& make);
  void flush();
  void sync_folder() const;
  [[noreturn]] void fail(const std::string& action, int errno_value) const;

  std::string name_;              // for messages
  std::filesystem::path target_;  // links resolved
  std::filesystem::path temporary_;
  std::vector<char> buffer_;
  int descriptor_ = -1;
  bool direct_ = false;
};

/// Writes `text` to `path` at once, by the same rules.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace spodnet
