#include "spodnet/io/safetensors.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/byte_source.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/raw_numbers.hpp"
#include "spodnet/io/safetensors_header.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLengthBytes = 8;

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
  return {parse_tensor_header(text, behind - length, name), std::size_t(kLengthBytes + length)};
}

RawKind kind_of(const std::string& dtype, const std::string& key, const std::string& name) {
  if (dtype == "F64") return RawKind::f64;
  if (dtype == "F32") return RawKind::f32;
  if (dtype == "I64") return RawKind::i64;
  if (dtype == "I32") return RawKind::i32;
  throw io_error(name, "tensor " + shown(key) + " is " + dtype,
                 "convert it to F64, F32, I64 or I32");
}

TensorFile read_tensors(const ByteSource& source) try {
  OpenTensorFile open = open_header(source);
  TensorFile file{std::move(open.header.metadata), {}};
  for (auto& [key, info] : open.header.tensors) {
    const RawKind kind = kind_of(info.dtype, key, source.name());
    std::vector<double> values((info.end - info.begin) / raw_size(kind));
    read_raw(kind, source, open.data_begin + info.begin, values);
    file.tensors[key] = {std::move(info.shape), std::move(values)};
  }
  return file;
} catch (const std::bad_alloc&) {
  throw io_error(source.name(), "does not fit in memory", "use a machine with more memory");
}

void check_tensor(const std::string& name, const std::string& key, const Tensor& tensor) {
  std::size_t count = 0;
  if (!checked_product(tensor.shape, 1, count) || count != tensor.values.size())
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
  return read_tensors(FileSource(path));
}

TensorFile parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  return read_tensors(MemorySource(bytes, name));
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
