#pragma once

#include "spodnet/analysis/analyse.hpp"
#include "spodnet/analysis/contenders.hpp"
#include "spodnet/analysis/training_plan.hpp"
#include "spodnet/analysis/working_data.hpp"

namespace spodnet {

/// Numbers of synthetic samples that a step holds at a time: 256 MB.
inline constexpr double kMostSynthetic = 32e6;

/// What the steps of `analyse` and `compare_data` share.
struct Analysis {
  const PreparedData& data;
  const AnalysisOptions& options;
  const ModelRegistry& models;
  ThreadPool& pool;
  WorkingData working;
  TrainingPlan plan;                       ///< of synthetic data of this shape
  std::shared_ptr<const Model> model;      ///< behind the learned contender, if any ...
  std::optional<TrainingPlan> trained_on;  ///< ... and its training, where known
  std::vector<Contender> contenders;
  std::vector<AnswerNote> notes;
  bool interrupted = false;

  void progress(const std::string& what, double fraction) const {
    if (options.progress) options.progress(what, fraction);
  }
  void note(std::string text) { notes.push_back({AnswerNote::Kind::done, std::move(text)}); }
  void warn(std::string text) { notes.push_back({AnswerNote::Kind::warning, std::move(text)}); }
};

/// Before the first step: the data as the methods see them, no contender yet.
Analysis begin_analysis(const PreparedData& data, const AnalysisOptions& options,
                        const ModelRegistry& models, ThreadPool& pool);

/// Adds the methods to be considered; trains a model, or takes it from the cache, for `auto`.
void add_contenders(Analysis& analysis);

/// One method by its name or file; it is left out when it needs samples and there are none.
/// A `reference` is only compared with.
void add_contender(Analysis& analysis, const std::string& text, bool reference = false);

/// A model trained to the shape of the data, now or earlier (cache).
void add_learned(Analysis& analysis);

/// Judges them and returns the one to take.
std::size_t choose_contender(Analysis& analysis);

/// Warns where the data lie outside what the model was trained on.
void warn_if_outside(Analysis& analysis, const Contender& chosen);

/// Bootstrap, and which edges are stable.
void add_confidence(Analysis& analysis, const Contender& chosen, GraphAnswer& answer);

}  // namespace spodnet
