#include "spodnet/models/program_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/program_engine.hpp"

namespace spodnet {
namespace {

/// As torch's layers begin: uniform within 1 / sqrt(numbers that a result reads). A bias has those
/// of the weight beside it.
double start_bound(const Program& program, const ProgramNode& node, std::size_t p) {
  const auto fan_in = [&](const ProgramNode& weight) {
    double n = 1;
    for (std::size_t k = 1; k < weight.shape.size(); ++k)
      n *= double(weight.shape[k].at(1, long(p)));
    return n;
  };
  double n = fan_in(node);
  if (node.shape.size() < 2 && node.name.ends_with("bias")) {
    const std::string beside = node.name.substr(0, node.name.size() - 4) + "weight";
    for (const int a : program.weights())
      if (const ProgramNode& other = program.nodes()[std::size_t(a)]; other.name == beside)
        n = fan_in(other);
  }
  return n > 0 ? 1 / std::sqrt(n) : 0;
}

ParameterLayout layout_of(const Program& program, std::size_t p, std::size_t most) {
  ParameterLayout layout;
  for (const int a : program.weights()) {
    const ProgramNode& node = program.nodes()[std::size_t(a)];
    const std::vector<std::size_t> shape = program.weight_shape(a, p);
    double numbers = double(layout.size());  // said before memory is taken, and without overflow
    numbers += std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
    if (numbers > std::min(double(most), double(Program::kMostNumbers)))
      throw Error("model program: its weights have " + node.name +
                  " with far more numbers than are stored: the file is damaged");
    const std::size_t size =
        std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
    if (node.values.size() == 1)
      layout.add_values(node.name, shape, std::vector<double>(size, node.values[0]));
    else if (!node.values.empty())
      layout.add_values(node.name, shape, node.values);
    else
      layout.add(node.name, shape, node.bound ? *node.bound : start_bound(program, node, p));
  }
  return layout;
}

std::vector<Program> programs_of(const ModelConfig& config) {
  std::vector<Program> programs;
  for (const std::string& text : config.programs)
    programs.push_back(Program::parse(text, "model program"));
  if (programs.empty())
    throw Error(
        "model program: it has no program: save a layer of torch with spodnet.torch.save_model "
        "and start from that file, or write one in C++ (docs/programs.md)");
  if (programs.size() > 1 && int(programs.size()) != config.layers)
    throw Error("model program: " + std::to_string(programs.size()) + " programs for " +
                std::to_string(config.layers) + " layers: give one, or one for each layer");
  if (programs.size() > 1 && config.tied)
    throw Error("model program: tied layers have one program, not " +
                std::to_string(programs.size()));
  return programs;
}

}  // namespace

ProgramModel::ProgramModel(const ModelConfig& config) : programs_(programs_of(config)) {
  const bool any_p = std::all_of(programs_.begin(), programs_.end(),
                                 [](const Program& program) { return program.any_p(); });
  config_ = config;
  config_.most_parameters = SIZE_MAX;
  for (const Program& program : programs_)
    if (program.p() > 0) {
      if (config.p > 0 && config.p != program.p())
        throw Error("model program: the program is for p = " + std::to_string(program.p()) +
                    ", not for p = " + std::to_string(config.p));
      config_.p = program.p();
    }
  if (any_p) config_.p = 0;
  if (config.standardized || config.summary)
    throw Error("model program: it has no standardized form and no summary: leave both out");
  check_network_config(config_, any_p);

  ParameterLayout layout;
  for (int k = 0; k < (config.tied ? 1 : config.layers); ++k)
    weights_at_.push_back(layout.append(layout_of(program(k), config_.p, config.most_parameters),
                                        "layers." + std::to_string(k) + "."));
  if (config.learn_offset) {
    offset_terms_ = network_offset_terms(config_, any_p);
    std::vector<double> start(offset_terms_);
    start[0] = -1;
    layout.add_values("init_offset", {offset_terms_}, start);
  }
  if (layout.size() > config.most_parameters)
    throw Error("model program has " + std::to_string(layout.size()) +
                " parameters, far more than are stored: the file is damaged");
  parameters_ = Parameters(std::move(layout));
}

bool ProgramModel::reads(const std::string& name) const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [&](const Program& program) { return program.reads(name); });
}

bool ProgramModel::has_thresholds() const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [](const Program& program) { return program.threshold() >= 0; });
}

std::unique_ptr<Engine> ProgramModel::make_cpu_engine(const EngineOptions& options) const {
  return std::make_unique<ProgramEngine>(*this, options);
}

std::unique_ptr<Model> make_program_model(const ModelConfig& config) {
  return std::make_unique<ProgramModel>(config);
}

void add_program(ModelRegistry& registry, const std::string& name,
                 std::function<Program(std::size_t p)> make) {
  registry.add(name, [make = std::move(make)](ModelConfig config) {
    config.model = "program";
    config.programs = {make(config.p).text()};
    return make_program_model(config);
  });
}

std::unique_ptr<Model> make_program_model(const std::vector<Program>& programs, ModelConfig config,
                                          std::uint64_t seed) {
  config.model = "program";
  config.programs.clear();
  for (const Program& program : programs) config.programs.push_back(program.text());
  auto model = make_program_model(config);
  model->parameters().initialise(seed);
  return model;
}

}  // namespace spodnet
