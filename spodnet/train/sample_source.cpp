#include "spodnet/train/sample_source.hpp"

#include <algorithm>

#include "spodnet/core/parse.hpp"
#include "spodnet/generate/draw_problem.hpp"
#include "spodnet/train/checkpoint.hpp"

namespace spodnet {

std::string GivenSamples::identity(ThreadPool& pool) const { return data_digest(samples_, pool); }

std::map<std::string, std::string> GivenSamples::describe() const {
  if (samples_.empty()) return {};
  std::map<std::string, std::string> out;
  const auto range = [&](const char* name, auto value, bool always) {
    const auto [low, high] =
        std::minmax_element(samples_.begin(), samples_.end(),
                            [&](const Sample& a, const Sample& b) { return value(a) < value(b); });
    const std::string least = exact_text(value(*low)), most = exact_text(value(*high));
    if (always || least != most) out[name] = least == most ? least : least + ":" + most;
  };
  range(
      "n", [](const Sample& sample) { return sample.n; }, samples_[0].n > 0);
  range(
      "p", [](const Sample& sample) { return double(sample.p); }, false);
  return out;
}

std::map<std::string, std::string> describe_data(const DataSetOptions& options) {
  std::map<std::string, std::string> out;
  const auto made = dataset_info(options);
  for (const char* key : {"alpha", "generator", "signs", "condition", "shuffle"})
    if (const auto found = made.find(key); found != made.end()) out[key] = found->second;
  out["n"] = to_string(options.n);
  if (!options.p.single()) out["p"] = to_string(options.p);
  return out;
}

std::map<std::string, std::string> FreshSamples::describe() const {
  auto out = describe_data(options_);
  out["fresh"] = "true";
  return out;
}

DataSetOptions FreshSamples::of_epoch(std::uint64_t epoch) const {
  DataSetOptions options = options_;
  options.first_index += epoch * options.count;
  return options;
}

std::span<const Sample> FreshSamples::epoch(std::uint64_t epoch, ThreadPool& pool) {
  return some_of(epoch, {}, pool);
}

std::span<const Sample> FreshSamples::some_of(std::uint64_t epoch, std::span<const char> needed,
                                              ThreadPool& pool) {
  const DataSetOptions options = of_epoch(epoch);
  matrices_.clear();  // before the new ones are made: one epoch's memory, not two
  matrices_ = generate_mixed(options, pool, CovarianceFrom::wishart, needed);
  samples_ = samples(matrices_);
  for (std::size_t k = 0; k < needed.size(); ++k)
    if (!needed[k]) {
      const ProblemShape shape = draw_shape(options, options.first_index + k);
      samples_[k] = {.p = shape.p, .n = double(shape.n)};
    }
  return samples_;
}

std::span<const Sample> FreshSamples::shapes(std::uint64_t epoch) {
  const DataSetOptions options = of_epoch(epoch);
  matrices_.clear();
  samples_.clear();
  for (std::size_t k = 0; k < options.count; ++k) {
    const ProblemShape shape = draw_shape(options, options.first_index + k);
    samples_.push_back({.p = shape.p, .n = double(shape.n)});
  }
  return samples_;
}

std::string FreshSamples::identity(ThreadPool&) const {
  std::string text = "fresh in every epoch: p = " + to_string(options_.p) +
                     ", n = " + to_string(options_.n) +
                     ", count = " + std::to_string(options_.count);
  for (const auto& [key, value] : dataset_info(options_)) text += ", " + key + " = " + value;
  return text;
}

}  // namespace spodnet
