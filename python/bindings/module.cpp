#include "python/bindings/bindings.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/report/page_files.hpp"

NB_MODULE(_core, m) {
  using namespace spodnet;
  nanobind::set_leak_warnings(false);  // a notebook that ends holds on to its objects
  m.doc() = "What the package spodnet is made of; no interface of its own.";
  nanobind::exception<Error>(m, "Error", PyExc_ValueError);
  m.def("version", [] { return std::string(library_version()); });
  m.def("instruction_set", [] { return std::string(kernels().name); });
  bind_difference(m);
  bind_gil(m);
  bind_graph(m);
  bind_layer(m);
  bind_methods(m);
  bind_models(m);
  bind_programs(m);
  bind_prepared(m);
  bind_training(m);
}
