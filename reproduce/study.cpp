#include "reproduce/study.hpp"

#include <fmt/format.h>

#include "spodnet/core/digest.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet::figures {
namespace {

constexpr int kFormat = 1;  // raise it when a part's result changes its meaning

Json alpha_json(const std::string& alpha) {
  const auto number = to_double(alpha);
  return number ? Json(*number) : Json(alpha);
}

}  // namespace

std::uint64_t stream_seed(const Study& study, const std::string& role, const Cell& cell, int k) {
  return digest(
      fmt::format("{}/{}/{}/{}/{}/{}", study.seed, study.scale.name, role, cell.p, cell.alpha, k));
}

DataSet cell_data(const Study& study, const std::string& role, const Cell& cell, int k,
                  std::size_t count, bool keep_samples, ThreadPool& pool) {
  DataSetOptions options;
  options.p = cell.p;
  options.n = cell.n;
  options.alpha = sparsity_levels_from(cell.alpha);
  options.count = count;
  options.seed = stream_seed(study, role, cell, k);
  options.keep_samples = keep_samples;
  return generate_dataset(options, pool);
}

Json cell_settings(const Study& study, const std::string& kind, const Cell& cell, int k) {
  Json out = {{"kind", kind},        {"format", kFormat}, {"scale", study.scale.name},
              {"seed", study.seed},  {"p", cell.p},       {"n", cell.n},
              {"alpha", cell.alpha}, {"repetition", k}};
  if (study.engine.device != "cpu" && kind != "classical") out["device"] = study.engine.device;
  return out;
}

std::vector<Json> cell_columns(const Cell& cell, int k) {
  return {cell.p, cell.n, alpha_json(cell.alpha), k};
}

std::string cell_name(const Cell& cell, int k) {
  return fmt::format("p{}-n{}-a{}-s{}", cell.p, cell.n, cell.alpha, k);
}

}  // namespace spodnet::figures
