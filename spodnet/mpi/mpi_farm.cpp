#include "spodnet/mpi/mpi_farm.hpp"

#include <mpi.h>

#include <chrono>
#include <thread>

#include "spodnet/mpi/farm_queue.hpp"

namespace spodnet {
namespace {

enum Tag { kAsk = 1, kGive, kResult, kLeave, kEnd };

constexpr std::uint64_t kNoMore = ~std::uint64_t{0};
constexpr auto kPause = std::chrono::microseconds(500);  // between two looks for messages

std::optional<MPI_Status> message_of(Tag tag, int from = MPI_ANY_SOURCE) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
  return there ? std::optional(status) : std::nullopt;
}

void receive_nothing(Tag tag, int from) {
  MPI_Recv(nullptr, 0, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void send_nothing(Tag tag, int to) { MPI_Send(nullptr, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD); }

void send_result(const FarmQueue::Result& result) {
  std::vector<double> numbers = {double(result.first)};
  numbers.insert(numbers.end(), result.second.begin(), result.second.end());
  MPI_Send(numbers.data(), int(numbers.size()), MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
}

/// The first process: it hands out the indices, to its own threads as well.
class Foreman {
 public:
  Foreman(std::size_t count, const std::atomic<bool>& stop, const FarmTake& take)
      : count_(count), stop_(stop), take_(take) {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    others_ = size_ - 1;
  }

  /// One look at everything there is to do; false when all others have left.
  bool tend(FarmQueue& queue) {
    for (std::size_t k = queue.wanted(); k > 0 && more(); --k) queue.give(next_++);
    if (!more() || queue.error()) queue.close();
    for (const auto& [index, numbers] : queue.take_results()) take_(index, numbers);
    while (const auto asked = message_of(kAsk)) answer(asked->MPI_SOURCE);
    while (const auto result = message_of(kResult)) take_result(*result);
    while (const auto left = message_of(kLeave)) {
      receive_nothing(kLeave, left->MPI_SOURCE);
      --others_;
    }
    return others_ > 0;
  }

  /// Only now may the others begin the next farm.
  void finish(FarmQueue& queue) {
    (void)tend(queue);  // what its own threads did last
    for (int rank = 1; rank < size_; ++rank) send_nothing(kEnd, rank);
  }

 private:
  bool more() const { return next_ < count_ && !stop_; }

  void answer(int rank) {
    receive_nothing(kAsk, rank);
    const std::uint64_t index = more() ? next_++ : kNoMore;
    MPI_Send(&index, 1, MPI_UINT64_T, rank, kGive, MPI_COMM_WORLD);
  }

  void take_result(const MPI_Status& status) {
    int size = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &size);
    std::vector<double> numbers(static_cast<std::size_t>(size));
    MPI_Recv(numbers.data(), size, MPI_DOUBLE, status.MPI_SOURCE, kResult, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    take_(std::size_t(numbers[0]), std::span(numbers).subspan(1));
  }

  const std::size_t count_;
  const std::atomic<bool>& stop_;
  const FarmTake& take_;
  std::size_t next_ = 0;
  int size_ = 1, others_ = 0;
};

/// Any other process: it asks for an index for each thread that waits.
class Hand {
 public:
  void tend(FarmQueue& queue) {
    for (std::size_t k = queue.wanted(); k > asked_ && !closed_; --k) {
      send_nothing(kAsk, 0);
      ++asked_;
    }
    while (message_of(kGive, 0)) {
      std::uint64_t index = kNoMore;
      MPI_Recv(&index, 1, MPI_UINT64_T, 0, kGive, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      --asked_;
      if (index == kNoMore) closed_ = true;
      if (index != kNoMore) queue.give(std::size_t(index));
    }
    if (queue.error()) closed_ = true;
    if (closed_ && asked_ == 0) queue.close();
    for (const FarmQueue::Result& result : queue.take_results()) send_result(result);
  }

  /// Waits without work for the processes, not with MPI's barrier, which keeps a core busy.
  static void finish() {
    send_nothing(kLeave, 0);
    while (!message_of(kEnd, 0)) std::this_thread::sleep_for(kPause);
    receive_nothing(kEnd, 0);
  }

 private:
  std::size_t asked_ = 0;
  bool closed_ = false;
};

void tend_all(int rank, Foreman& foreman, FarmQueue& queue, const std::atomic<bool>& working) {
  Hand hand;
  for (bool more = true; more; std::this_thread::sleep_for(kPause)) {
    more = working;  // before the look: afterwards no result can come
    if (rank == 0)
      more = foreman.tend(queue) || more;
    else
      hand.tend(queue);
  }
}

}  // namespace

void mpi_farm(std::size_t count, ThreadPool& pool, const std::atomic<bool>& stop,
              const FarmWork& work, const FarmTake& take) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FarmQueue queue;
  std::atomic<bool> working = true;
  std::jthread team([&] {
    try {
      pool.run(std::size_t(pool.size()), [&](std::size_t, int worker) {
        while (const auto index = queue.next()) queue.done(*index, work(*index, worker));
      });
    } catch (...) {
      queue.fail(std::current_exception());
    }
    working = false;
  });
  Foreman foreman(count, stop, take);
  try {
    tend_all(rank, foreman, queue, working);
  } catch (...) {
    queue.close();  // else the team would wait for ever
    throw;
  }
  if (const auto error = queue.error()) std::rethrow_exception(error);
  if (rank == 0)
    foreman.finish(queue);
  else
    Hand::finish();
}

}  // namespace spodnet
