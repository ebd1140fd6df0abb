#include "cli/processes.hpp"

#include <chrono>
#include <iostream>
#include <streambuf>
#include <thread>

#include "spodnet/core/error.hpp"
#include "spodnet/mpi/launcher.hpp"

namespace spodnet::cli {
namespace {

constexpr auto kFirstWord = std::chrono::seconds(2);

/// Takes everything and keeps nothing.
class Nowhere final : public std::streambuf {
  int overflow(int c) override { return traits_type::not_eof(c); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

Nowhere nowhere;
std::streambuf* voice = nullptr;  ///< of standard error, while it is silent

}  // namespace

bool is_shared(const std::string& command) {
  return command == "train" || command == "evaluate" || command == "graph";
}

void check_launch(bool writes, const Group& group) {
  const int launched = launched_processes();
  if (writes && launched > 1 && group.size() == 1)
    throw Error("this is one of " + std::to_string(launched) +
                " processes, but the program was built without MPI: build it with 'cmake --preset "
                "mpi', or start it once");
}

void silence_others(const Group& group) {
  if (group.first()) return;
  std::cout.rdbuf(&nowhere);
  voice = std::cerr.rdbuf(&nowhere);
}

std::string message_prefix(const Group& group) {
  if (group.first()) return "";
  std::this_thread::sleep_for(kFirstWord);
  if (voice) std::cerr.rdbuf(voice);
  return "process " + std::to_string(group.rank()) + ": ";
}

}  // namespace spodnet::cli
