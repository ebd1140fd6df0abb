#pragma once

#include <stdexcept>
#include <string>

namespace spodnet {

/// Thrown when the caller is wrong: one line that names the place (function or file), the cause and
/// the remedy. Numerical trouble is a Status, never an Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace spodnet
