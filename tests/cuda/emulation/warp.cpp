#include "warp.hpp"

#include <algorithm>

namespace spodnet::emulation {

std::string Meeting::words() const {
  if (kind == Kind::warp) return "__syncwarp";
  if (kind == Kind::shuffle) return "a shuffle";
  return (kind == Kind::wait ? "barrier " : "an arrival at barrier ") + std::to_string(barrier);
}

void Warp::begin(Block& of, int number_, void (*run)()) {
  block = &of, number = number_;
  met = ended = 0, counting = -1;
  release();
  for (Lane& lane : lanes) lane.fiber.begin(run), lane.copies.clear();
}

void Warp::release() {
  met = 0, ready = kLanes;
  for (Lane& lane : lanes) lane.state = Lane::State::ready;
}

std::string Warp::words() const {
  std::string out = block->place() + " warp " + std::to_string(number) + ": ";
  if (counting >= 0)
    out += "lane " + std::to_string(counting) + " waits for a counter to come from " +
           std::to_string(*counter) + " to " + std::to_string(target) + ", ";
  if (met == 0 && counting < 0) {  // it met, and waits for other warps
    const Barrier& at = block->barriers[meeting.barrier];
    return out + meeting.words() + ", " + std::to_string(at.came) + " of " +
           std::to_string(at.threads) + " threads came";
  }
  return out + std::to_string(met) + " lanes wait at " + meeting.words() + ", " +
         std::to_string(ended) + " have ended";
}

std::string Barrier::come(Warp& warp, const Meeting& meeting) {
  const std::string name =
      "barrier " + std::to_string(meeting.barrier) + " of " + warp.block->place() + ": ";
  const std::uint64_t bit = std::uint64_t(1) << warp.number;
  const int most = int(warp.block->warps.size()) * kLanes;
  if (meeting.threads <= 0 || meeting.threads % kLanes != 0 || meeting.threads > most)
    return name + std::to_string(meeting.threads) + " threads";
  if (came > 0 && threads != meeting.threads)
    return name + "used with " + std::to_string(threads) + " and with " +
           std::to_string(meeting.threads) + " threads at a time";
  if (warps & bit)
    return name + "warp " + std::to_string(warp.number) + " came twice before all came once";
  warps |= bit, threads = meeting.threads, came += kLanes;
  if (meeting.kind == Meeting::Kind::wait)
    waiting.push_back(&warp);
  else
    warp.release();
  if (came < threads) return {};
  for (Warp* each : waiting) each->release();
  warps = 0, came = 0, waiting.clear();
  ++known.meetings;
  return {};
}

void Block::begin(dim3 index_, void (*run)()) {
  index = index_;
  shared.poison();
  for (Barrier& each : barriers) each = {};
  for (std::size_t k = 0; k < warps.size(); ++k) warps[k].begin(*this, int(k), run);
}

bool Block::done() const {
  return std::all_of(warps.begin(), warps.end(), [](const Warp& each) { return each.done(); });
}

}  // namespace spodnet::emulation
