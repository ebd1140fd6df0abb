#include "guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "grid.hpp"

namespace spodnet::emulation {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

void on_fault(int signal) {
  char text[160];
  const int n =
      std::snprintf(text, sizeof text,
                    "emulated GPU: beyond its memory, in block %u, thread %u (or not in a "
                    "kernel at all)\n",
                    blockIdx.x, threadIdx.x);
  if (write(STDERR_FILENO, text, std::size_t(n)) < 0) std::abort();
  std::signal(signal, SIG_DFL);  // the access is tried again, and ends the program
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes)
    : bytes_(bytes), mapped_(up(bytes, kPage) + 2 * kPage) {
  void* at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    std::perror("emulated GPU: memory");
    std::abort();
  }
  base_ = static_cast<char*>(at);
  data_ = base_ + mapped_ - kPage - up(bytes, 16);
  if (mprotect(base_, kPage, PROT_NONE) != 0 ||
      mprotect(base_ + mapped_ - kPage, kPage, PROT_NONE) != 0)
    std::abort();
  poison();
}
GuardedMemory::~GuardedMemory() { munmap(base_, mapped_); }

void GuardedMemory::poison() { std::memset(data_, 0xff, bytes_); }

void report_faults() {
  static char own_stack[1 << 16];
  stack_t stack{};
  stack.ss_sp = own_stack;
  stack.ss_size = sizeof own_stack;
  sigaltstack(&stack, nullptr);  // a fiber's may be what is full
  struct sigaction action {};
  action.sa_handler = on_fault;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace spodnet::emulation
