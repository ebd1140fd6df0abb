// One libFuzzer target per check of reader_checks.hpp, chosen by SPODNET_FUZZ_CHECK.
#include <cstdint>

#include "fuzz/reader_checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spodnet::fuzz::SPODNET_FUZZ_CHECK(std::as_bytes(std::span(data, size)));
  return 0;
}
