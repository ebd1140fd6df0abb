#include <fmt/format.h>
#include <zlib.h>

#include <new>
#include <utility>
#include <vector>

#include "spodnet/io/block_stream.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kUnpackedBlock = std::size_t{1} << 16;
constexpr int kGzipWindow = 15 + 16;  // largest window, gzip wrapper only
constexpr std::string_view kGzipMagic = "\x1F\x8B";

/// A stream's own first bytes put back before its rest.
class PrefixedBlocks : public BlockStream {
 public:
  PrefixedBlocks(std::string first, std::unique_ptr<BlockStream> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  std::string_view next() override {
    if (std::exchange(started_, true) || first_.empty()) return rest_->next();
    return first_;
  }

 private:
  std::string first_;
  std::unique_ptr<BlockStream> rest_;
  bool started_ = false;
};

class GunzipBlocks : public BlockStream {
 public:
  GunzipBlocks(std::unique_ptr<BlockStream> packed, std::string name, std::uint64_t max_bytes)
      : packed_(std::move(packed)),
        name_(std::move(name)),
        max_bytes_(max_bytes),
        out_(kUnpackedBlock) {
    if (inflateInit2(&state_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~GunzipBlocks() override { inflateEnd(&state_); }
  GunzipBlocks(const GunzipBlocks&) = delete;
  GunzipBlocks& operator=(const GunzipBlocks&) = delete;

  std::string_view next() override {
    state_.next_out = reinterpret_cast<Bytef*>(out_.data());
    state_.avail_out = static_cast<uInt>(out_.size());
    while (state_.avail_out == out_.size() && !finished_) advance();
    const std::size_t count = out_.size() - state_.avail_out;
    total_ += count;
    if (total_ > max_bytes_)
      throw io_error(name_, fmt::format("expands to more than {} bytes", max_bytes_),
                     "expand it first, and check that it is what it should be");
    return {out_.data(), count};
  }

 private:
  bool refill() {
    if (state_.avail_in > 0) return true;
    const std::string_view block = packed_->next();
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    state_.avail_in = static_cast<uInt>(block.size());
    return !block.empty();
  }

  void advance() {
    if (!refill()) {
      if (!between_members_) fail("the gzip data is cut short");
      finished_ = true;
      return;
    }
    if (between_members_ && skip_padding()) return;
    between_members_ = false;
    const int code = inflate(&state_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&state_);
    } else if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fail("the gzip data is damaged");
    }
  }

  /// Some archivers fill the last disk block with zeros behind the last member.
  bool skip_padding() {
    if (*state_.next_in != 0) return false;
    ++state_.next_in;
    --state_.avail_in;
    return true;
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw io_error(name_, cause, "copy or compress the file again");
  }

  std::unique_ptr<BlockStream> packed_;
  std::string name_;
  std::uint64_t max_bytes_, total_ = 0;
  std::vector<char> out_;
  z_stream state_{};
  bool between_members_ = false, finished_ = false;
};

}  // namespace

std::unique_ptr<BlockStream> expand_gzip(std::unique_ptr<BlockStream> blocks, std::string name,
                                         std::uint64_t max_bytes) {
  std::string first = read_ahead(*blocks, kGzipMagic.size());
  const bool packed = first.starts_with(kGzipMagic);
  auto whole = std::make_unique<PrefixedBlocks>(std::move(first), std::move(blocks));
  if (!packed) return whole;
  return std::make_unique<GunzipBlocks>(std::move(whole), std::move(name), max_bytes);
}

}  // namespace spodnet
