#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spodnet::c {

/// The options of one call: a JSON object of texts, numbers, true or false, and lists of them.
/// null is as good as left out.
class Options {
 public:
  /// Error, its line beginning with `where`, unless `text` is such an object (or null or empty).
  Options(const char* text, std::string where);

  // The value of an option, or what holds without it; one of another kind: Error.
  std::string text(const std::string& key, const std::string& otherwise = "");
  double number(const std::string& key, double otherwise);
  std::uint64_t count(const std::string& key, std::uint64_t otherwise);
  bool flag(const std::string& key, bool otherwise);
  std::vector<std::string> list(const std::string& key);  ///< a text alone is a list of one
  bool has(const std::string& key) const { return values_.contains(key); }

  /// Error for an option that nothing above was asked for.
  void refuse_others() const;

 private:
  /// The one text of an option; nothing where it is not given.
  std::optional<std::string> one(const std::string& key);
  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const;

  std::string where_;
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> known_;
};

}  // namespace spodnet::c
