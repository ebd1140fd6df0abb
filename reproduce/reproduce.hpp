#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/run_parts.hpp"
#include "reproduce/verdict.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet::figures {

/// What animals.csv is and where it comes from, for messages and help.
inline constexpr const char* kAnimalsSource =
    "a table with the 33 animals' names above 102 rows of 0 and 1, made from data/animals.mat of "
    "the repository ahippert/graphfactormodel (Lake and Tenenbaum, CogSci 2010)";

struct ReproduceOptions {
  std::vector<std::string> figures;  ///< fig2 ... fig9, beyond
  std::string scale = "quick";
  std::uint64_t seed = 0;
  int seeds = 0;  ///< repetitions of every cell; 0: as the scale says
  std::filesystem::path folder;
  std::filesystem::path animals;  ///< a file (kAnimalsSource); empty: fig6 says that it is missing
  EngineOptions engine;          ///< of trainings; estimates, whose time is reported, are the CPU's
  std::string only;              ///< run only parts whose name contains this; empty: all
  std::string version, command;  ///< for the record
  RunOptions run;
};

struct ReproduceResult {
  Status status = Status::ok;         ///< ok or interrupted
  std::size_t parts = 0, reused = 0;  ///< of the plan, and how many were there already
  std::vector<std::filesystem::path> tables;
  std::vector<Verdict> verdicts;
  double seconds = 0;
};

/// All figures' names, in the paper's order.
std::vector<std::string> figure_names();

/// Runs the experiments behind the figures and writes their tables into `folder`: NAME.csv and
/// NAME.json each, verdicts.csv, plan.json. Finished parts are kept in folder/parts and never
/// repeated, by this or another figure. Figures that were not asked for but whose parts are all
/// there are written too, so that verdicts.csv stays whole. Stopped (status interrupted), it goes
/// on from there when called again. Everything but seconds is the same for any number of threads.
[[nodiscard]] ReproduceResult reproduce(const ReproduceOptions& options,
                                        const ModelRegistry& models);

}  // namespace spodnet::figures
