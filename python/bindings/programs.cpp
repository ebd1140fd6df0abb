#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/gil.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/models/program_layer.hpp"
#include "spodnet/models/program_part.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

ProgramPart part_from(const std::string& name) {
  if (name == "f") return ProgramPart::f;
  if (name == "threshold") return ProgramPart::threshold;
  if (name == "g") return ProgramPart::g;
  throw Error("a program has f, threshold and g, no " + name);
}

nb::list weights_of(const Program& program) {  // (name, fixed)
  nb::list out;
  for (const int a : program.weights()) {
    const ProgramNode& node = program.nodes()[std::size_t(a)];
    out.append(nb::make_tuple(node.name, node.fixed));
  }
  return out;
}

using Numbers = std::map<std::string, std::vector<double>>;

/// (answer, gradients of the inputs, of all weights) of one part, from d_out.
std::tuple<std::vector<double>, Numbers, std::vector<double>> evaluate_part(
    const Program& program, const std::string& part, std::size_t B, std::size_t p,
    std::size_t column, const Numbers& inputs, const std::vector<double>& weights,
    const std::vector<double>& inv_theta_11, const std::vector<double>& d_out) {
  const ReleasedGil released;
  ProgramAnswer answer =
      evaluate(program, part_from(part), {B, p, column, inputs, weights, inv_theta_11}, d_out);
  return {std::move(answer.out), std::move(answer.d_inputs), std::move(answer.d_weights)};
}

/// A ProgramLayer for torch: tensors come as addresses.
class TorchProgramLayer {
 public:
  TorchProgramLayer(const Program& program, std::size_t B, std::size_t p, bool keeps, bool of_S)
      : layer_(std::make_shared<const ColumnProgram>(
                   program, B, p, ColumnProgram::Options{.backward = keeps, .covariance = of_S}),
               keeps) {}

  std::size_t bytes() const { return layer_.bytes(); }

  void forward(Address Theta, Address W, Address S, Address n, const std::vector<Address>& contexts,
               Address usable, const std::string& scaling, double zeta, double v_min,
               Address weights, Address Theta_out, Address W_out) {
    const std::size_t B = layer_.program().B(),
                      entries = layer_.program().p() * layer_.program().p();
    S_.clear(), contexts_.clear();
    for (std::size_t k = 0; S && k < B; ++k) S_.push_back(numbers(S) + k * entries);
    for (const Address each : contexts) contexts_.push_back(numbers(each));
    layer_.forward({.Theta = numbers(Theta),
                    .W = numbers(W),
                    .S = S_,
                    .n = {numbers(n), n ? B : 0},
                    .contexts = contexts_,
                    .usable = reinterpret_cast<const std::uint8_t*>(usable)},
                   {.scaling = scaling_from(scaling), .zeta = zeta, .v_min = v_min},
                   numbers(weights), numbers(Theta_out), numbers(W_out));
  }

  void backward(Address weights, Address d_Theta, Address W, Address d_weights, Address d_Theta_in,
                Address d_S, const std::vector<Address>& d_contexts) {
    const std::size_t B = layer_.program().B(),
                      entries = layer_.program().p() * layer_.program().p();
    std::vector<double*> to_S, to_contexts;
    for (std::size_t k = 0; d_S && k < B; ++k) to_S.push_back(numbers(d_S) + k * entries);
    for (const Address each : d_contexts) to_contexts.push_back(numbers(each));
    layer_.backward(numbers(weights), numbers(d_Theta), numbers(W),
                    {.d_weights = numbers(d_weights),
                     .d_Theta = numbers(d_Theta_in),
                     .d_S = to_S,
                     .d_contexts = to_contexts});
  }

  std::vector<nb::object> outcome() const {  // of those that stopped: (index, status, columns)
    std::vector<nb::object> stopped;
    for (std::size_t k = 0; k < layer_.program().B(); ++k)
      if (layer_.status(k) != Status::ok)
        stopped.push_back(
            nb::make_tuple(k, std::string(to_string(layer_.status(k))), layer_.done(k)));
    return stopped;
  }

 private:
  ProgramLayer layer_;
  std::vector<const double*> S_, contexts_;
};

}  // namespace

void bind_programs(nb::module_& m) {
  using Guard = nb::call_guard<ReleasedGil>;
  nb::class_<Program>(m, "Program", "f, threshold and g as a list of operations")
      .def_static(
          "parse", [](const std::string& text) { return Program::parse(text, "program"); },
          "text"_a)
      .def_prop_ro("text", &Program::text)
      .def_prop_ro("formulas", &Program::formulas)
      .def_prop_ro("p", &Program::p)
      .def_prop_ro("weights", &weights_of)
      .def("reads", &Program::reads, "name"_a)
      .def("weight_count",
           [](const Program& program, std::size_t p) {
             std::size_t total = 0;
             for (const int a : program.weights()) {
               std::size_t size = 1;
               for (const std::size_t s : program.weight_shape(a, p)) size *= s;
               total += size;
             }
             return total;
           })
      .def("evaluate", &evaluate_part, "part"_a, "B"_a, "p"_a, "column"_a, "inputs"_a, "weights"_a,
           "inv_theta_11"_a, "d_out"_a);
  nb::class_<TorchProgramLayer>(m, "ProgramLayer", "One layer over a batch whose rule is a program")
      .def(nb::init<const Program&, std::size_t, std::size_t, bool, bool>(), "program"_a, "B"_a,
           "p"_a, "keeps"_a, "of_S"_a, Guard())
      .def_prop_ro("bytes", &TorchProgramLayer::bytes)
      .def("forward", &TorchProgramLayer::forward, Guard())
      .def("backward", &TorchProgramLayer::backward, Guard())
      .def("outcome", &TorchProgramLayer::outcome);
}

}  // namespace spodnet
