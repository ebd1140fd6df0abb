#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

#include "spodnet/core/error.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/io/utf8.hpp"
#include "spodnet/program/program.hpp"
#include "tests/support/gzip.hpp"

/// What must hold of a reader for any bytes whatever: it returns something consistent or throws an
/// Error of one line that names the file. Each check throws std::logic_error where it does not; the
/// fuzzers and the test that replays their corpora call the same checks.
namespace spodnet::fuzz {

using Bytes = std::span<const std::byte>;

inline void require(bool holds, const char* law) {
  if (!holds) throw std::logic_error(law);
}

/// Runs `read`; false when it refused, with a proper message.
inline bool accepts(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const std::string text = error.what();
    require(text.starts_with("fuzz: "), "the message names the file");
    require(text.find_first_of("\r\n") == std::string::npos, "the message is one line");
    require(text.find("; ") != std::string::npos, "the message has a remedy");
    require(to_utf8(text) == text, "the message is UTF-8");
    require(text.size() < 1000, "the message is short");
    return false;
  }
}

inline bool same_text(const Table& a, const Table& b) {
  return a.columns == b.columns && a.rows == b.rows && format_csv(a) == format_csv(b);
}

/// What was read is consistent, and written and read again it is the same.
inline void check_table(const Table& table) {
  const auto rows = static_cast<std::size_t>(table.values.rows());
  const auto cols = static_cast<std::size_t>(table.values.cols());
  require(rows > 0 && cols > 0, "a table has cells");
  require(table.columns.empty() || table.columns.size() == cols, "one name per column");
  require(table.rows.empty() || table.rows.size() == rows, "one name per row");
  for (const auto* names : {&table.columns, &table.rows})
    for (const std::string& name : *names) require(to_utf8(name) == name, "names are UTF-8");
  for (const char separator : {',', ';', '\t'}) {
    const std::string text = format_csv(table, separator);
    const CsvOptions options{.header = table.columns.empty() ? Choice::no : Choice::yes,
                             .row_names = table.rows.empty() ? Choice::no : Choice::yes,
                             .separator = separator};
    const Table back = parse_csv(std::as_bytes(std::span(text)), "fuzz", options);
    require(same_text(back, table), "written and read again, a table is the same");
  }
}

inline void check_csv(Bytes bytes) {
  Table table;
  if (accepts([&] { table = parse_csv(bytes, "fuzz"); })) check_table(table);
}

/// The same text plain and in gzip members gives the same table or the same message.
inline void check_csv_gzip(Bytes bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x1F\x8B")) return;
  const std::size_t cut = text.empty() ? 0 : static_cast<unsigned char>(text.back()) % text.size();
  const std::string packed = test::gzip(text.substr(0, cut)) + test::gzip(text.substr(cut));
  Table plain, expanded;
  const bool accepted = accepts([&] { plain = parse_csv(bytes, "fuzz"); });
  const Bytes packed_bytes = std::as_bytes(std::span(packed));
  require(accepts([&] { expanded = parse_csv(packed_bytes, "fuzz"); }) == accepted,
          "gzip changes nothing");
  require(!accepted || same_text(plain, expanded), "gzip changes no value");
}

inline void check_tensor(const Tensor& tensor, std::size_t file_size) {
  std::size_t count = 1;
  for (const std::size_t extent : tensor.shape) count *= extent;
  require(count == tensor.values.size(), "the shape is that of the values");
  require(count * 4 <= file_size, "a file does not grow in memory beyond twice its size");
}

inline void check_npy(Bytes bytes) {
  Tensor tensor;
  if (accepts([&] { tensor = parse_npy(bytes, "fuzz"); })) check_tensor(tensor, bytes.size());
}

inline void check_safetensors(Bytes bytes) {
  TensorFile file;
  if (!accepts([&] { file = parse_safetensors(bytes, "fuzz"); })) return;
  std::size_t total = 0;
  for (const auto& [name, tensor] : file.tensors) {
    require(to_utf8(name) == name, "names are UTF-8");
    check_tensor(tensor, bytes.size());
    total += tensor.values.size();
  }
  require(total * 4 <= bytes.size(), "tensors do not overlap");
}

/// A program that was accepted is written and read again the same, has formulas, and either has
/// bounded sizes at a few B and p or says why not.
inline void check_program(Bytes bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto one_line = [](const Error& error) {
    const std::string message = error.what();
    require(message.find_first_of("\r\n") == std::string::npos, "the message is one line");
    require(to_utf8(message) == message, "the message is UTF-8");
    require(message.size() < 1000, "the message is short");
  };
  try {
    const Program program = Program::parse(text, "fuzz");
    require(Program::parse(program.text(), "fuzz").text() == program.text(),
            "written and read again, a program is the same");
    require(program.formulas().size() < 64 * text.size() + 1000, "formulas are bounded");
    for (const std::size_t p : {1, 2, 7}) {
      try {
        (void)program.at(2, p);
      } catch (const Error& error) {
        one_line(error);
      }
    }
  } catch (const Error& error) {
    one_line(error);
  }
}

}  // namespace spodnet::fuzz
