#pragma once

#include <stdexcept>
#include <string>

namespace spodnet {

/// The caller is wrong: thrown at the public door. One line that names the place (function or
/// file), the fact and the remedy. Numerical misfortune is never an Error but a Status.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace spodnet
