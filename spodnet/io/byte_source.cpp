#include "spodnet/io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "spodnet/io/message.hpp"

namespace spodnet {

int open_for_reading(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw system_error(path.string(), "cannot read", errno,
                       errno == ENOENT ? "check the path" : "check the file's permissions");
  struct ::stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw io_error(path.string(), "is a folder", "give a file");
  }
  return descriptor;
}

FileSource::FileSource(const std::filesystem::path& path) {
  name_ = path.string();
  std::error_code ignored;
  // Asked before opening: opening a pipe without a writer waits for ever.
  const auto kind = std::filesystem::status(path, ignored);
  if (std::filesystem::is_other(kind))
    throw io_error(name_, "is not a regular file", "save it to a file first");
  descriptor_ = open_for_reading(path);
  struct ::stat status {};
  ::fstat(descriptor_, &status);
  size_ = static_cast<std::size_t>(status.st_size);
}

FileSource::~FileSource() { ::close(descriptor_); }

void FileSource::read(std::size_t offset, std::span<std::byte> out) const {
  assert(offset + out.size() <= size_);
  for (std::size_t done = 0; done < out.size();) {
    const ::ssize_t step = ::pread(descriptor_, out.data() + done, out.size() - done,
                                   static_cast<::off_t>(offset + done));
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) throw system_error(name_, "cannot read", errno, "check the disk");
    if (step == 0) throw io_error(name_, "shrank while it was read", "read it again");
    done += static_cast<std::size_t>(step);
  }
}

MemorySource::MemorySource(std::span<const std::byte> bytes, std::string name) : bytes_(bytes) {
  name_ = std::move(name);
  size_ = bytes.size();
}

void MemorySource::read(std::size_t offset, std::span<std::byte> out) const {
  assert(offset + out.size() <= size_);
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
}

}  // namespace spodnet
