#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "spodnet/core/group.hpp"

namespace spodnet::test {

/// A group whose processes are threads of this one.
class ThreadGroup {
 public:
  explicit ThreadGroup(int size) : meeting_(size), mine_(std::size_t(size)), sent_(mine_.size()) {}

  /// body(group) once in each, at the same time.
  void run(const std::function<void(Group&)>& body) {
    std::vector<std::jthread> team;
    for (int rank = 0; rank < int(mine_.size()); ++rank)
      team.emplace_back([this, rank, &body] {
        Member member(*this, rank);
        body(member);
      });
  }

 private:
  class Member final : public Group {
   public:
    Member(ThreadGroup& all, int rank) : all_(all), rank_(std::size_t(rank)) {}

    int rank() const override { return int(rank_); }
    int size() const override { return int(all_.mine_.size()); }

    void gather(std::span<const double> mine, std::span<const std::size_t> counts,
                std::span<double> all) override {
      all_.mine_[rank_] = mine;
      barrier();
      double* next = all.data();
      for (std::size_t r = 0; r < counts.size(); ++r) {
        if (all_.mine_[r].size() != counts[r]) std::terminate();  // as MPI would
        next = std::copy(all_.mine_[r].begin(), all_.mine_[r].end(), next);
      }
      barrier();
    }

    void exchange(std::span<const double> blocks, std::span<const std::size_t> sent,
                  std::span<double> out, std::span<const std::size_t> received) override {
      all_.mine_[rank_] = blocks;
      all_.sent_[rank_] = sent;
      barrier();
      double* next = out.data();
      for (std::size_t r = 0; r < received.size(); ++r) {
        const auto theirs = all_.sent_[r];
        if (theirs[rank_] != received[r]) std::terminate();
        const auto first =
            std::accumulate(theirs.begin(), theirs.begin() + std::ptrdiff_t(rank_), std::size_t{0});
        const auto block = all_.mine_[r].subspan(first, received[r]);
        next = std::copy(block.begin(), block.end(), next);
      }
      barrier();
    }

    void barrier() override { all_.meeting_.arrive_and_wait(); }

   private:
    ThreadGroup& all_;
    const std::size_t rank_;
  };

  std::barrier<> meeting_;
  std::vector<std::span<const double>> mine_;
  std::vector<std::span<const std::size_t>> sent_;
};

}  // namespace spodnet::test
