#include "spodnet/io/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <new>
#include <numeric>
#include <utility>

#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/byte_source.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/npy_header.hpp"
#include "spodnet/io/raw_numbers.hpp"

namespace spodnet {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;
constexpr std::size_t kAlignment = 64;
constexpr const char* kNpyRemedy = "the file is damaged or not NPY, save the array again";

struct Preamble {
  std::size_t header_begin = 0, header_size = 0;
};

Preamble read_preamble(const ByteSource& source) {
  unsigned char lead[12] = {};
  const std::size_t available = std::min(source.size(), sizeof(lead));
  source.read(0, std::as_writable_bytes(std::span(lead).first(available)));
  const std::string_view text(reinterpret_cast<const char*>(lead), available);
  if (!text.starts_with(kNpyMagic)) throw io_error(source.name(), "is not an NPY file", kNpyRemedy);
  const unsigned version = lead[6];
  if (available > 7 && (version < 1 || version > 2 || lead[7] != 0))
    throw io_error(source.name(), fmt::format("has NPY version {}.{}", version, lead[7]),
                   "save the array in version 1.0 or 2.0");
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (available < 8 + length_bytes) throw io_error(source.name(), "is cut short", kNpyRemedy);
  Preamble preamble{8 + length_bytes, 0};
  for (std::size_t i = length_bytes; i-- > 0;)
    preamble.header_size = preamble.header_size << 8 | lead[8 + i];
  const std::size_t behind = source.size() - preamble.header_begin;
  if (preamble.header_size > std::min(behind, kMaxHeader))
    throw io_error(
        source.name(),
        fmt::format("its header claims {} bytes, but {}", preamble.header_size,
                    preamble.header_size > behind ? fmt::format("{} follow", behind)
                                                  : fmt::format("{} is the limit", kMaxHeader)),
        kNpyRemedy);
  return preamble;
}

RawKind kind_of(const std::string& descr, const std::string& name) {
  if (descr == "<f8") return RawKind::f64;
  if (descr == "<f4") return RawKind::f32;
  if (descr == "<i8") return RawKind::i64;
  if (descr == "<i4") return RawKind::i32;
  throw io_error(name, "has dtype " + shown(descr, 20),
                 "save it little-endian as f8, f4, i8 or i4, e.g. np.save(file, a.astype('<f8'))");
}

/// Column-major to row-major: the last axis of the file turns slowest.
std::vector<double> to_row_major(const std::vector<double>& values,
                                 const std::vector<std::size_t>& shape) {
  std::vector<double> out(values.size());
  std::vector<std::size_t> index(shape.size(), 0), stride(shape.size(), 1);
  std::partial_sum(shape.begin(), shape.end() - 1, stride.begin() + 1, std::multiplies<>());
  std::size_t from = 0;
  for (double& value : out) {
    value = values[from];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

Tensor read_array(const ByteSource& source) try {
  const Preamble preamble = read_preamble(source);
  std::string text(preamble.header_size, '\0');
  source.read(preamble.header_begin, std::as_writable_bytes(std::span(text)));
  NpyHeader header = parse_npy_header(text, source.name());
  const RawKind kind = kind_of(header.descr, source.name());
  const std::size_t data = preamble.header_begin + preamble.header_size;
  std::size_t bytes = 0;
  if (!checked_product(header.shape, raw_size(kind), bytes) || bytes != source.size() - data)
    throw io_error(source.name(),
                   fmt::format("holds {} bytes of data, not what its shape ({}) needs",
                               source.size() - data, fmt::join(header.shape, ", ")),
                   kNpyRemedy);
  Tensor tensor{std::move(header.shape), std::vector<double>(bytes / raw_size(kind))};
  read_raw(kind, source, data, tensor.values);
  if (header.fortran_order && tensor.shape.size() > 1)
    tensor.values = to_row_major(tensor.values, tensor.shape);
  return tensor;
} catch (const std::bad_alloc&) {
  throw io_error(source.name(), "does not fit in memory", "use a machine with more memory");
}

/// Magic, version 1.0, length and dictionary, padded so that the data starts aligned.
std::string lead_text(const std::string& name, std::span<const std::size_t> shape) {
  const std::string comma = shape.size() == 1 ? "," : "";
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{}), }}",
                                   fmt::join(shape, ", "), comma);
  const std::size_t lead = kNpyMagic.size() + 4;
  const std::size_t total = (lead + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(total - lead - 1, ' ');
  header += '\n';
  if (header.size() > UINT16_MAX)
    throw io_error(name, "has too many dimensions for NPY", "use fewer");
  std::string text(kNpyMagic);
  text +=
      {'\1', '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  return text + header;
}

void write_array(const std::filesystem::path& path, std::span<const std::size_t> shape,
                 std::span<const double> values) {
  const std::string lead = lead_text(path.string(), shape);
  AtomicFile file(path);
  file.write(lead);
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace

Tensor read_npy(const std::filesystem::path& path) { return read_array(FileSource(path)); }

Tensor parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  return read_array(MemorySource(bytes, name));
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  std::size_t count = 0;
  if (!checked_product(tensor.shape, 1, count) || count != tensor.values.size())
    throw io_error(path.string(),
                   fmt::format("{} values do not have the shape ({})", tensor.values.size(),
                               fmt::join(tensor.shape, ", ")),
                   "give a shape whose product is the number of values");
  write_array(path, tensor.shape, tensor.values);
}

void write_npy(const std::filesystem::path& path, const MatrixRef& A) {
  const auto rows = static_cast<std::size_t>(A.rows()), cols = static_cast<std::size_t>(A.cols());
  const bool packed = A.outerStride() == A.cols();
  const Matrix copy = packed ? Matrix() : Matrix(A);
  write_array(path, std::array{rows, cols}, {packed ? A.data() : copy.data(), rows * cols});
}

}  // namespace spodnet
