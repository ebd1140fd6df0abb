#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/table_problem.hpp"

namespace spodnet::experiments {

/// key=value with defaults; what is not known is refused.
class Options {
 public:
  Options(int argc, char** argv) {
    for (int k = 2; k < argc; ++k) {
      const std::string text = argv[k];
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) throw Error("'" + text + "' is not key=value");
      given_[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  std::string text(const std::string& key, const std::string& usual) {
    const auto found = given_.find(key);
    if (found == given_.end()) return used_[key] = usual;
    used_[key] = found->second;
    given_.erase(found);
    return used_[key];
  }
  double number(const std::string& key, double usual) {
    return std::strtod(text(key, fmt::format("{}", usual)).c_str(), nullptr);
  }
  void done() const {
    if (!given_.empty()) throw Error("'" + given_.begin()->first + "' is no option");
  }
  const std::map<std::string, std::string>& used() const { return used_; }

 private:
  std::map<std::string, std::string> given_, used_;
};

struct Recipe {
  std::uint64_t steps = 2000;
  std::size_t batch = 32;
  double lr = 5e-3, clip = 1;
  int threads = 0;            ///< 0: one per core; the numbers do not depend on it
  std::uint64_t save = 100;   ///< steps between two checkpoints
  std::uint64_t every = 100;  ///< steps of a line of the log, with their mean loss
  std::string out;
  TableMix mix;
};

/// What the command line says of it; the file to write is apart.
inline Recipe recipe_from(Options& options, const std::string& out) {
  Recipe recipe;
  recipe.steps = std::uint64_t(options.number("steps", 2000));
  recipe.batch = std::size_t(options.number("batch", 32));
  recipe.lr = options.number("lr", 5e-3);
  recipe.clip = options.number("clip", 1);
  recipe.save = std::max<std::uint64_t>(1, std::uint64_t(options.number("save", 100)));
  recipe.every = std::max<std::uint64_t>(1, std::uint64_t(options.number("every", 100)));
  recipe.out = out;
  recipe.threads = int(options.number("threads", 0));
  recipe.mix.p = size_range_from(options.text("p", "2:40"), "p");
  recipe.mix.ratio = log_range_from(options.text("ratio", "0.1:300"), "ratio");
  recipe.mix.largest_n = std::size_t(options.number("largest_n", 20000));
  recipe.mix.largest_drawn = std::size_t(options.number("largest_drawn", 2000));
  recipe.mix.gaussian = options.number("gaussian", 0.5);
  recipe.mix.dense = options.number("dense", 0);
  recipe.mix.rough = options.number("rough", 0);
  recipe.mix.levels = options.number("levels", 0);
  recipe.mix.together = std::max<std::uint64_t>(1, std::uint64_t(options.number("together", 1)));
  recipe.mix.seed = std::uint64_t(options.number("seed", 1));
  return recipe;
}

}  // namespace spodnet::experiments
