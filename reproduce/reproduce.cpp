#include "reproduce/reproduce.hpp"

#include <algorithm>

#include "reproduce/figure.hpp"
#include "reproduce/plan_record.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::figures {
namespace {

std::vector<Figure> asked_for(const std::vector<std::string>& names) {
  std::vector<Figure> figures;
  for (const Figure& figure : all_figures())
    if (std::count(names.begin(), names.end(), figure.name)) figures.push_back(figure);
  for (const std::string& name : names)
    if (std::none_of(figures.begin(), figures.end(),
                     [&](const Figure& figure) { return figure.name == name; }))
      throw Error("unknown figure '" + name + "': there are fig2 to fig9, beyond and all");
  return figures;
}

std::vector<Part> gather(const Study& study, const std::vector<Figure>& figures,
                         std::function<std::vector<Part>(const Study&)> Figure::*which) {
  std::vector<Part> parts;
  for (const Figure& figure : figures)
    if (figure.*which)
      for (Part& part : (figure.*which)(study)) parts.push_back(std::move(part));
  return distinct(std::move(parts));
}

std::vector<Part> filtered(std::vector<Part> parts, const std::string& only) {
  std::erase_if(parts, [&](const Part& part) { return part.name.find(only) == std::string::npos; });
  return parts;
}

std::size_t stored(const Study& study, const std::vector<Part>& parts) {
  return std::size_t(std::count_if(parts.begin(), parts.end(),
                                   [&](const Part& part) { return study.store.has(part); }));
}

bool complete(const Study& study, const Figure& figure) {
  if (figure.choices) {
    const std::vector<Part> choices = figure.choices(study);
    if (stored(study, choices) < choices.size()) return false;
  }
  const std::vector<Part> parts = figure.parts(study);
  return stored(study, parts) == parts.size();
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder / "parts", error);
  if (error)
    throw Error(shown_path(folder) + ": cannot be made: " + error.message() +
                "; choose another folder");
}

/// The choices and then the parts count as one run: both report what was there before the first.
RunOptions as_one_run(const RunOptions& run, double& before) {
  RunOptions out = run;
  before = -1;
  if (run.progress)
    out.progress = [report = run.progress, &before](PlanProgress at) {
      if (before < 0) before = at.fraction_before;
      at.fraction_before = before;
      report(at);
    };
  return out;
}

/// Tables and verdicts of every figure whose parts are all there.
std::vector<Figure> write_results(const Study& study, const ReproduceOptions& options,
                                  ReproduceResult& result) {
  const Json record = table_record(study, options);
  std::vector<Figure> written;
  const auto write = [&](const ResultTable& table) {
    write_table(options.folder, table, record);
    result.tables.push_back(options.folder / (table.name + ".csv"));
  };
  for (const Figure& figure : all_figures()) {
    if (!complete(study, figure)) continue;
    if (figure.parts(study).empty() &&  // only when asked for: it has nothing to show
        !std::count(options.figures.begin(), options.figures.end(), figure.name))
      continue;
    for (const ResultTable& table : figure.tables(study)) write(table);
    for (Verdict& verdict : figure.verdicts(study)) result.verdicts.push_back(std::move(verdict));
    written.push_back(figure);
  }
  write(verdict_table(result.verdicts));
  return written;
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const Figure& figure : all_figures()) names.push_back(figure.name);
  return names;
}

ReproduceResult reproduce(const ReproduceOptions& options, const ModelRegistry& models) {
  const Stopwatch watch;
  const std::vector<Figure> figures = asked_for(options.figures);
  const Study study{.scale = scale_from(options.scale),
                    .seed = options.seed,
                    .seeds = options.seeds,
                    .animals = options.animals,
                    .engine = options.engine,
                    .models = models,
                    .store = PartStore(options.folder / "parts")};
  const std::vector<Part> choices = gather(study, figures, &Figure::choices);
  std::vector<Part> parts = gather(study, figures, &Figure::parts);
  if (filtered(choices, options.only).empty() && filtered(parts, options.only).empty() &&
      !parts.empty())
    throw Error("--only " + shown(options.only) +
                ": no part's name contains it; they are called, for example, " +
                shown(parts.front().name));
  make_folder(options.folder);
  ReproduceResult result;
  result.parts = choices.size() + parts.size();
  result.reused = stored(study, choices) + stored(study, parts);
  double before = 0;
  const RunOptions run = as_one_run(options.run, before);
  bool finished = run_parts(filtered(choices, options.only), parts, study.store, run);
  if (finished) {
    parts = gather(study, figures, &Figure::parts);  // now with the chosen learning rates
    finished = run_parts(filtered(parts, options.only), choices, study.store, run);
  }
  result.seconds = watch.seconds();
  if (!finished) {
    result.status = Status::interrupted;
    return result;
  }
  if (options.run.group && !options.run.group->first()) return result;
  const std::vector<Figure> written = write_results(study, options, result);
  parts.insert(parts.end(), choices.begin(), choices.end());
  write_file_atomically(options.folder / "plan.json",
                        plan_record(study, options, written, parts, result).dump(1) + "\n");
  return result;
}

}  // namespace spodnet::figures
