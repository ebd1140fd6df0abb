#include "spodnet/layer/options.hpp"

#include "spodnet/core/error.hpp"

namespace spodnet {

std::string to_string(Scaling scaling) {
  switch (scaling) {
    case Scaling::normalize:
      return "normalize";
    case Scaling::clip:
      return "clip";
    case Scaling::none:
      return "none";
    case Scaling::relative:
      return "relative";
  }
  return "normalize";
}

Scaling scaling_from(const std::string& text) {
  for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none, Scaling::relative})
    if (to_string(scaling) == text) return scaling;
  throw Error("unknown scaling '" + text + "': use normalize, clip, none or relative");
}

}  // namespace spodnet
