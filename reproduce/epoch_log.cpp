#include "reproduce/epoch_log.hpp"

#include <fstream>

#include "spodnet/io/atomic_file.hpp"

namespace spodnet::figures {

EpochLog::EpochLog(const std::filesystem::path& scratch) : file_(scratch.string() + ".epochs") {
  std::ifstream in(file_);
  if (!in) return;
  const Json left = Json::parse(in, nullptr, false);
  if (left.is_array()) rows_ = left;
}

void EpochLog::put(std::uint64_t epoch, const Json& scores) {
  Json row = {{"epoch", epoch}};
  row.update(scores);
  Json kept = Json::array();
  for (const Json& each : rows_)
    if (each.at("epoch").get<std::uint64_t>() < epoch) kept.push_back(each);
  kept.push_back(std::move(row));
  rows_ = std::move(kept);
  write_file_atomically(file_, rows_.dump());
}

Json EpochLog::rows() const { return rows_; }

void EpochLog::forget() const {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace spodnet::figures
