#include "spodnet/generate/signs.hpp"

#include "spodnet/core/error.hpp"

namespace spodnet {

std::string to_string(Signs signs) {
  switch (signs) {
    case Signs::positive:
      return "positive";
    case Signs::negative:
      return "negative";
    case Signs::mixed:
      break;
  }
  return "mixed";
}

Signs signs_from(const std::string& text) {
  for (const Signs signs : {Signs::positive, Signs::negative, Signs::mixed})
    if (text == to_string(signs)) return signs;
  throw Error("signs '" + text + "': they are positive, negative or mixed");
}

double draw_sign(Signs signs, RandomStream& random) {
  if (signs == Signs::mixed) return random.uniform() < 0.5 ? 1.0 : -1.0;
  return signs == Signs::positive ? 1.0 : -1.0;
}

}  // namespace spodnet
