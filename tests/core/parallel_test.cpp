#include "spodnet/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

TEST(ThreadPool, EveryIndexOnceAndWorkersInRange) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      std::atomic<int> strangers = 0;
      pool.run(count, [&](std::size_t k, int worker) {
        ++visits[k];
        strangers += worker < 0 || worker >= threads;
      });
      for (const auto& n : visits) EXPECT_EQ(n, 1);
      EXPECT_EQ(strangers, 0);
    }
  }
}

TEST(ThreadPool, AWorkerNumberIsHeldByOneThreadAtATime) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<int> clashes = 0;
  pool.run(5000, [&](std::size_t, int worker) {
    clashes += inside[std::size_t(worker)].fetch_add(1) != 0;
    inside[std::size_t(worker)].fetch_sub(1);
  });
  EXPECT_EQ(clashes, 0);
}

TEST(ThreadPool, ManyShortLoopsInARow) {
  ThreadPool pool(3);
  std::vector<std::size_t> slots(5, 0);
  for (int loop = 0; loop < 2000; ++loop)
    pool.run(slots.size(), [&](std::size_t k, int) { slots[k] += k; });
  for (std::size_t k = 0; k < slots.size(); ++k) EXPECT_EQ(slots[k], 2000 * k);
}

TEST(ThreadPool, WakesUpAfterAPause) {
  ThreadPool pool(4);
  std::atomic<int> calls = 0;
  for (int loop = 0; loop < 3; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the workers are asleep by now
    pool.run(10, [&](std::size_t, int) { ++calls; });
  }
  EXPECT_EQ(calls, 30);
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (int threads : {1, 4}) {
    ThreadPool pool(threads);
    for (std::size_t culprit : {0, 50, 99}) {
      const auto body = [&](std::size_t k, int) {
        if (k == culprit) throw std::runtime_error("index " + std::to_string(k));
      };
      try {
        pool.run(100, body);
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "index " + std::to_string(culprit));
      }
      std::atomic<int> calls = 0;
      pool.run(100, [&](std::size_t, int) { ++calls; });
      EXPECT_EQ(calls, 100);
    }
    EXPECT_THROW(pool.run(100, [](std::size_t, int) { throw std::logic_error("all of them"); }),
                 std::logic_error);
    EXPECT_THROW(pool.run(1, [](std::size_t, int) { throw std::logic_error("the only one"); }),
                 std::logic_error);
  }
}

TEST(ThreadPool, ALoopEndsEarlyAfterAnException) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  const std::size_t count = 1000000;
  EXPECT_THROW(pool.run(count,
                        [&](std::size_t, int) {
                          if (++calls == 10) throw std::runtime_error("enough");
                        }),
               std::runtime_error);
  EXPECT_LT(calls, int(count));
}

TEST(ThreadPool, SeveralThreadsEachWithTheirOwn) {
  std::vector<std::uint64_t> sums(4, 0);
  {
    std::vector<std::jthread> callers;
    for (std::size_t c = 0; c < sums.size(); ++c)
      callers.emplace_back([&, c] {
        ThreadPool pool(3);
        for (int loop = 0; loop < 50; ++loop) {
          std::atomic<std::uint64_t> sum = 0;
          pool.run(100, [&](std::size_t k, int) { sum += k; });
          sums[c] += sum;
        }
      });
  }
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, 50u * 4950u);
}

TEST(ThreadPool, LoopsWithinALoopUseAPoolOfTheirOwn) {
  ThreadPool outer(3);
  std::atomic<int> calls = 0;
  outer.run(6, [&](std::size_t, int) {
    ThreadPool inner(2);
    inner.run(20, [&](std::size_t, int) { ++calls; });
  });
  EXPECT_EQ(calls, 120);
}

TEST(ThreadPool, UnusedPoolsComeAndGo) {
  for (int k = 0; k < 50; ++k) ThreadPool pool(4);
  EXPECT_GE(ThreadPool().size(), 1);
  EXPECT_EQ(ThreadPool(-1).size(), ThreadPool(0).size());
}

TEST(ThreadPool, StreamsKeyedByIndexDoNotDependOnTheThreads) {
  const auto draw = [](int threads) {
    ThreadPool pool(threads);
    std::vector<double> values(500);
    pool.run(values.size(), [&](std::size_t k, int) {
      RandomStream random(3, k);
      for (std::size_t i = 0; i < k % 7; ++i) random.normal();
      values[k] = random.normal();
    });
    return values;
  };
  const auto one = draw(1);
  EXPECT_EQ(draw(2), one);
  EXPECT_EQ(draw(5), one);
}

TEST(StopScope, EndsAPoolsWorkAndNothingElse) {
  std::atomic<bool> stop = false;
  ThreadPool pool(3);
  std::atomic<int> calls = 0;
  const auto body = [&](std::size_t, int) {
    if (++calls == 5) stop = true;
  };
  {
    const StopScope scope(&stop);
    EXPECT_THROW(pool.run(1000, body), Stopped);
  }
  EXPECT_LT(calls, 1000);
  EXPECT_NO_THROW(leave_if_stopped());
  calls = 10;
  pool.run(1000, body);
  EXPECT_EQ(calls, 1010);
}

TEST(StopScope, IsSeenByThePoolsInside) {
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  EXPECT_THROW(ThreadPool(2).run(1, [](std::size_t, int) {}), Stopped);
  {
    const StopScope none(nullptr);
    EXPECT_NO_THROW(leave_if_stopped());
  }
  EXPECT_THROW(leave_if_stopped(), Stopped);
}

}  // namespace
}  // namespace spodnet
