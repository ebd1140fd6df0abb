#pragma once

#include <cstdint>
#include <string>

namespace spodnet {

/// How the learning rate goes: constant, or half a cosine from lr down to 0 over the training.
enum class Schedule { constant, cosine };

std::string to_string(Schedule schedule);
Schedule schedule_from(const std::string& text);  ///< throws Error on an unknown name

/// Learning rate of step `step` of `steps`, counted from 0:
/// lr, or lr (1 + cos(pi step / steps)) / 2.
double learning_rate(Schedule schedule, double lr, std::uint64_t step, std::uint64_t steps);

}  // namespace spodnet
