#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace spodnet {

// One file per room; each adds its part to the module.
void bind_difference(nanobind::module_& m);
void bind_gil(nanobind::module_& m);
void bind_graph(nanobind::module_& m);
void bind_layer(nanobind::module_& m);
void bind_methods(nanobind::module_& m);
void bind_models(nanobind::module_& m);
void bind_programs(nanobind::module_& m);
void bind_prepared(nanobind::module_& m);
void bind_training(nanobind::module_& m);

}  // namespace spodnet
