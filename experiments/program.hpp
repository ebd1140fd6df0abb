#pragma once

#include <cstdio>
#include <exception>

namespace spodnet::experiments {

/// The main of a program: 2 and one line for what went wrong.
template <class Run>
int run_program(const char* name, const Run& run, int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace spodnet::experiments
