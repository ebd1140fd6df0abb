#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "spodnet/models/model.hpp"
#include "spodnet/program/program.hpp"

namespace spodnet {

/// K layers whose rule is a program (docs/programs.md), from W_in = S + a I to (Theta, W): what was
/// written as modules of torch, or as expressions in C++. config.programs has the text, one for all
/// layers or one for each.
class ProgramModel : public Model {
 public:
  explicit ProgramModel(const ModelConfig& config);

  /// Of layer k.
  const Program& program(int k) const {
    return programs_[programs_.size() > 1 ? std::size_t(k) : 0];
  }
  /// Whether the program reads `name` in any layer.
  bool reads(const std::string& name) const;
  /// Where layer k's weights begin.
  std::size_t weights_at(int k) const { return weights_at_[config().tied ? 0 : std::size_t(k)]; }
  /// Parameters of the input offset; 0: it is given.
  std::size_t offset_terms() const { return offset_terms_; }

  bool has_thresholds() const override;
  bool honours_constraints() const override { return true; }
  std::vector<std::string> unused_settings() const override { return {"standardized", "summary"}; }
  std::unique_ptr<Engine> make_cpu_engine(const EngineOptions& options) const override;

 private:
  std::vector<Program> programs_;
  std::vector<std::size_t> weights_at_;
  std::size_t offset_terms_ = 0;
};

std::unique_ptr<Model> make_program_model(const ModelConfig& config);

/// Registers a rule that is written as expressions, for p variables: it then has training and the
/// command line, and every spodnet reads its model files (docs/extending.md).
void add_program(ModelRegistry& registry, const std::string& name,
                 std::function<Program(std::size_t p)> make);

/// A model with fresh weights of programs that were written in C++ (expression.hpp).
std::unique_ptr<Model> make_program_model(const std::vector<Program>& programs, ModelConfig config,
                                          std::uint64_t seed);

}  // namespace spodnet
