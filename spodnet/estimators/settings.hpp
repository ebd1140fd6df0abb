#pragma once

#include <set>
#include <string>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// Reads the settings of `name:key=value,...`. Every key asked for becomes a known one; `done`
/// refuses the others and lists the known.
class Settings {
 public:
  explicit Settings(const MethodSpec& spec) : spec_(spec) {}

  bool has(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  double number(const std::string& key, double fallback);
  int count(const std::string& key, int fallback);
  bool flag(const std::string& key, bool fallback);  ///< true or false
  void done() const;

 private:
  const std::string* find(const std::string& key);
  std::string where(const std::string& key) const { return spec_.name + ": " + key; }

  const MethodSpec& spec_;
  std::set<std::string> known_;
};

}  // namespace spodnet
