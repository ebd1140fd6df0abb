#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/gil.hpp"
#include "spodnet/core/symmetry.hpp"
#include "spodnet/layer/external_rule_layer.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

ColumnFields<double> fields_at(Address theta, Address w, Address theta_22, Address w_22,
                               Address diag_Theta) {
  return {numbers(theta), numbers(w), numbers(theta_22), numbers(w_22), numbers(diag_Theta)};
}

enum class BatchFault : std::uint8_t { none, not_finite, asymmetric, rounded };

BatchFault fault_of(const double* A, std::size_t p, double tolerance) {
  if (finite_and_symmetric(A, p)) return BatchFault::none;
  if (!std::all_of(A, A + p * p, [](double a) { return std::isfinite(a); }))
    return BatchFault::not_finite;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double a = A[i * p + j], b = A[j * p + i];
      const double unit = std::max(std::sqrt(std::abs(A[i * p + i] * A[j * p + j])), std::abs(a));
      if (!(std::abs(a - b) <= tolerance * unit)) return BatchFault::asymmetric;
    }
  return BatchFault::rounded;
}

/// Of each matrix of a batch: 0, 1 (not finite), 2 (not symmetric up to `tolerance`) or 3
/// (symmetric up to it, not bit for bit); empty where none has a fault.
std::vector<int> batch_faults(Address A, std::size_t count, std::size_t p, double tolerance) {
  std::vector<int> faults(count);
  bool any = false;
  for (std::size_t k = 0; k < count; ++k) {
    faults[k] = int(fault_of(numbers(A) + k * p * p, p, tolerance));
    any = any || faults[k] != 0;
  }
  return any ? faults : std::vector<int>();
}

}  // namespace

void bind_layer(nb::module_& m) {
  using Guard = nb::call_guard<ReleasedGil>;
  m.def("batch_faults", &batch_faults, "A"_a, "count"_a, "p"_a, "tolerance"_a, Guard());
  nb::class_<ExternalRuleLayer>(m, "ExternalRuleLayer",
                                "One layer over a batch for f, threshold and g outside the core")
      .def(nb::init<std::size_t, std::size_t>(), "count"_a, "p"_a)
      .def_prop_ro("bytes", &ExternalRuleLayer::bytes)
      .def(
          "begin",
          [](ExternalRuleLayer& layer, Address Theta, Address W, Address usable,
             const std::string& scaling, double zeta, double v_min) {
            layer.begin(numbers(Theta), numbers(W), reinterpret_cast<const std::uint8_t*>(usable),
                        {.scaling = scaling_from(scaling), .zeta = zeta, .v_min = v_min});
          },
          Guard())
      .def(
          "fields",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address theta, Address w,
             Address theta_22, Address w_22,
             Address diag) { layer.fields(i, width, fields_at(theta, w, theta_22, w_22, diag)); },
          Guard())
      .def(
          "solve",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address x, Address out) {
            layer.solve(i, width, numbers(x), numbers(out));
          },
          Guard())
      .def(
          "scale",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address z,
             Address scaled) { layer.scale(i, width, numbers(z), numbers(scaled)); },
          Guard())
      .def(
          "quadratic",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address scaled,
             Address lambda, Address q, std::size_t stride) {
            layer.quadratic(i, width, numbers(scaled), numbers(lambda), numbers(q), stride);
          },
          Guard())
      .def(
          "update",
          [](ExternalRuleLayer& layer, std::size_t i, Address v) { layer.update(i, numbers(v)); },
          Guard())
      .def(
          "end",
          [](ExternalRuleLayer& layer, Address Theta, Address W) {
            layer.end(numbers(Theta), numbers(W));
          },
          Guard())
      .def("outcome",
           [](const ExternalRuleLayer&
                  layer) {  // of the matrices that stopped: (index, status, columns)
             std::vector<nb::object> stopped;
             for (std::size_t k = 0; k < layer.count(); ++k)
               if (layer.status(k) != Status::ok)
                 stopped.push_back(
                     nb::make_tuple(k, std::string(to_string(layer.status(k))), layer.done(k)));
             return stopped;
           })
      .def(
          "back_begin",
          [](ExternalRuleLayer& layer, Address d_Theta, Address W) {
            layer.back_begin(numbers(d_Theta), numbers(W));
          },
          Guard())
      .def(
          "back_threshold",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address J, Address slope,
             Address d_v, Address d_lambda, Address d_scaled) {
            layer.back_threshold(i, width, numbers(J), numbers(slope), numbers(d_v),
                                 numbers(d_lambda), numbers(d_scaled));
          },
          Guard())
      .def(
          "back_scale",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address scaled,
             Address d_scaled, Address d_z) {
            layer.back_scale(i, width, numbers(scaled), numbers(d_scaled), numbers(d_z));
          },
          Guard())
      .def(
          "back_solve",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address h, Address d_h,
             Address d_x) { layer.back_solve(i, width, numbers(h), numbers(d_h), numbers(d_x)); },
          Guard())
      .def(
          "back_close",
          [](ExternalRuleLayer& layer, std::size_t i, std::size_t width, Address theta, Address w,
             Address theta_22, Address w_22, Address diag) {
            layer.back_close(
                i, width,
                {numbers(theta), numbers(w), numbers(theta_22), numbers(w_22), numbers(diag)});
          },
          Guard())
      .def(
          "back_end",
          [](ExternalRuleLayer& layer, Address d_Theta) { layer.back_end(numbers(d_Theta)); },
          Guard());
}

}  // namespace spodnet
