#include "fiber.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "happens_before.hpp"

// ucontext is everywhere, but asks the kernel for the signal mask at every switch: 30 times slower.
#if defined(__x86_64__)
#define SPODNET_FAST_FIBERS
asm(R"(
.text
.globl spodnet_switch_stack
.type spodnet_switch_stack,@function
spodnet_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp,(%rdi)
  movq %rsi,%rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size spodnet_switch_stack,.-spodnet_switch_stack
)");
extern "C" void spodnet_switch_stack(void** save, void* to);
#endif

namespace spodnet::emulation {
namespace {

constexpr std::size_t kStackBytes = 128 << 10, kGuardBytes = 4096;

/// How far below the end of its pages a stack begins: each elsewhere, or all would share the same
/// few lines of the cache.
std::size_t next_offset() {
  static std::size_t count = 0;
  return 64 * (7 * ++count % 128);
}

char* new_stack() {
  void* at = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED || mprotect(at, kGuardBytes, PROT_NONE) != 0) {
    std::perror("emulated GPU: a stack");
    std::abort();
  }
  return static_cast<char*>(at);
}

}  // namespace

struct Fiber::Context {
  void* top = nullptr;
  void* thread = nullptr;  ///< as a sanitizer knows it
  ucontext_t slow{};
};

Fiber::Fiber() : context_(new Context), offset_(next_offset()) {}
Fiber::~Fiber() {
  delete context_;
  if (stack_) munmap(stack_, kStackBytes);
}

#ifdef SPODNET_FAST_FIBERS

void Fiber::begin(void (*run)()) {
  if (!stack_) stack_ = new_stack(), context_->thread = new_thread();
  // What the switch pops: six registers, then where to go; above it the stack as after a call.
  void** top = reinterpret_cast<void**>(stack_ + kStackBytes - offset_) - 8;
  std::memset(top, 0, 8 * sizeof(void*));
  top[6] = reinterpret_cast<void*>(run);
  context_->top = top;
}
void switch_fiber(Fiber& from, Fiber& to) {
  if (!from.context_->thread) from.context_->thread = this_thread();
  go_on_as(to.context_->thread);
  spodnet_switch_stack(&from.context_->top, to.context_->top);
}

#else

void Fiber::begin(void (*run)()) {
  if (!stack_) stack_ = new_stack();
  getcontext(&context_->slow);
  context_->slow.uc_stack.ss_sp = stack_ + kGuardBytes;
  context_->slow.uc_stack.ss_size = kStackBytes - kGuardBytes;
  makecontext(&context_->slow, run, 0);
}
void switch_fiber(Fiber& from, Fiber& to) { swapcontext(&from.context_->slow, &to.context_->slow); }

#endif

}  // namespace spodnet::emulation
