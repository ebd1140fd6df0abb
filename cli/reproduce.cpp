#include "experiments/reproduce.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "cli/device.hpp"
#include "cli/pictures.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet::cli {
namespace {

using experiments::PlanProgress;
using experiments::ReproduceOptions;
using experiments::ReproduceResult;

constexpr const char* kReproduceFooter =
    "Examples:\n"
    "  spodnet reproduce fig4 -o results\n"
    "  spodnet reproduce all --scale paper --seed 1 -o results\n"
    "After Ctrl-C or a crash the same command continues where it stopped. Pictures and\n"
    "report.html are drawn by python3 with matplotlib (experiments/plot.py).";

struct FiguresOptions {
  std::string figure;
  ReproduceOptions study;
  std::string device = "cpu";
  bool no_pictures = false;
  bool json = false;
};

/// A bar on a terminal, else a line on standard error every half minute.
class PlanReport {
 public:
  void show(const PlanProgress& at) {
    const std::string note = fmt::format("{}/{} parts  {}", at.done, at.parts, at.now);
    bar_.show(at.fraction, note, at.fraction_before);
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const Clock::time_point now = Clock::now();
    if (!lock || bar_.enabled() || now < next_) return;
    next_ = now + std::chrono::seconds(30);
    const double gained = at.fraction - at.fraction_before;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const double left = gained > 0 ? elapsed * (1 - at.fraction) / gained : -1;
    print_note(progress_line("reproduce", at.fraction, left, note));
  }

 private:
  using Clock = std::chrono::steady_clock;

  Progress bar_{"reproduce"};
  std::mutex mutex_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(30);
};

/// The command as one could type it again.
std::string command_of(const FiguresOptions& options) {
  const ReproduceOptions& study = options.study;
  std::string text = fmt::format("spodnet reproduce {} --scale {} --seed {}", options.figure,
                                 study.scale, study.seed);
  if (study.seeds > 0) text += fmt::format(" --seeds {}", study.seeds);
  if (study.engine.device != "cpu") text += " --device " + study.engine.device;
  return text + " -o " + study.folder.string();
}

void print_report(const AskedDevice& device, const ReproduceResult& result) {
  for (const auto& table : result.tables) print_line(table.string());
  std::size_t yes = 0, partly = 0, no = 0;
  for (const auto& verdict : result.verdicts) {
    yes += verdict.holds == "yes";
    partly += verdict.holds == "partly";
    no += verdict.holds == "no";
  }
  print_line(fmt::format("{} parts, {} of them there before, in {}", result.parts, result.reused,
                         seconds_text(result.seconds)));
  print_line(fmt::format("{} claims: {} hold, {} partly, {} do not", result.verdicts.size(), yes,
                         partly, no));
  const std::string by = device.text();
  if (!by.empty() && result.reused < result.parts) print_line("trainings computed by " + by);
}

Json to_json(const AskedDevice& device, const ReproduceResult& result,
             const std::string& pictures) {
  Json out = {{"status", std::string(to_string(result.status))},
              {"parts", result.parts},
              {"reused", result.reused},
              {"seconds", result.seconds},
              {"tables", Json::array()},
              {"verdicts", Json::array()}};
  for (const auto& table : result.tables) out["tables"].push_back(table.string());
  for (const auto& v : result.verdicts)
    out["verdicts"].push_back({{"claim", v.claim}, {"measured", v.measured}, {"holds", v.holds}});
  device.add_to(out);
  out["pictures"] = pictures.empty() ? "drawn" : pictures;
  return out;
}

int reproduce_figures(FiguresOptions& options, const ModelRegistry& models, Group& group) {
  ReproduceOptions& study = options.study;
  const std::vector<std::string> known = experiments::figure_names();
  study.figures = options.figure == "all" ? known : std::vector{options.figure};
  if (!study.animals.empty() && options.figure != "fig6" && options.figure != "all")
    throw Error("--animals: " + options.figure +
                " does not use these data, fig6 does: leave it out, or run fig6 or all");
  study.animals = animals_file(study.animals);
  study.version = SPODNET_VERSION;
  AskedDevice device(options.device);
  study.engine = device.engine();
  study.command = command_of(options);
  ReproduceResult result;
  {
    const StopOnSignal signals;
    PlanReport report;
    study.run.stop = &signals.flag();
    study.run.group = &group;
    study.run.progress = [&](const PlanProgress& at) { report.show(at); };
    result = experiments::reproduce(study, models);
  }
  if (result.status == Status::interrupted) {
    print_note("stopped on request; the same command continues from here");
    return kInterrupted;
  }
  if (!group.first()) return kDone;
  const std::string pictures = options.no_pictures ? "not asked for" : draw_pictures(study.folder);
  if (options.json)
    print_json(to_json(device, result, pictures));
  else
    print_report(device, result);
  if (!options.no_pictures && !pictures.empty()) print_note(pictures);
  return kDone;
}

}  // namespace

void add_reproduce(CLI::App& app, Session& session) {
  const auto options = std::make_shared<FiguresOptions>();
  options->study.folder = "reproduced";
  CLI::App* command =
      app.add_subcommand("reproduce", "Run the experiments behind the paper's figures");
  command->footer(kReproduceFooter);
  std::vector<std::string> names = experiments::figure_names();
  names.push_back("all");
  command->add_option("figure", options->figure, "fig2 ... fig9, beyond, or all")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("FIGURE")
      ->required();
  command
      ->add_option(
          "--scale", options->study.scale,
          "quick: less data and shorter training, a few minutes; paper: the paper's sizes, an "
          "hour or two on 2 cores")
      ->check(CLI::IsMember({"quick", "paper", "tiny"}).description(""))
      ->type_name("quick|paper")
      ->capture_default_str();
  command->add_option("-o,--output", options->study.folder, "Folder of tables, pictures and parts")
      ->type_name("DIR")
      ->capture_default_str();
  add_seed(*command, options->study.seed);
  command
      ->add_option("--seeds", options->study.seeds,
                   "Repetitions of every setting (paper: 3 at p = 20, else 1)")
      ->check(integer_from(1, 1000));
  command
      ->add_option("--animals", options->study.animals,
                   "animals.csv of fig6, or its folder (else $SPODNET_ANIMALS)")
      ->type_name("PATH");
  command
      ->add_option(
          "--only", options->study.only,
          "Run only the parts whose name contains TEXT, so that machines can share a folder")
      ->type_name("TEXT");
  command->add_flag("--no-pictures", options->no_pictures, "Write only the tables");
  add_threads(*command, options->study.run.threads);
  add_device(*command, options->device);
  add_json(*command, options->json);
  command->callback([options, &session] {
    session.exit_status = reproduce_figures(*options, session.models, session.group);
  });
}

}  // namespace spodnet::cli
