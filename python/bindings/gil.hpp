#pragma once

#include <nanobind/nanobind.h>

namespace spodnet {

// The GIL, let go of and taken back. When the interpreter closes while another thread computes,
// Python ends that thread as soon as it asks for the GIL, in the middle of C++, which aborts the
// process. From then on a thread that asks waits here for the end of the process instead.

/// Lets others run Python for as long as it lives. To be made with the GIL held.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds the GIL for as long as it lives: for a callback in the middle of work without it.
class HeldGil {
 public:
  HeldGil();
  ~HeldGil();
  HeldGil(const HeldGil&) = delete;
  HeldGil& operator=(const HeldGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace spodnet
