// spodnet-reproduce: the experiments behind the paper's figures.
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "cli/device.hpp"
#include "cli/processes.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "reproduce/reproduce.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#ifdef SPODNET_MPI
#include "spodnet/mpi/mpi_group.hpp"
#endif

namespace spodnet::figures {
namespace {

using namespace spodnet::cli;

constexpr const char* kFooter =
    "Examples:\n"
    "  spodnet-reproduce fig4 -o results\n"
    "  spodnet-reproduce all --scale paper --seed 1 --animals animals.csv -o results\n"
    "  python3 plot.py results       (share/spodnet/reproduce/plot.py, needs matplotlib)\n"
    "After Ctrl-C or a crash the same command continues where it stopped.";

struct FiguresOptions {
  std::string figure;
  ReproduceOptions study;
  std::string device = "cpu";
  bool json = false;
};

/// The command as one could type it again.
std::string command_of(const FiguresOptions& options) {
  const ReproduceOptions& study = options.study;
  std::string text = fmt::format("spodnet-reproduce {} --scale {} --seed {}", options.figure,
                                 study.scale, study.seed);
  if (study.seeds > 0) text += fmt::format(" --seeds {}", study.seeds);
  if (study.engine.device != "cpu") text += " --device " + study.engine.device;
  if (!study.animals.empty()) text += " --animals " + study.animals.string();
  return text + " -o " + study.folder.string();
}

void print_report(const AskedDevice& device, const ReproduceResult& result) {
  for (const auto& table : result.tables) print_line(table.string());
  const auto count = [&](const char* holds) {
    return std::ranges::count(result.verdicts, holds, &Verdict::holds);
  };
  print_line(fmt::format("{} parts, {} of them there before, in {}", result.parts, result.reused,
                         seconds_text(result.seconds)));
  print_line(fmt::format("{} claims: {} hold, {} partly, {} do not", result.verdicts.size(),
                         count("yes"), count("partly"), count("no")));
  const std::string by = device.text();
  if (!by.empty() && result.reused < result.parts) print_line("trainings computed by " + by);
}

cli::Json to_json(const AskedDevice& device, const ReproduceResult& result) {
  cli::Json out = {{"status", std::string(to_string(result.status))},
                   {"parts", result.parts},
                   {"reused", result.reused},
                   {"seconds", result.seconds},
                   {"tables", cli::Json::array()},
                   {"verdicts", cli::Json::array()}};
  for (const auto& table : result.tables) out["tables"].push_back(table.string());
  for (const auto& v : result.verdicts)
    out["verdicts"].push_back({{"claim", v.claim}, {"measured", v.measured}, {"holds", v.holds}});
  device.add_to(out);
  return out;
}

void check_animals(const FiguresOptions& options) {
  const std::filesystem::path& file = options.study.animals;
  if (file.empty()) return;
  if (options.figure != "fig6" && options.figure != "all")
    throw Error("--animals: " + options.figure +
                " does not use these data, fig6 does: leave it out, or run fig6 or all");
  if (!std::filesystem::is_regular_file(file))
    throw Error("--animals " + shown_path(file) + ": there is no such file; " + kAnimalsSource);
}

int run_figures(FiguresOptions& options, Session& session) {
  ReproduceOptions& study = options.study;
  study.figures = options.figure == "all" ? figure_names() : std::vector{options.figure};
  check_animals(options);
  study.version = SPODNET_VERSION;
  AskedDevice device(options.device);
  study.engine = device.engine();
  study.command = command_of(options);
  ReproduceResult result;
  {
    const StopOnSignal signals;
    Progress bar("reproduce", true);
    study.run.stop = &signals.flag();
    study.run.group = &session.group;
    study.run.progress = [&](const PlanProgress& at) {
      bar.show(at.fraction, fmt::format("{}/{} parts  {}", at.done, at.parts, at.now),
               at.fraction_before);
    };
    result = reproduce(study, session.models);
  }
  if (result.status == Status::interrupted) {
    print_note("stopped on request; the same command continues from here");
    return kInterrupted;
  }
  if (!session.group.first()) return kDone;
  if (options.json)
    print_json(to_json(device, result));
  else
    print_report(device, result);
  return kDone;
}

void add_options(CLI::App& app, FiguresOptions& options) {
  std::vector<std::string> names = figure_names();
  names.push_back("all");
  app.add_option("figure", options.figure, "fig2 ... fig9, beyond, or all")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("FIGURE")
      ->required();
  app.add_option("--scale", options.study.scale,
                 "quick: less data and shorter training, a few minutes; paper: the paper's sizes, "
                 "an hour or two on 2 cores")
      ->check(CLI::IsMember({"quick", "paper", "tiny"}).description(""))
      ->type_name("quick|paper")
      ->capture_default_str();
  app.add_option("-o,--output", options.study.folder, "Folder of tables and finished parts")
      ->type_name("DIR")
      ->capture_default_str();
  add_seed(app, options.study.seed);
  app.add_option("--seeds", options.study.seeds,
                 "Repetitions of every setting (paper: 3 at p = 20, else 1)")
      ->check(integer_from(1, 1000));
  app.add_option("--animals", options.study.animals, std::string("Data of fig6: ") + kAnimalsSource)
      ->type_name("FILE");
  app.add_option("--only", options.study.only,
                 "Run only the parts whose name contains TEXT, so that machines can share a folder")
      ->type_name("TEXT");
  add_threads(app, options.study.run.threads);
  add_device(app, options.device);
  add_json(app, options.json);
}

int run(int argc, char** argv, Group& group) {
  silence_others(group);
  Session session{builtin_models(), builtin_losses(), group};
  CLI::App app("The experiments behind the figures of the SpodNet paper, as tables.",
               "spodnet-reproduce");
  app.set_version_flag("--version", "spodnet-reproduce " SPODNET_VERSION);
  app.footer(kFooter);
  FiguresOptions options;
  options.study.folder = "reproduced";
  add_options(app, options);
  app.callback([&] { session.exit_status = run_figures(options, session); });
  return parse_and_run(app, argc, argv, session);
}

}  // namespace
}  // namespace spodnet::figures

int main(int argc, char** argv) {
#ifdef SPODNET_MPI
  const auto group = spodnet::join_mpi();
#else
  spodnet::Group* const group = &spodnet::one_process();
#endif
  return spodnet::figures::run(argc, argv, *group);
}
