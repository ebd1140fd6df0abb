#include "grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <list>
#include <mutex>

#include "happens_before.hpp"
#include "warp.hpp"

namespace spodnet::emulation {
namespace {

std::uint64_t seed_of_environment() {
  const char* text = std::getenv("SPODNET_EMULATION_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

/// Who runs next. Random orders give every warp a rank that now and then changes: so one may be far
/// ahead of another, as on a GPU.
class Order {
 public:
  Order() { begin(0); }
  void begin(std::uint64_t seed) { seed_ = state_ = seed + seed_of_environment(); }
  bool random() const { return seed_ != 0; }

  Warp* choose(std::list<Block>& blocks) {
    Warp* best = nullptr;
    for (Block& block : blocks)
      for (Warp& warp : block.warps)
        if (warp.can_run() && (!best || warp.priority > best->priority)) best = &warp;
    return best;
  }
  /// In turns: the one that ran last has the lowest rank.
  void ran(Warp& warp) {
    if (!random())
      warp.priority = --turns_;
    else if (number() % 8 == 0)
      warp.priority = number();
  }
  void start(Warp& warp) { warp.priority = random() ? number() : turns_; }

  /// Lanes run from `first` on, upwards or downwards.
  void turn(int& first, int& step) {
    first = random() ? int(number() % kLanes) : 0;
    step = random() && number() % 2 ? -1 : 1;
  }

 private:
  std::uint64_t number() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t seed_, state_, turns_ = std::numeric_limits<std::uint64_t>::max();
};

void run_the_lane();

/// The launch that runs.
class Grid {
 public:
  std::string run(const GridShape& shape, const std::function<void()>& kernel) {
    const std::lock_guard lock(one_);
    kernel_ = &kernel, failure_.clear();
    blockDim = shape.threads, gridDim = shape.blocks;
    const unsigned count = shape.blocks.x * shape.blocks.y;
    const unsigned at_once = shape.together ? count : 1;
    prepare(at_once, shape);
    for (unsigned first = 0; first < count && failure_.empty(); first += at_once) {
      unsigned next = first;
      for (Block& block : blocks_) begin(block, order_.random() ? count - 1 - next : next), ++next;
      run_blocks();
    }
    acquire(this);
    return failure_;
  }
  void set_seed(std::uint64_t seed) {
    const std::lock_guard lock(one_);
    order_.begin(seed);
  }

  // ---- by a lane that runs
  [[noreturn]] void run_lane() {
    acquire(this);
    (*kernel_)();
    release(this);
    if (!lane().copies.empty()) give_up("a copy to shared memory that was never waited for");
    lane().state = Lane::State::ended;
    --warp_->ready, ++warp_->ended;
    leave();
    std::abort();
  }
  void meet(const Meeting& meeting) {
    Warp& warp = *warp_;
    if (warp.met == 0)
      warp.meeting = meeting;
    else if (warp.meeting != meeting) {
      failure_ = warp.block->place() + " warp " + std::to_string(warp.number) +
                 ": diverged, lanes at " + warp.meeting.words() + " and lane " +
                 std::to_string(lane_) + " at " + meeting.words();
      give_up();
    }
    ++warp.met, --warp.ready;
    lane().state = Lane::State::met;
    leave();
  }
  /// The same, and who waits knows what the others did before.
  void meet(const Meeting& meeting, const Knowledge& known) {
    const void* const now = known.now();
    release(now);
    meet(meeting);
    if (meeting.kind != Meeting::Kind::arrive) acquire(now);
  }
  void meet_warp() { meet({Meeting::Kind::warp}, warp_->known); }
  void meet_block(const Meeting& meeting) {
    if (meeting.barrier < 0 || meeting.barrier >= Block::kBarriers)
      give_up("there are barriers 0 to 15");
    meet(meeting, warp_->block->barriers[meeting.barrier].known);
  }
  void exchange(const double* x, int count, int from, double* y) {
    if (count < 1 || from < 0 || from >= kLanes) give_up("a shuffle of some lanes only");
    Warp& warp = *warp_;
    warp.shown[lane_] = x, warp.from[lane_] = from, warp.wanted[lane_] = y;
    meet({Meeting::Kind::shuffle, 0, 0, count});
  }
  void wait_counter(const unsigned* counter, unsigned target) {
    Warp& warp = *warp_;
    if (int(*counter - target) >= 0) return;
    if (warp.counting >= 0) give_up("two lanes of a warp wait for counters");
    warp.counting = lane_, warp.counter = counter, warp.target = target;
    --warp.ready;
    lane().state = Lane::State::counting;
    leave();
  }
  Lane& lane() const { return warp_->lanes[lane_]; }

 private:
  void prepare(unsigned count, const GridShape& shape) {
    const int warps = int(shape.threads.x) / kLanes;
    if (shape.shared_bytes != shared_bytes_ || warps != warps_) blocks_.clear();
    shared_bytes_ = shape.shared_bytes, warps_ = warps;
    while (blocks_.size() > count) blocks_.pop_back();
    while (blocks_.size() < count) blocks_.emplace_back(shared_bytes_, warps_);
  }
  void begin(Block& block, unsigned k) {
    acquire(this);
    block.begin({k % gridDim.x, k / gridDim.x}, run_the_lane);
    for (Warp& warp : block.warps) order_.start(warp);
    release(this);
  }
  void run_blocks() {
    while (failure_.empty()) {
      Warp* warp = order_.choose(blocks_);
      if (!warp) return end();
      turn(*warp);
      if (failure_.empty()) settle(*warp);
      order_.ran(*warp);
    }
  }
  /// Every lane that can runs until it waits or ends, one after the other.
  void turn(Warp& warp) {
    warp_ = &warp;
    blockIdx = warp.block->index;
    shared_memory = reinterpret_cast<double*>(warp.block->shared.data());
    order_.turn(first_, step_);
    visited_ = 0;
    if (find_lane()) switch_fiber(host_, lane().fiber);
  }
  bool find_lane() {
    while (visited_ < kLanes) {
      const int k = (first_ + step_ * visited_++) & (kLanes - 1);
      Lane& next = warp_->lanes[k];
      if (next.state == Lane::State::counting && warp_->counter_reached()) {
        next.state = Lane::State::ready;
        warp_->counting = -1, ++warp_->ready;
      }
      if (next.state != Lane::State::ready) continue;
      lane_ = k;
      threadIdx.x = unsigned(warp_->number * kLanes + k);
      return true;
    }
    return false;
  }
  /// To the next lane of this turn, or to `turn` after the last; returns in a later turn.
  void leave() {
    Fiber& from = lane().fiber;
    switch_fiber(from, failure_.empty() && find_lane() ? lane().fiber : host_);
  }
  /// The launch has failed, and its threads never go on: what lies on their stacks is lost.
  [[noreturn]] void give_up(const char* why = nullptr) {
    if (why) failure_ = why;
    leave();
    std::abort();
  }
  /// What all lanes of a warp met for happens.
  void settle(Warp& warp) {
    if (warp.met < kLanes) {
      if (warp.met > 0 && warp.met + warp.ended == kLanes)
        failure_ = warp.words();  // the others will never come
      return;
    }
    const Meeting& meeting = warp.meeting;
    if (meeting.kind == Meeting::Kind::shuffle)
      for (int k = 0; k < kLanes; ++k)
        for (int m = 0; m < meeting.numbers; ++m) warp.wanted[k][m] = warp.shown[warp.from[k]][m];
    if (meeting.kind == Meeting::Kind::warp) ++warp.known.meetings;
    if (meeting.kind == Meeting::Kind::warp || meeting.kind == Meeting::Kind::shuffle)
      return warp.release();
    warp.met = 0;
    failure_ = warp.block->barriers[meeting.barrier].come(warp, meeting);
  }
  /// No warp can run.
  void end() {
    constexpr int kMostWords = 8;
    int said = 0;
    for (const Block& block : blocks_) {
      for (const Warp& warp : block.warps)
        if (!warp.done() && said++ < kMostWords)
          failure_ += (said == 1 ? "deadlock: " : "; ") + warp.words();
      for (const Barrier& each : block.barriers)
        if (block.done() && each.came > 0 && failure_.empty())
          failure_ = block.place() + " ended while others were expected at a barrier";
    }
  }

  std::mutex one_;
  Order order_;
  const std::function<void()>* kernel_ = nullptr;
  std::string failure_;
  std::list<Block> blocks_;
  std::size_t shared_bytes_ = 0;
  int warps_ = 0;
  Fiber host_;
  Warp* warp_ = nullptr;  ///< that runs
  int lane_ = 0;
  int first_ = 0, step_ = 1, visited_ = 0;  ///< lanes of a turn
};

Grid the_grid;
void run_the_lane() { the_grid.run_lane(); }

}  // namespace

std::string run_grid(const GridShape& shape, const std::function<void()>& kernel) {
  return the_grid.run(shape, kernel);
}
void set_seed(std::uint64_t seed) { the_grid.set_seed(seed); }

void meet_warp() { the_grid.meet_warp(); }
void exchange(const double* x, int count, int from, double* y) {
  the_grid.exchange(x, count, from, y);
}
void wait_barrier(int id, int threads) { the_grid.meet_block({Meeting::Kind::wait, id, threads}); }
void arrive_barrier(int id, int threads) {
  the_grid.meet_block({Meeting::Kind::arrive, id, threads});
}
void count_up(unsigned* counter) {
  release(counter);
  ++*counter;
}
void wait_counter(const unsigned* counter, unsigned target) {
  the_grid.wait_counter(counter, target);
  acquire(counter);
}

void copy_ahead(double* to, const double* from) {
  the_grid.lane().copies.emplace_back(to, from);
  writes(to);
  *to = std::numeric_limits<double>::quiet_NaN();
}
void finish_copies() {
  for (const auto& [to, from] : the_grid.lane().copies) reads(from), writes(to), *to = *from;
  the_grid.lane().copies.clear();
}

}  // namespace spodnet::emulation
