#pragma once

#include <map>
#include <memory>
#include <vector>

#include "spodnet/models/engine.hpp"
#include "spodnet/models/program_chunk.hpp"

namespace spodnet {

/// A ProgramModel on the CPU. Matrices of one size walk a few at a time, so that a plan's loops are
/// long enough; how a list is cut follows from it alone.
class ProgramEngine final : public Engine {
 public:
  ProgramEngine(const ProgramModel& model, const EngineOptions& options);

  std::string device() const override { return "cpu"; }
  void keep(std::span<const Sample> samples) override;
  std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss& loss) const override;
  void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                      const Loss& loss, double divisor, std::span<double> gradients,
                      std::span<MatrixLoss> losses) override;
  std::vector<Estimate> estimate(std::span<const Sample> samples,
                                 const EstimateOptions& options) const override;
  using Engine::estimate;
  void forward(std::span<const Sample> samples, double* Theta, double* W,
               std::span<Status> status) override;
  void backward(const double* d_Theta, std::span<double> gradient, double* d_S) override;

 private:
  using Way = PlannedPrograms::Way;

  /// One thread's chunks, by (B, p).
  struct Memory {
    static constexpr std::size_t kMostBytes = std::size_t{1} << 29;
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<ProgramChunk>> chunks;
    std::size_t bytes = 0;
    ProgramChunk& chunk(PlannedPrograms& programs, std::size_t B, std::size_t p);
  };

  /// What walks together of matrices of p variables.
  static std::size_t together(std::size_t p);
  void check(const Sample& sample) const;
  LayerOptions layer_options() const;
  Estimate estimate_one(const Sample& sample, const EstimateOptions& options) const;
  void train_part(ProgramChunk& chunk, std::span<const Sample> samples, const Loss& loss,
                  double divisor, std::span<double> gradient, std::span<MatrixLoss> losses) const;

  const ProgramModel& model_;
  std::shared_ptr<ThreadPool> team_;
  mutable PlannedPrograms programs_;
  std::vector<Sample> kept_;
  std::vector<Memory> workers_;
  std::vector<Part> walked_parts_;
  std::vector<std::unique_ptr<ProgramChunk>> walked_;  ///< of each part of `forward`
  std::size_t walked_p_ = 0;
  bool walked_back_ = true;
};

}  // namespace spodnet
