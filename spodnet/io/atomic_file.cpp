#include "spodnet/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "spodnet/io/message.hpp"

namespace spodnet {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 18;
constexpr int kNameAttempts = 1000;
constexpr const char* kOpenFiles = "/proc/self/fd/";

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path temporary_name(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  return folder /
         (".spodnet-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp");
}

std::string remedy_for(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or choose another folder";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first";
    case EISDIR:
      return "give a file name inside it";
    default:
      return "choose a path you may write to";
  }
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : name_(path.string()), target_(path) {
  buffer_.reserve(kBufferSize);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail("cannot write", EISDIR);
  if (path.empty() || !path.has_filename()) fail("cannot write", ENOENT);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    open_direct();
  } else {
    if (fs::exists(status) && fs::is_symlink(fs::symlink_status(path, ignored)))
      target_ = fs::canonical(path, ignored);
    open_temporary();
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const std::string& action, int errno_value) const {
  throw system_error(name_, action, errno_value, remedy_for(errno_value));
}

void AtomicFile::open_direct() {
  direct_ = true;
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot write", errno);
}

void AtomicFile::open_temporary() {
  if (::access(kOpenFiles, X_OK) == 0)
    descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ < 0) open_named();  // not every file system has files without a name
  struct ::stat existing {};
  if (::stat(target_.c_str(), &existing) == 0)
      // A file system without modes may refuse; the content matters more.
      [[maybe_unused]]
    const int refused = ::fchmod(descriptor_, existing.st_mode & 07777);
}

void AtomicFile::open_named() {
  for_new_name([this](const fs::path& name) {
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
}

void AtomicFile::give_name() {
  const std::string open_file = kOpenFiles + std::to_string(descriptor_);
  for_new_name([&](const fs::path& name) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
}

/// Keeps the first new name for which `make` succeeds.
void AtomicFile::for_new_name(const std::function<bool(const fs::path&)>& make) {
  for (int attempt = 0; attempt < kNameAttempts && temporary_.empty(); ++attempt) {
    const fs::path candidate = temporary_name(folder_of(target_));
    if (make(candidate)) temporary_ = candidate;
    if (temporary_.empty() && errno != EEXIST) break;
  }
  if (temporary_.empty()) fail("cannot write", errno);
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  const char* data = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t step = std::min(bytes.size() - done, kBufferSize - buffer_.size());
    buffer_.insert(buffer_.end(), data + done, data + done + step);
    done += step;
    if (buffer_.size() == kBufferSize) flush();
  }
}

void AtomicFile::flush() {
  for (std::size_t done = 0; done < buffer_.size();) {
    const ::ssize_t step = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) fail("cannot write", errno);
    done += static_cast<std::size_t>(step);
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (::fsync(descriptor_) != 0 && !direct_) fail("cannot write to the disk", errno);
  if (!direct_ && temporary_.empty()) give_name();
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("cannot write", errno);
  if (direct_) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename into place", errno);
  temporary_.clear();
  sync_folder();
}

// Best effort: the content is safe already, this makes the new name survive a power failure.
void AtomicFile::sync_folder() const {
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace spodnet
