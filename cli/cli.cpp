#include "cli/cli.hpp"

namespace spodnet::cli {

int run(int, char**, const ModelRegistry&) { return 0; }

}  // namespace spodnet::cli
