#include "spodnet/models/glad.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

ModelRegistry builtin_models() {
  ModelRegistry models;
  models.add("glad", make_glad);
  return models;
}

}  // namespace spodnet
