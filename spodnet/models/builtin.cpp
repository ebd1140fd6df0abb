#include "spodnet/models/consistent_any.hpp"
#include "spodnet/models/e2e.hpp"
#include "spodnet/models/glad.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pnp.hpp"
#include "spodnet/models/pnp_any.hpp"
#include "spodnet/models/program_model.hpp"
#include "spodnet/models/ubg.hpp"

namespace spodnet {

ModelRegistry builtin_models() {
  ModelRegistry registry;
  add_rule<UbgRule>(registry, "ubg");
  add_rule<PnpRule>(registry, "pnp");
  add_rule<E2eRule>(registry, "e2e");
  add_equivariant_rule<UbgAnyRule>(registry, "ubg-any");
  add_equivariant_rule<PnpAnyRule>(registry, "pnp-any");
  add_equivariant_rule<ConsistentAnyRule>(registry, "consistent-any");
  registry.add("glad", make_glad);
  registry.add("program", [](const ModelConfig& config) { return make_program_model(config); });
  return registry;
}

}  // namespace spodnet
