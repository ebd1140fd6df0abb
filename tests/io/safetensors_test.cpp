#include "spodnet/io/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

std::string with_length(const std::string& header, const std::string& data,
                        std::uint64_t claimed = UINT64_MAX) {
  const std::uint64_t length = claimed == UINT64_MAX ? header.size() : claimed;
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

TensorFile parse_file(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes)), "some/file.safetensors");
}

template <class Number>
std::string raw_bytes(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

TEST(Safetensors, RoundTripIsExact) {
  const TemporaryFolder folder;
  TensorFile file;
  file.metadata = {{"model", "ubg"}, {"note", "quote \" newline \n é"}};
  file.tensors["S"] = {{2, 1, 3}, {1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, INFINITY, 2.5}};
  file.tensors["scalar"] = {{}, {42}};
  file.tensors["empty"] = {{3, 0}, {}};
  file.tensors["a name with \"quotes\""] = {{1}, {std::nan("")}};
  write_safetensors(folder / "x.safetensors", file);
  const TensorFile back = read_safetensors(folder / "x.safetensors");
  EXPECT_EQ(back.metadata, file.metadata);
  ASSERT_EQ(back.tensors.size(), file.tensors.size());
  for (const auto& [name, expected] : file.tensors) {
    EXPECT_EQ(back.tensors.at(name).shape, expected.shape);
    EXPECT_EQ(raw_bytes(back.tensors.at(name).values), raw_bytes(expected.values)) << name;
  }
}

TEST(Safetensors, WrittenBytesAreTheFormat) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {{{"k", "v"}}, {{"b", {{1}, {2}}}, {"a", {{1}, {1}}}}});
  const std::string header = R"({"__metadata__":{"k":"v"},)" + tensor("a", "F64", "[1]", "[0,8]") +
                             "," + tensor("b", "F64", "[1]", "[8,16]") + "}";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(read_bytes(folder / "x"), with_length(padded, raw_bytes<double>({1, 2})));
}

TEST(Safetensors, EmptyFileRoundTrips) {
  const TemporaryFolder folder;
  write_safetensors(folder / "x", {});
  EXPECT_TRUE(read_safetensors(folder / "x").tensors.empty());
}

TEST(Safetensors, ConvertsEveryAcceptedType) {
  const std::string header = "{" + tensor("f", "F32", "[2]", "[0,8]") + "," +
                             tensor("i", "I32", "[1,2]", "[8,16]") + "," +
                             tensor("l", "I64", "[1]", "[16,24]") + "}";
  const TensorFile file = parse_file(
      with_length(header, raw_bytes<float>({0.1f, -3}) + raw_bytes<std::int32_t>({-7, 2147483647}) +
                              raw_bytes<std::int64_t>({-(std::int64_t{1} << 53)})));
  EXPECT_EQ(file.tensors.at("f").values, (std::vector<double>{double(0.1f), -3}));
  EXPECT_EQ(file.tensors.at("i").values, (std::vector<double>{-7, 2147483647}));
  EXPECT_EQ(file.tensors.at("l").values, (std::vector<double>{-9007199254740992}));
}

TEST(Safetensors, ConvertsTensorsLongerThanOneChunk) {
  std::vector<float> values(20001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const TensorFile file = parse_file(
      with_length("{" + tensor("f", "F32", "[20001]", "[0,80004]") + "}", raw_bytes(values)));
  const auto& back = file.tensors.at("f").values;
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(back[i], values[i]);
}

TEST(Safetensors, HeaderAloneShowsTypesOfAnyKind) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"__metadata__":{"p":"3"},)" + tensor("h", "BF16", "[2]", "[0,4]") + "}";
  const auto path = folder.write("x", with_length(header, "abcd"));
  const TensorFileHeader read = read_safetensors_header(path);
  EXPECT_EQ(read.metadata.at("p"), "3");
  EXPECT_EQ(read.tensors.at("h").dtype, "BF16");
  EXPECT_EQ(read.tensors.at("h").shape, std::vector<std::size_t>{2});
  expect_error([&] { read_safetensors(path); }, {path.string(), "'h' is BF16", "convert"});
}

TEST(Safetensors, ReadsTheGoldenFiles) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SPODNET_GOLDEN_DIR)) {
    if (entry.path().extension() != ".safetensors") continue;
    ++count;
    const TensorFile file = read_safetensors(entry.path());
    EXPECT_FALSE(file.tensors.empty());
    for (const auto& [name, t] : file.tensors)
      for (const double x : t.values) ASSERT_TRUE(std::isfinite(x)) << entry.path() << " " << name;
  }
  EXPECT_GE(count, 12);
  const TensorFile file =
      read_safetensors(std::filesystem::path(SPODNET_GOLDEN_DIR) / "spodnet/ubg_p5.safetensors");
  EXPECT_EQ(file.metadata.at("model"), "ubg");
  EXPECT_EQ(file.tensors.at("S").shape.size(), 3u);
}

TEST(Safetensors, HeaderOrderIsFree) {
  // Tensors may stand in any order in the header; zero-sized ones anywhere between.
  const std::string header = "{" + tensor("b", "F64", "[1]", "[8,16]") + "," +
                             tensor("z", "F64", "[0]", "[8,8]") + "," +
                             tensor("a", "F64", "[]", "[0,8]") + "}";
  const TensorFile file = parse_file(with_length(header, raw_bytes<double>({1, 2})));
  EXPECT_EQ(file.tensors.at("a").values.at(0), 1);
  EXPECT_EQ(file.tensors.at("b").values.at(0), 2);
  EXPECT_TRUE(file.tensors.at("z").values.empty());
}

struct Refusal {
  std::string bytes;
  std::vector<std::string> parts;
};

TEST(Safetensors, RefusesHostileFiles) {
  const std::string good = tensor("a", "F64", "[1]", "[0,8]");
  const std::string data = raw_bytes<double>({1});
  const std::string huge = "[4611686018427387904,4611686018427387904]";
  const std::vector<Refusal> refusals = {
      {"", {"0 bytes"}},
      {"1234567", {"7 bytes"}},
      {with_length("{" + good + "}", data, 1u << 30), {"claims 1073741824 bytes"}},
      {with_length("{" + good + "}", data, UINT64_MAX - 1), {"claims 18446744073709551614"}},
      {with_length("", ""), {"not valid JSON"}},
      {with_length("{" + good, data), {"not valid JSON"}},
      {with_length("{" + good + "} x", data), {"not valid JSON"}},
      {with_length("{\"\xff\":1}", ""), {"not valid JSON"}},
      {with_length("{\"a\":{\"shape\":[1e999]}}", ""), {"not valid JSON"}},
      {with_length("[]", ""), {"not an object"}},
      {with_length("null", ""), {"not an object"}},
      {with_length("{" + good + "," + good + "}", data), {"tensor 'a'", "twice"}},
      {with_length(R"({"__metadata__":{},"__metadata__":{}})", ""), {"__metadata__", "twice"}},
      {with_length(R"({"__metadata__":{"k":"1","k":"2"}})", ""), {"'k' twice"}},
      {with_length(R"({"__metadata__":{"k":1}})", ""), {"__metadata__", "a number"}},
      {with_length(R"({"__metadata__":[]})", ""), {"__metadata__", "a list"}},
      {with_length(R"({"a":{"dtype":"F64","dtype":"F64"}})", ""), {"'dtype' twice"}},
      {with_length(R"({"a":{"dtype":"F64","shape":[],"strides":[]}})", ""), {"'strides'"}},
      {with_length(R"({"a":{"dtype":"F64","shape":[]}})", ""), {"'a' needs"}},
      {with_length("{" + tensor("a", "F64", "[1]", "[0]") + "}", data), {"'a' needs"}},
      {with_length("{" + tensor("a", "F64", "[1]", "[0,8,8]") + "}", data), {"'a' needs"}},
      {with_length("{" + tensor("a", "F64", "[-1]", "[0,8]") + "}", data), {"'a'", "negative"}},
      {with_length("{" + tensor("a", "F64", "[1.5]", "[0,8]") + "}", data), {"'a'", "integer"}},
      {with_length("{" + tensor("a", "F64", "[[1]]", "[0,8]") + "}", data), {"'a'", "a list"}},
      {with_length("{" + tensor("a", "F64", "[null]", "[0,8]") + "}", data), {"'a'", "null"}},
      {with_length("{" + tensor("a", "F64", "[true]", "[0,8]") + "}", data), {"'a'", "boolean"}},
      {with_length("{" + tensor("a", "F64", "[{}]", "[0,8]") + "}", data), {"'a'", "an object"}},
      {with_length("{" + tensor("a", "F99", "[1]", "[0,8]") + "}", data), {"'a'", "'F99'"}},
      {with_length("{" + tensor("a", "F64", huge, "[0,8]") + "}", data), {"'a'", "too large"}},
      {with_length("{" + tensor("a", "F64", "[2]", "[0,8]") + "}", data), {"'a'", "needs 16"}},
      {with_length("{" + tensor("a", "F64", "[2]", "[0,16]") + "}", data), {"'a' ends at byte 16"}},
      {with_length("{" + tensor("a", "F64", "[1]", "[8,0]") + "}", data), {"'a'", "backwards"}},
      {with_length("{" + tensor("a", "F64", "[1]", "[4,12]") + "}", data + data), {"'a'", "gap"}},
      {with_length("{" + good + "," + tensor("b", "F64", "[1]", "[4,12]") + "}", data + "1234"),
       {"'b'", "overlaps"}},
      {with_length("{" + good + "}", data + "tail"), {"4 bytes follow"}},
      {with_length("{" + good + "}", data.substr(1)), {"'a' ends at byte 8"}},
      {with_length("{\"line\\nbreak\":7}", ""), {"'line\\x0Abreak'"}},
  };
  for (const Refusal& refusal : refusals) {
    std::vector<std::string> parts = refusal.parts;
    parts.insert(parts.end(), {"some/file.safetensors: ", "; "});
    SCOPED_TRACE(refusal.parts[0]);
    expect_error([&] { parse_file(refusal.bytes); }, parts);
  }
}

TEST(Safetensors, RefusesDeepNestingWithoutRecursion) {
  const std::string deep(5'000'000, '[');
  expect_error([&] { parse_file(with_length(deep, "")); }, {"a list, not an object"});
  expect_error([&] { parse_file(with_length("{\"a\":{\"shape\":" + deep, "")); },
               {"'a' has a list"});
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  expect_error([&] { parse_file(with_length(objects, "")); }, {"'a' has an unknown field 'a'"});
}

TEST(Safetensors, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  expect_error([&] { read_safetensors(folder / "none"); }, {(folder / "none").string(), "No such"});
  expect_error([&] { read_safetensors(folder.path()); }, {folder.path().string(), "folder"});
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_error([&] { read_safetensors(folder / "pipe"); }, {"pipe", "not a regular file"});
  const auto path = folder.write("cut", "12345678");
  expect_error([&] { read_safetensors_header(path); }, {path.string(), "header claims"});
}

TEST(Safetensors, WriterRefusesInconsistentTensors) {
  const TemporaryFolder folder;
  const auto write = [&](const TensorFile& file) {
    return [&folder, file] { write_safetensors(folder / "x", file); };
  };
  const std::string path = (folder / "x").string();
  expect_error(write({{}, {{"a", {{2}, {1}}}}}), {path, "'a' has 1 values"});
  expect_error(write({{}, {{"__metadata__", {{1}, {1}}}}}), {path, "__metadata__"});
  expect_error(write({{{"k", "\xff"}}, {}}), {path, "UTF-8"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace spodnet::test
