#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace spodnet {

/// Between the threads of one process that do a farm's work and the one that talks to the other
/// processes.
class FarmQueue {
 public:
  using Result = std::pair<std::size_t, std::vector<double>>;

  // For those who work.

  /// The next index, waited for; none when there is no more.
  std::optional<std::size_t> next() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    arrived_.wait(lock, [&] { return closed_ || !indices_.empty(); });
    --waiting_;
    if (indices_.empty()) return std::nullopt;
    const std::size_t index = indices_.front();
    indices_.pop_front();
    return index;
  }

  void done(std::size_t index, std::vector<double> numbers) {
    const std::scoped_lock lock(mutex_);
    results_.emplace_back(index, std::move(numbers));
  }

  void fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  // For the one who talks.

  /// How many wait for an index that is not here yet.
  std::size_t wanted() {
    const std::scoped_lock lock(mutex_);
    return waiting_ > indices_.size() ? waiting_ - indices_.size() : 0;
  }

  void give(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    indices_.push_back(index);
    arrived_.notify_one();
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    arrived_.notify_all();
  }

  std::vector<Result> take_results() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(results_, {});
  }

  std::exception_ptr error() {
    const std::scoped_lock lock(mutex_);
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::size_t> indices_;
  std::vector<Result> results_;
  std::exception_ptr error_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace spodnet
