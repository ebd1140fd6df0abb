#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace spodnet {

/// Bytes of known length that can be read anywhere: a regular file or memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  const std::string& name() const { return name_; }
  std::size_t size() const { return size_; }
  /// Fills `out` from `offset`; the caller has checked that offset + out.size() <= size().
  virtual void read(std::size_t offset, std::span<std::byte> out) const = 0;

 protected:
  std::string name_;
  std::size_t size_ = 0;
};

/// A regular file. A missing or unreadable file, a folder, a pipe, and a file that shrinks while
/// it is read throw an Error.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  void read(std::size_t offset, std::span<std::byte> out) const override;

 private:
  int descriptor_ = -1;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name);
  void read(std::size_t offset, std::span<std::byte> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

/// Opens `path` for reading and returns its descriptor, or throws an Error; a folder is refused.
int open_for_reading(const std::filesystem::path& path);

}  // namespace spodnet
