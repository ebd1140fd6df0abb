#include "spodnet/core/kernels.hpp"

#include <atomic>
#include <cstdlib>

#include "spodnet/core/error.hpp"

namespace spodnet {

namespace isa_baseline {
extern const Kernels table;
}
#ifdef SPODNET_X86_64
namespace isa_avx2 {
extern const Kernels table;
}
namespace isa_avx512 {
extern const Kernels table;
}
#endif

namespace {

/// The table of that name if this machine can run it, else null.
const Kernels* find_kernels(const std::string& name) {
#ifdef SPODNET_X86_64
  if (name == "avx512" && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return &isa_avx512::table;
  if (name == "avx2" && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &isa_avx2::table;
#endif
  return name == "baseline" ? &isa_baseline::table : nullptr;
}

const Kernels* best_kernels() {
  for (const char* name : {"avx512", "avx2"})
    if (const Kernels* found = find_kernels(name)) return found;
  return &isa_baseline::table;
}

const Kernels* choose(const std::string& name) {
  if (name.empty()) return best_kernels();
  if (const Kernels* found = find_kernels(name)) return found;
  throw Error("instruction set '" + name +
              "' is not available on this machine: use avx512, avx2 or baseline");
}

std::atomic<const Kernels*>& active() {
  static std::atomic<const Kernels*> table = [] {
    const char* wanted = std::getenv("SPODNET_ISA");
    return choose(wanted ? wanted : "");
  }();
  return table;
}

}  // namespace

const Kernels& kernels() { return *active().load(std::memory_order_relaxed); }

void force_kernels(const std::string& name) { active().store(choose(name)); }

}  // namespace spodnet
