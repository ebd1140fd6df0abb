#pragma once

#include <utility>
#include <vector>

#include "fiber.hpp"
#include "grid.hpp"
#include "guarded_memory.hpp"

namespace spodnet::emulation {

constexpr int kLanes = 32;

/// One thread of a kernel.
struct Lane {
  enum class State { ready, met, counting, ended };

  Fiber fiber;
  State state = State::ready;
  std::vector<std::pair<double*, const double*>> copies;  ///< that were begun
};

/// What the lanes of a warp meet for.
struct Meeting {
  enum class Kind { warp, shuffle, wait, arrive };
  Kind kind = Kind::warp;
  int barrier = 0, threads = 0;  ///< of wait and arrive
  int numbers = 0;               ///< of a shuffle

  bool operator==(const Meeting&) const = default;
  std::string words() const;
};

/// What those know of each other who met: of this meeting, and apart of the next.
struct Knowledge {
  unsigned meetings = 0;
  char places[2] = {};
  const void* now() const { return &places[meetings % 2]; }
};

struct Block;

struct Warp {
  Block* block = nullptr;
  int number = 0;  ///< in its block
  Lane lanes[kLanes];
  int ready = 0, met = 0, ended = 0;  ///< lanes
  Meeting meeting;                    ///< of those that met
  const double* shown[kLanes];        ///< of a shuffle: what each lane gives,
  double* wanted[kLanes];             ///< gets,
  int from[kLanes];                   ///< and from whom
  int counting = -1;                  ///< the lane that waits for a counter
  const unsigned* counter = nullptr;
  unsigned target = 0;
  std::uint64_t priority = 0;
  Knowledge known;

  void begin(Block& of, int number_, void (*run)());
  /// All lanes go on.
  void release();
  bool counter_reached() const { return counting >= 0 && int(*counter - target) >= 0; }
  bool can_run() const { return ready > 0 || counter_reached(); }
  bool done() const { return ended == kLanes; }
  /// What it waits for.
  std::string words() const;
};

/// A barrier of a block: which warps have come, and which of them wait.
struct Barrier {
  int threads = 0, came = 0;
  std::uint64_t warps = 0;
  std::vector<Warp*> waiting;
  Knowledge known;

  /// All lanes of a warp come; returns what is wrong with that.
  std::string come(Warp& warp, const Meeting& meeting);
};

struct Block {
  static constexpr int kBarriers = 16;

  dim3 index;
  GuardedMemory shared;
  Barrier barriers[kBarriers];
  std::vector<Warp> warps;

  Block(std::size_t shared_bytes, int count) : shared(shared_bytes), warps(std::size_t(count)) {}
  void begin(dim3 index_, void (*run)());
  bool done() const;
  std::string place() const { return "block " + std::to_string(index.x); }
};

}  // namespace spodnet::emulation
