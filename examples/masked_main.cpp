// The spodnet command with one more model, "masked". Its mask is read from the table that the
// environment variable MASK names (1: the entry is free, 0: it is zero); without it all are free.
#include <cstdlib>

#include "cli/cli.hpp"
#include "masked_rule.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/models/network.hpp"

std::vector<double> read_mask(std::size_t p) {
  const char* path = std::getenv("MASK");
  if (path == nullptr) return std::vector<double>(p * p, 1.0);
  const spodnet::Matrix mask = spodnet::read_table(path).values;
  if (mask.rows() != Eigen::Index(p) || mask.cols() != mask.rows() || mask != mask.transpose())
    throw spodnet::Error(std::string(path) +
                         ": the mask must be a symmetric table, p = " + std::to_string(p));
  return {mask.data(), mask.data() + mask.size()};
}

int main(int argc, char** argv) {
  spodnet::ModelRegistry models = spodnet::builtin_models();
  spodnet::add_rule(models, "masked", [](const spodnet::RuleShape& shape) {
    return MaskedRule(shape, read_mask(shape.p));
  });
  return spodnet::cli::run(argc, argv, models);
}
