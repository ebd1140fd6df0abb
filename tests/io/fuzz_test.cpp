#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "fuzz/reader_checks.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
using namespace std::string_view_literals;
namespace {

using Check = void (*)(fuzz::Bytes);

std::vector<std::string> corpus(const std::string& format) {
  const auto folder = std::filesystem::path(SPODNET_GOLDEN_DIR) / "../../fuzz/corpus" / format;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::sort(paths.begin(), paths.end());  // the same order on every machine
  std::vector<std::string> inputs;
  for (const auto& path : paths) inputs.push_back(read_bytes(path));
  return inputs;
}

/// One random edit: flip, overwrite, insert, erase, repeat a piece, or splice in another input's.
void mutate(std::string& text, const std::vector<std::string>& inputs, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size() + 1);
  const std::string& other = inputs[below(inputs.size())];
  constexpr std::string_view spice = "\0\x01\x7F\x80\xFF\"',;\t\r\n0129.-+eE[]{}():"sv;
  switch (below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = spice[below(spice.size())];
      break;
    case 2:
      text.insert(at, 1 + below(3), spice[below(spice.size())]);
      break;
    case 3:
      text.erase(at, 1 + below(16));
      break;
    case 4:
      text.insert(at, text.substr(below(text.size() + 1), 1 + below(64)));
      break;
    default:
      text.insert(at, other.substr(below(other.size() + 1), 1 + below(64)));
  }
}

void replay_and_mutate(const std::string& format, Check check, std::size_t executions) {
  const std::vector<std::string> inputs = corpus(format);
  ASSERT_GE(inputs.size(), 5u);
  std::mt19937_64 random(2024);
  for (std::size_t round = 0; round <= executions / inputs.size(); ++round)
    for (const std::string& seed : inputs) {
      std::string text = seed;
      for (std::size_t edits = round; edits > 0; edits /= 2) mutate(text, inputs, random);
      try {
        check(std::as_bytes(std::span(text)));
      } catch (const std::exception& error) {
        FAIL() << error.what() << "\non: " << testing::PrintToString(text);
      }
    }
}

// The first round is the corpus itself.
TEST(Fuzz, Csv) { replay_and_mutate("csv", fuzz::check_csv, 30'000); }
TEST(Fuzz, CsvGzip) { replay_and_mutate("csv", fuzz::check_csv_gzip, 3'000); }
TEST(Fuzz, Npy) { replay_and_mutate("npy", fuzz::check_npy, 40'000); }
TEST(Fuzz, Safetensors) { replay_and_mutate("safetensors", fuzz::check_safetensors, 40'000); }
TEST(Fuzz, Program) { replay_and_mutate("program", fuzz::check_program, 4'000); }

}  // namespace
}  // namespace spodnet::test
