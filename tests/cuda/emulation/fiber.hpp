#pragma once

#include <cstddef>

namespace spodnet::emulation {

/// A function on a stack of its own, which goes on where it left.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next entrance begins `run`, which must never return.
  void begin(void (*run)());

  /// Leaves `from` and goes on in `to`.
  friend void switch_fiber(Fiber& from, Fiber& to);

 private:
  struct Context;
  Context* context_;
  char* stack_ = nullptr;  ///< its own, from the first `begin` on
  std::size_t offset_;
};

}  // namespace spodnet::emulation
