#include "spodnet/models/program_part.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/program/column_program.hpp"

namespace spodnet {
namespace {

/// inv_theta_11 as given matrices.
class GivenInverse : public program::ColumnSolver {
 public:
  GivenInverse(const std::vector<double>& inverse, std::size_t B, std::size_t width)
      : inverse_(inverse), B_(B), width_(width) {}

  void solve(const double* x, double* h) override {
    if (inverse_.size() != B_ * width_ * width_)
      throw Error("evaluate: the program solves: give inv_theta_11, B x width x width");
    for (std::size_t row = 0; row < B_ * width_; ++row) {
      const double* a = inverse_.data() + row * width_;
      const double* x_of = x + row / width_ * width_;
      double sum = 0;
      for (std::size_t j = 0; j < width_; ++j) sum += a[j] * x_of[j];
      h[row] = sum;
    }
  }
  void solve_back(const double*, const double* d_h, double* d_x) override { solve(d_h, d_x); }

 private:
  const std::vector<double>& inverse_;
  std::size_t B_, width_;
};

}  // namespace

ProgramAnswer evaluate(const Program& program, ProgramPart part, const ProgramArguments& at,
                       const std::vector<double>& d_out) {
  const auto compiled = std::make_shared<const ColumnProgram>(
      program, at.B, at.p, ColumnProgram::Options{.backward = !d_out.empty(), .covariance = true});
  if (at.weights.size() != compiled->weights())
    throw Error("evaluate: the program has " + std::to_string(compiled->weights()) +
                " weights, given are " + std::to_string(at.weights.size()));
  if (at.column >= at.p) throw Error("evaluate: column i lies in 0 ... p - 1");
  if (part == ProgramPart::threshold && !compiled->has_threshold())
    throw Error("evaluate: the program has no threshold");
  ColumnMemory memory(compiled, 1);
  for (std::size_t k = 0; k < compiled->inputs().size(); ++k) {
    const ProgramInput& input = compiled->inputs()[k];
    const auto given = at.inputs.find(input.name);
    if (given == at.inputs.end()) continue;  // of another part
    if (given->second.size() != input.size)
      throw Error("evaluate: '" + input.name + "' has " + std::to_string(given->second.size()) +
                  " numbers, not " + std::to_string(input.size));
    std::copy(given->second.begin(), given->second.end(), memory.input(int(k)));
  }
  GivenInverse solver(at.inv_theta_11, at.B, compiled->width());
  ProgramAnswer answer;
  answer.d_weights.assign(d_out.empty() ? 0 : compiled->weights(), 0.0);
  memory.begin(at.column, at.weights.data(), answer.d_weights.data());
  memory.run_f(&solver);
  memory.run_threshold(&solver);
  memory.run_g(&solver);
  const std::size_t size = part == ProgramPart::g ? at.B : at.B * compiled->width();
  const double* out = part == ProgramPart::f   ? memory.z()
                      : part == ProgramPart::g ? memory.v()
                                               : memory.lambda();
  answer.out.assign(out, out + size);
  if (d_out.empty()) return answer;
  if (d_out.size() != size) throw Error("evaluate: d_out has not the size of the answer");
  const std::size_t vector = at.B * compiled->width();
  std::fill_n(memory.d_z(), vector, 0.0);
  std::fill_n(memory.d_lambda(), vector, 0.0);
  std::fill_n(memory.d_v(), at.B, 0.0);
  std::copy(d_out.begin(), d_out.end(),
            part == ProgramPart::f   ? memory.d_z()
            : part == ProgramPart::g ? memory.d_v()
                                     : memory.d_lambda());
  memory.back_g(&solver);
  memory.back_threshold(&solver);
  memory.back_f(&solver);
  memory.add_products(1, answer.d_weights.data());
  for (std::size_t k = 0; k < compiled->inputs().size(); ++k) {
    const ProgramInput& input = compiled->inputs()[k];
    if (input.has_adjoint)
      answer.d_inputs[input.name].assign(memory.adjoint(int(k)),
                                         memory.adjoint(int(k)) + input.size);
  }
  return answer;
}

}  // namespace spodnet
