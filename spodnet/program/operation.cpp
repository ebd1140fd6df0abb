#include "spodnet/program/operation.hpp"

#include <algorithm>
#include <array>

namespace spodnet::program {
namespace {

constexpr std::array<std::string_view, kOps> kOpNames = {
    "in",   "weight", "const", "row",       "add",     "sub",     "mul",      "div",
    "max",  "min",    "gt",    "ge",        "lt",      "le",      "eq",       "ne",
    "neg",  "abs",    "sign",  "relu",      "exp",     "log",     "tanh",     "sigmoid",
    "sqrt", "recip",  "erf",   "where",     "gate",    "mul_add", "add_relu", "mul_add_relu",
    "mm",   "sum",    "amax",  "view",      "permute", "expand",  "slice",    "cat",
    "pad",  "unfold", "solve", "solve_back"};

}  // namespace

std::string_view name_of(Op op) { return kOpNames[std::size_t(op)]; }

bool op_from(std::string_view name, Op& op) {
  const auto found = std::find(kOpNames.begin(), kOpNames.end(), name);
  op = Op(found - kOpNames.begin());
  return found != kOpNames.end() && !is_internal(op);
}

}  // namespace spodnet::program
