#include <memory>

#include "cli/generated_data.hpp"

#include <CLI/CLI.hpp>
#include "cli/output.hpp"
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kGenerateFooter =
    "Examples:\n"
    "  spodnet generate --p 20 --n 100 --alpha 0.95 --count 1000 --seed 0 -o train.safetensors\n"
    "  spodnet generate --p 100 --n 50 --alpha 0.7,0.95 --samples -o mixed.safetensors\n"
    "  spodnet generate --generator hubs --signs mixed --condition 10:100 -o hubs.safetensors\n"
    "  spodnet generate --generator mix --p 50 --alpha 0.8:0.98 -o all-kinds.safetensors\n"
    "Matrix k depends only on the seed and on k: a longer set starts with the shorter one.";

struct GenerateOptions {
  GeneratedData data;
  std::uint64_t seed = 0;
  bool samples = false, json = false;
  int threads = 0;
  std::filesystem::path out;
};

void generate(const GenerateOptions& options) {
  check_tensor_output(options.out);
  ThreadPool pool(options.threads);
  const DataSetOptions settings = to_dataset_options(options.data, options.seed, options.samples);
  if (!settings.p.single() || !settings.n.single())
    throw Error("generate: a data set file has one --p and one --n, not " + to_string(settings.p) +
                " and " + to_string(settings.n) + ": ranges are for train");
  save_dataset(options.out, generate_dataset(settings, pool));
  const std::uintmax_t bytes = std::filesystem::file_size(options.out);
  if (options.json)
    print_json({{"file", options.out.string()},
                {"count", settings.count},
                {"p", settings.p.low},
                {"n", settings.n.low},
                {"generator", to_string(settings.generator.families)},
                {"alpha", to_string(settings.alpha)},
                {"seed", settings.seed},
                {"samples", settings.keep_samples},
                {"bytes", bytes}});
  else
    print_line(options.out.string() + ": " + std::to_string(settings.count) + " matrices (" +
               to_string(settings.generator.families) + "), p = " + to_string(settings.p) +
               ", n = " + to_string(settings.n) + ", alpha = " + to_string(settings.alpha) + ", " +
               bytes_text(double(bytes)));
}

}  // namespace

void add_generate(CLI::App& app, Session& session) {
  const auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = app.add_subcommand(
      "generate", "Make sparse SPD matrices and the covariances of samples from them");
  command->footer(kGenerateFooter);
  add_generated_data(*command, options->data, false);
  add_seed(*command, options->seed);
  command->add_flag("--samples", options->samples, "Keep the samples X, not only S");
  command->add_option("-o,--output", options->out, "Data set file to write (.safetensors)")
      ->type_name("FILE")
      ->required();
  add_threads(*command, options->threads);
  add_json(*command, options->json);
  add_quiet(*command);
  command->callback([options, &session] {
    generate(*options);
    session.exit_status = kDone;
  });
}

}  // namespace spodnet::cli
