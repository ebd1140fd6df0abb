#include "spodnet/models/model.hpp"

namespace spodnet {

ModelRegistry builtin_models() { return {}; }

}  // namespace spodnet
