#pragma once

#include <cstdint>
#include <filesystem>

#include "reproduce/json.hpp"

namespace spodnet::figures {

/// Scores along the epochs of a training that may be stopped and resumed: kept in SCRATCH.epochs,
/// which is never behind the checkpoint (the trainer shows an epoch before it can be in one).
class EpochLog {
 public:
  explicit EpochLog(const std::filesystem::path& scratch);  ///< reads what an earlier run left
  void put(std::uint64_t epoch, const Json& scores);        ///< an epoch seen again is replaced
  Json rows() const;                                        ///< [{epoch, ...}], epochs ascending
  void forget() const;                                      ///< removes the file

 private:
  std::filesystem::path file_;
  Json rows_ = Json::array();
};

}  // namespace spodnet::figures
