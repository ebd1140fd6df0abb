#include "spodnet/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>

#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/byte_source.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors_header.hpp"

namespace spodnet {
namespace {

static_assert(std::endian::native == std::endian::little, "raw tensors are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kChunk = 8192;  // elements converted at a time

struct OpenTensorFile {
  TensorFileHeader header;
  std::size_t data_begin = 0;
};

OpenTensorFile open_header(const ByteSource& source) {
  const std::string& name = source.name();
  if (source.size() < kLengthBytes)
    throw io_error(name, fmt::format("{} bytes are too few for a safetensors file", source.size()),
                   "the file is truncated or not safetensors, export it again");
  std::uint64_t length = 0;
  source.read(0, std::as_writable_bytes(std::span(&length, 1)));
  const std::size_t behind = source.size() - kLengthBytes;
  if (length > behind || length > kMaxTensorHeader)
    throw io_error(name,
                   fmt::format("the header claims {} bytes, but {}", length,
                               length > behind ? fmt::format("{} follow", behind)
                                               : fmt::format("{} is the limit", kMaxTensorHeader)),
                   "the file is truncated or not safetensors, export it again");
  std::string text(length, '\0');
  source.read(kLengthBytes, std::as_writable_bytes(std::span(text)));
  return {parse_tensor_header(text, behind - length, name), kLengthBytes + length};
}

template <class Number>
void convert(const ByteSource& source, std::size_t offset, std::span<double> out) {
  std::vector<Number> chunk(std::min(kChunk, out.size()));
  for (std::size_t done = 0; done < out.size(); done += chunk.size()) {
    chunk.resize(std::min(chunk.size(), out.size() - done));
    source.read(offset + done * sizeof(Number), std::as_writable_bytes(std::span(chunk)));
    std::copy(chunk.begin(), chunk.end(), out.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

Tensor read_tensor(const ByteSource& source, const std::string& key, const TensorInfo& info,
                   std::size_t data_begin) {
  Tensor tensor{info.shape, std::vector<double>((info.end - info.begin) / dtype_size(info.dtype))};
  const std::size_t offset = data_begin + info.begin;
  if (info.dtype == "F64") {
    source.read(offset, std::as_writable_bytes(std::span(tensor.values)));
  } else if (info.dtype == "F32") {
    convert<float>(source, offset, tensor.values);
  } else if (info.dtype == "I64") {
    convert<std::int64_t>(source, offset, tensor.values);
  } else if (info.dtype == "I32") {
    convert<std::int32_t>(source, offset, tensor.values);
  } else {
    throw io_error(source.name(), "tensor " + shown(key) + " is " + info.dtype,
                   "convert it to F64, F32, I64 or I32");
  }
  return tensor;
}

TensorFile read_all(const ByteSource& source) try {
  OpenTensorFile open = open_header(source);
  TensorFile file{std::move(open.header.metadata), {}};
  for (const auto& [key, info] : open.header.tensors)
    file.tensors[key] = read_tensor(source, key, info, open.data_begin);
  return file;
} catch (const std::bad_alloc&) {
  throw io_error(source.name(), "does not fit in memory", "use a machine with more memory");
}

void check_tensor(const std::string& name, const std::string& key, const Tensor& tensor) {
  std::size_t count = 1;
  bool overflow = false;
  for (const std::size_t extent : tensor.shape)
    overflow = overflow || __builtin_mul_overflow(count, extent, &count);
  if (overflow || count != tensor.values.size())
    throw io_error(name,
                   fmt::format("tensor {} has {} values, not what its shape says", shown(key),
                               tensor.values.size()),
                   "give it a shape whose product is the number of values");
  if (key == "__metadata__")
    throw io_error(name, "a tensor cannot be called '__metadata__'", "rename it");
}

/// The JSON header, padded with spaces so that the data starts at a multiple of 8.
std::string header_text(const std::string& name, const TensorFile& file) {
  nlohmann::ordered_json header;
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::size_t begin = 0;
  for (const auto& [key, tensor] : file.tensors) {
    check_tensor(name, key, tensor);
    const std::size_t end = begin + tensor.values.size() * sizeof(double);
    header[key] = {{"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  try {
    std::string text = header.is_null() ? "{}" : header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const nlohmann::json::exception&) {
    throw io_error(name, "a tensor's name or the metadata is not UTF-8", "use UTF-8 text");
  }
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& path) {
  return read_all(FileSource(path));
}

TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  return read_all(MemorySource(bytes, name));
}

TensorFileHeader read_safetensors_header(const std::filesystem::path& path) {
  return open_header(FileSource(path)).header;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  const std::string header = header_text(path.string(), file);
  const std::uint64_t length = header.size();
  AtomicFile out(path);
  out.write(std::as_bytes(std::span(&length, 1)));
  out.write(header);
  for (const auto& [key, tensor] : file.tensors) out.write(std::as_bytes(std::span(tensor.values)));
  out.commit();
}

}  // namespace spodnet
