#include "spodnet/train/check_same_run.hpp"

#include "spodnet/core/digest.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

/// A digest as a number that every process reads the same.
double as_number(const std::string& text) {
  return double(digest(text) >> 12);  // 52 bits: exact in a double
}

/// The first rank whose number is not that of rank 0; 0: all agree.
std::size_t first_other(Group& group, const std::string& mine) {
  const std::vector<double> all = gather_one(group, as_number(mine));
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0]) return r;
  return 0;
}

std::string text_of(const TrainIdentity& identity, const TrainState& state,
                    std::span<const double> weights) {
  std::string text;
  for (const auto& [key, value] : identity) text += key + '=' + value + '\n';
  for (const std::uint64_t at : {state.epoch, state.batch, state.adam.step})
    text += std::to_string(at) + ' ';
  return text + weights_digest(weights) + weights_digest(state.adam.m);
}

}  // namespace

void check_same_run(Group& group, const TrainIdentity& identity, const TrainState& state,
                    std::span<const double> weights) {
  if (group.size() == 1) return;
  if (const std::size_t r = first_other(group, kernels().name))
    throw Error(
        "train: process " + std::to_string(r) +
        " has other vector instructions than process 0, which would change the last digits: "
        "use machines of one kind, or set SPODNET_ISA to what all of them have");
  if (const std::size_t r = first_other(group, text_of(identity, state, weights)))
    throw Error("train: process " + std::to_string(r) +
                " has other data, settings or another checkpoint than process 0: give all of them "
                "the same files");
}

}  // namespace spodnet
