#pragma once

#include <string_view>

namespace spodnet {

/// How a numerical routine ended. Anything but `ok` comes with the last usable iterate.
enum class Status {
  ok,
  not_converged,  ///< the iteration limit was reached; the iterate and its certificate are valid
  not_finite,     ///< a NaN or infinity turned up
  not_spd,        ///< rounding broke positive definiteness; the last SPD iterate was kept
  interrupted,    ///< stopped on request (Ctrl-C); what was reached is complete and usable
  replaced,       ///< the data contradicted the estimate asked for; another one took its place
};

constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::not_converged:
      return "not_converged";
    case Status::not_finite:
      return "not_finite";
    case Status::not_spd:
      return "not_spd";
    case Status::interrupted:
      return "interrupted";
    case Status::replaced:
      return "replaced";
  }
  return "unknown";
}

/// Whether the numbers are an answer: the one asked for, or one in its place.
constexpr bool is_sound(Status status) {
  return status == Status::ok || status == Status::replaced;
}

}  // namespace spodnet
