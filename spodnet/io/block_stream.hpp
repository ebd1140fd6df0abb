#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace spodnet {

/// Bytes that come once, block by block, from a source of unknown length.
class BlockStream {
 public:
  virtual ~BlockStream() = default;
  /// The next bytes, valid until the next call; empty at the end and ever after.
  virtual std::string_view next() = 0;
};

/// A file, a pipe or a device. A missing or unreadable file and a folder throw an Error.
std::unique_ptr<BlockStream> open_blocks(const std::filesystem::path& path);

/// Bytes in memory, which must outlive the stream.
std::unique_ptr<BlockStream> memory_blocks(std::span<const std::byte> bytes);

/// Plain bytes as they are; gzip (known by its first two bytes, several members allowed) is
/// expanded on the way, up to `max_bytes`. A truncated or damaged gzip throws an Error.
std::unique_ptr<BlockStream> expand_gzip(std::unique_ptr<BlockStream> blocks, std::string name,
                                         std::uint64_t max_bytes);

/// Blocks joined until there are at least `size` bytes or the stream ends.
std::string read_ahead(BlockStream& blocks, std::size_t size);

}  // namespace spodnet
