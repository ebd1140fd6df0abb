#include "spodnet/io/block_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "spodnet/io/byte_source.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

class FileBlocks : public BlockStream {
 public:
  explicit FileBlocks(const std::filesystem::path& path)
      : name_(path.string()), buffer_(kBlock), descriptor_(open_for_reading(path)) {}
  ~FileBlocks() override { ::close(descriptor_); }
  FileBlocks(const FileBlocks&) = delete;
  FileBlocks& operator=(const FileBlocks&) = delete;

  std::string_view next() override {
    for (;;) {
      const ::ssize_t count = ::read(descriptor_, buffer_.data(), buffer_.size());
      if (count >= 0) return {buffer_.data(), static_cast<std::size_t>(count)};
      if (errno != EINTR) throw system_error(name_, "cannot read", errno, "check the disk");
    }
  }

 private:
  std::string name_;
  std::vector<char> buffer_;
  int descriptor_;
};

class MemoryBlocks : public BlockStream {
 public:
  explicit MemoryBlocks(std::span<const std::byte> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  std::string_view next() override {
    const std::string_view block = rest_.substr(0, kBlock);
    rest_.remove_prefix(block.size());
    return block;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<BlockStream> open_blocks(const std::filesystem::path& path) {
  return std::make_unique<FileBlocks>(path);
}

std::unique_ptr<BlockStream> memory_blocks(std::span<const std::byte> bytes) {
  return std::make_unique<MemoryBlocks>(bytes);
}

std::string read_ahead(BlockStream& blocks, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    const std::string_view block = blocks.next();
    if (block.empty()) break;
    text += block;
  }
  return text;
}

}  // namespace spodnet
