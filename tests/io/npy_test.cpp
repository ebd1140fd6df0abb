#include "spodnet/io/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

using Shape = std::vector<std::size_t>;

template <class Number>
std::string raw(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

std::string file_of(const std::string& header, const std::string& data, char version = 1,
                    std::size_t claimed = SIZE_MAX) {
  const std::size_t length = claimed == SIZE_MAX ? header.size() : claimed;
  std::string text = "\x93NUMPY";
  text += {version, '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += static_cast<char>(length >> (8 * i));
  return text + header + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

Tensor parse(const std::string& bytes) {
  return parse_npy(std::as_bytes(std::span(bytes)), "dir/a.npy");
}

TEST(Npy, ReadsWhatNumpyWrote) {
  // numpy 2.4.6: (np.arange(6) * 10).reshape(2, 3) as each dtype, and transposed cases below.
  const std::filesystem::path folder =
      std::filesystem::path(SPODNET_GOLDEN_DIR) / "../../fuzz/corpus/npy";
  for (const std::string name : {"f4", "f8", "i4", "i8", "fortran", "version2"}) {
    const Tensor t = read_npy(folder / ("numpy_" + name + ".npy"));
    EXPECT_EQ(t.shape, (Shape{2, 3})) << name;
    EXPECT_EQ(t.values, (std::vector<double>{0, 10, 20, 30, 40, 50})) << name;
  }
  const Tensor cube = read_npy(folder / "numpy_fortran3.npy");  // arange(24).reshape(2, 3, 4)
  EXPECT_EQ(cube.shape, (Shape{2, 3, 4}));
  for (std::size_t k = 0; k < 24; ++k) EXPECT_EQ(cube.values.at(k), double(k));
}

TEST(Npy, ConvertsEveryAcceptedType) {
  EXPECT_EQ(parse(file_of(header("<f4", "(2,)"), raw<float>({0.1f, -3}))).values,
            (std::vector<double>{double(0.1f), -3}));
  EXPECT_EQ(parse(file_of(header("<i4", "(1,)"), raw<std::int32_t>({-7}))).values.at(0), -7);
  EXPECT_EQ(parse(file_of(header("<i8", "(1,)"), raw<std::int64_t>({-7}))).values.at(0), -7);
}

TEST(Npy, AcceptsAnyRankAndKeyOrder) {
  EXPECT_EQ(parse(file_of(header("<f8", "()"), raw<double>({7}))).shape, Shape{});
  EXPECT_EQ(parse(file_of(header("<f8", "(0, 3)"), "")).shape, (Shape{0, 3}));
  EXPECT_EQ(parse(file_of(header("<f8", "(2L, 1L)"), raw<double>({1, 2}))).shape, (Shape{2, 1}));
  const std::string odd = "{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<f8\"}";
  EXPECT_EQ(parse(file_of(odd, raw<double>({5}))).values.at(0), 5);
  EXPECT_EQ(parse(file_of(header("<f8", "(1,)", true), raw<double>({5}), 2)).values.at(0), 5);
}

TEST(Npy, FortranOrderIsTheTranspose) {
  // Element (i, j, k) of the file stands at i + 2 j + 6 k.
  std::vector<double> data(24);
  for (std::size_t n = 0; n < 24; ++n) data[n] = double(n);
  const Tensor t = parse(file_of(header("<f8", "(2, 3, 4)", true), raw(data)));
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(t.values.at((i * 3 + j) * 4 + k), double(i + 2 * j + 6 * k));
}

TEST(Npy, RoundTripIsExact) {
  const TemporaryFolder folder;
  const std::vector<double> odd = {1.0 / 3, -0.0, 5e-324, INFINITY, std::nan(""), 1e308};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}, Shape{1, 3, 2}, Shape{6, 1, 1, 1}}) {
    write_npy(folder / "a.npy", Tensor{shape, odd});
    const Tensor back = read_npy(folder / "a.npy");
    EXPECT_EQ(back.shape, shape);
    EXPECT_EQ(raw(back.values), raw(odd));
  }
  write_npy(folder / "a.npy", Tensor{{}, {3}});
  EXPECT_EQ(read_npy(folder / "a.npy").values, std::vector<double>{3});
  const Matrix A = Matrix::Random(5, 7);
  write_npy(folder / "a.npy", A.block(1, 2, 3, 4));  // with a stride
  const Tensor back = read_npy(folder / "a.npy");
  EXPECT_EQ(back.shape, (Shape{3, 4}));
  EXPECT_EQ(ConstMatrixMap(back.values.data(), 3, 4), A.block(1, 2, 3, 4));
}

TEST(Npy, WrittenBytesAreThoseOfNumpy) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", Tensor{{2, 3}, {0, 10, 20, 30, 40, 50}});
  const auto numpy =
      std::filesystem::path(SPODNET_GOLDEN_DIR) / "../../fuzz/corpus/npy/numpy_f8.npy";
  EXPECT_EQ(read_bytes(folder / "a.npy"), read_bytes(numpy));
}

TEST(Npy, RefusesHostileFiles) {
  const std::string good = header("<f8", "(1,)"), data = raw<double>({1});
  const std::string huge = "(4611686018427387904, 4611686018427387904)";
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"", "not an NPY"},
      {"\x93NUMP", "not an NPY"},
      {"not numpy at all", "not an NPY"},
      {"\x93NUMPY", "cut short"},
      {std::string("\x93NUMPY\1\0v", 9), "cut short"},
      {file_of(good, data, 3), "version 3.0"},
      {file_of(good, data, 0), "version 0.0"},
      {file_of(good, data, 1, 60'000), "claims 60000 bytes, but"},
      {file_of(good, data, 2, 0xFFFFFFFF), "claims 4294967295 bytes"},
      {file_of(std::string(70'000, ' '), data, 2), "65536 is the limit"},
      {file_of("", data), "'{' is missing"},
      {file_of("{}", data), "missing"},
      {file_of("{'descr': '<f8'", data), "'}' is missing"},
      {file_of("{'descr", data), "never closed"},
      {file_of("{descr: 1}", data), "quoted word"},
      {file_of("{'descr': '<f8', 'descr': '<f8'}", data), "'descr' appears twice"},
      {file_of("{'evil': 1}", data), "unknown key 'evil'"},
      {file_of(header("<f8", "1"), data), "'(' is missing"},
      {file_of(header("<f8", "(-1,)"), data), "something else than sizes"},
      {file_of(header("<f8", "(1.5,)"), data), "')' is missing"},
      {file_of(header("<f8", "(99999999999999999999,)"), data), "something else than sizes"},
      {file_of(good + "x", data), "text follows"},
      {file_of("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}", data), "neither True"},
      {file_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", data),
       "structured"},
      {file_of(header(">f8", "(1,)"), data), "dtype '>f8'"},
      {file_of(header("|O", "(1,)"), data), "dtype '|O'"},
      {file_of(header("<c16", "(1,)"), data), "dtype '<c16'"},
      {file_of(header("<f8", "(2,)"), data), "8 bytes of data, not what its shape (2) needs"},
      {file_of(good, data + "x"), "9 bytes of data"},
      {file_of(good, ""), "0 bytes of data"},
      {file_of(header("<f8", huge), data), "not what its shape"},
      {file_of(header("<f8", "(0, 9223372036854775808)"), ""), "not what its shape"},
  };
  for (const auto& [bytes, part] : refusals) {
    SCOPED_TRACE(part);
    expect_error([&bytes = bytes] { parse(bytes); }, {part, "dir/a.npy: ", "; "});
  }
}

TEST(Npy, WriterRefusesAnImpossibleShape) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.npy").string();
  expect_error([&] { write_npy(path, Tensor{{2, 2}, {1}}); }, {path, "shape (2, 2)"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace spodnet::test
