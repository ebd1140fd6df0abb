#include "spodnet/mpi/mpi_group.hpp"

#include <mpi.h>

#include "spodnet/core/error.hpp"
#include "spodnet/mpi/launcher.hpp"
#include "spodnet/mpi/mpi_farm.hpp"

namespace spodnet {
namespace {

/// Counts and places of blocks that lie one after the other, as MPI wants them.
struct Blocks {
  std::vector<int> counts, places;

  explicit Blocks(std::span<const std::size_t> sizes) {
    std::size_t place = 0;
    for (const std::size_t size : sizes) {
      counts.push_back(int(size));
      places.push_back(int(place));
      place += size;
    }
    if (place > kMostNumbers)
      throw Error("a message of " + std::to_string(place) + " numbers is too long for MPI");
  }

  static constexpr std::size_t kMostNumbers = 0x7FFFFFFF;
};

class MpiGroup final : public Group {
 public:
  MpiGroup() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (provided < MPI_THREAD_FUNNELED)
      throw Error("this MPI cannot be used by a program with threads (MPI_THREAD_FUNNELED)");
  }
  ~MpiGroup() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void gather(std::span<const double> mine, std::span<const std::size_t> counts,
              std::span<double> all) override {
    const Blocks blocks(counts);
    MPI_Allgatherv(mine.data(), int(mine.size()), MPI_DOUBLE, all.data(), blocks.counts.data(),
                   blocks.places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }

  void exchange(std::span<const double> blocks, std::span<const std::size_t> sent,
                std::span<double> out, std::span<const std::size_t> received) override {
    const Blocks from(sent), to(received);
    MPI_Alltoallv(blocks.data(), from.counts.data(), from.places.data(), MPI_DOUBLE, out.data(),
                  to.counts.data(), to.places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }

  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }

  void farm(std::size_t count, ThreadPool& pool, const std::atomic<bool>& stop,
            const FarmWork& work, const FarmTake& take) override {
    mpi_farm(count, pool, stop, work, take);
  }

  void abandon(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<Group> join_mpi() {
  if (launched_processes() < 2) return std::make_unique<Group>();
  return std::make_unique<MpiGroup>();
}

}  // namespace spodnet
