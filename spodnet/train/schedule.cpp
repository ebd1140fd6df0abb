#include "spodnet/train/schedule.hpp"

#include <cmath>
#include <numbers>

#include "spodnet/core/error.hpp"

namespace spodnet {

std::string to_string(Schedule schedule) {
  return schedule == Schedule::cosine ? "cosine" : "constant";
}

Schedule schedule_from(const std::string& text) {
  for (const Schedule schedule : {Schedule::constant, Schedule::cosine})
    if (to_string(schedule) == text) return schedule;
  throw Error("unknown schedule '" + text + "': use constant or cosine");
}

double learning_rate(Schedule schedule, double lr, std::uint64_t step, std::uint64_t steps) {
  if (schedule == Schedule::constant || steps == 0) return lr;
  return lr * 0.5 * (1 + std::cos(std::numbers::pi * double(step) / double(steps)));
}

}  // namespace spodnet
