#include <nanobind/stl/map.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/addresses.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/core_model.hpp"
#include "python/bindings/gil.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/model_metadata.hpp"
#include "spodnet/models/pretrained.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

std::unique_ptr<CoreModel> make_model(const Metadata& settings,
                                      const std::map<std::string, std::size_t>& widths,
                                      std::uint64_t seed) {
  ModelConfig config = config_from_metadata(settings, "model");
  config.widths = widths;
  auto model = builtin_models().make(config);
  model->parameters().initialise(seed);
  return std::make_unique<CoreModel>(std::move(model));
}

/// Name -> view of the weights, which live as long as the model.
nb::dict parameters(nb::handle self) {
  CoreModel& model = nb::cast<CoreModel&>(self);
  Parameters& all = model.model().parameters();
  nb::dict out;
  for (const ParameterView& view : all.layout.views())
    out[view.name.c_str()] =
        ArrayOut(all.values.data() + view.offset, view.shape.size(), view.shape.data(), self);
  return out;
}

nb::dict estimate_batch(CoreModel& model, const BatchIn& S, const std::vector<double>& n,
                        double sparsity) {
  const std::size_t count = S.shape(0), p = S.shape(1);
  if (S.shape(2) != p || n.size() != count)
    throw Error("estimate: S is count x p x p, and n has one number for each matrix");
  std::vector<Estimate> estimates;
  MatrixBatch Theta(count, p, p), W(count, p, p);
  {
    const ReleasedGil released;
    std::vector<Sample> samples(count);
    for (std::size_t k = 0; k < count; ++k)
      samples[k] = {.S = S.data() + k * p * p, .p = p, .n = n[k]};
    estimates = model.engine().estimate(samples, {.sparsity = sparsity});
    for (std::size_t k = 0; k < count; ++k) {
      Theta[k] = estimates[k].Theta;
      W[k] = estimates[k].W;
    }
  }
  nb::dict out;
  nb::list status, residual;
  for (const Estimate& estimate : estimates) {
    status.append(std::string(to_string(estimate.status)));
    residual.append(estimate.residual);
  }
  out["Theta"] = array_of(std::move(Theta));
  out["W"] = array_of(std::move(W));
  out["status"] = status;
  out["residual"] = residual;
  return out;
}

std::unique_ptr<CoreModel> pretrained(const std::string& form) {
  for (const PretrainedForm each : kPretrainedForms)
    if (to_string(each) == form) return std::make_unique<CoreModel>(pretrained_model(each));
  throw Error("pretrained form '" + form + "': it is paper, raw, standardized or tables");
}

}  // namespace

void bind_models(nb::module_& m) {
  nb::class_<CoreModel>(m, "CoreModel", "A model: configuration and weights")
      .def_prop_ro(
          "config",
          [](const CoreModel& model) { return metadata_from_config(model.model().config()); })
      .def_prop_ro("widths", [](const CoreModel& model) { return model.model().config().widths; })
      .def_prop_ro("parameters", &parameters)
      .def_prop_ro("p", [](const CoreModel& model) { return model.model().config().p; })
      .def_prop_ro("any_size", [](const CoreModel& model) { return model.model().config().p == 0; })
      .def("set_info", [](CoreModel& model, const std::string& key,
                          const std::string& value) { model.model().info()[key] = value; })
      .def("save",
           [](const CoreModel& model, const std::string& path) { save_model(path, model.model()); })
      .def("estimate", &estimate_batch, "S"_a.noconvert(), "n"_a, "sparsity"_a = 1.0);
  m.def("model_names", [] { return builtin_models().names(); });
  m.def("make_model", &make_model, "settings"_a, "widths"_a, "seed"_a);
  m.def("load_model", [](const std::string& path) {
    return std::make_unique<CoreModel>(load_model(path, builtin_models()));
  });
  m.def("pretrained_model", &pretrained, "form"_a);

  nb::class_<ModelWalk>(m, "ModelWalk", "Forward and backward of a whole model")
      .def(nb::init<const CoreModel&, int, const std::string&>(), "like"_a, "threads"_a,
           "device"_a = "cpu")
      .def_prop_ro("size", &ModelWalk::size)
      .def_prop_ro("reads_device_memory", &ModelWalk::reads_device_memory)
      .def("forward",
           [](ModelWalk& walk, Address weights, Address S, Address n, std::size_t count,
              std::size_t p, Address Theta, Address W) {
             std::vector<Status> status;
             {
               const ReleasedGil released;
               status = walk.forward(numbers(weights), numbers(S), numbers(n), count, p,
                                     numbers(Theta), numbers(W));
             }
             nb::list stopped;
             for (std::size_t k = 0; k < count; ++k)
               if (status[k] != Status::ok)
                 stopped.append(nb::make_tuple(k, std::string(to_string(status[k]))));
             return stopped;
           })
      .def(
          "backward",
          [](ModelWalk& walk, Address d_Theta, Address d_weights, Address d_S) {
            walk.backward(numbers(d_Theta), numbers(d_weights), numbers(d_S));
          },
          nb::call_guard<ReleasedGil>())
      .def(
          "backward_symmetric",
          [](ModelWalk& walk, Address d_Theta, Address d_weights) {
            walk.backward_symmetric(numbers(d_Theta), numbers(d_weights));
          },
          nb::call_guard<ReleasedGil>());
  m.def("gpu_count", &gpu_count, "GPUs of this machine that the core was built for");
}

}  // namespace spodnet
