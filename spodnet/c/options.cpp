#include "spodnet/c/options.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/core/closest_word.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::c {
namespace {

using Json = nlohmann::json;

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> texts_of(const Json& value, const std::string& key,
                                  const std::string& where) {
  std::vector<std::string> out;
  if (!value.is_array()) return {plain_text(value)};
  for (const Json& each : value) {
    if (each.is_structured())
      throw Error(where + ": option " + shown(key) + " is a list of texts and numbers");
    out.push_back(plain_text(each));
  }
  return out;
}

}  // namespace

Options::Options(const char* text, std::string where) : where_(std::move(where)) {
  if (!text || !*text) return;
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object()) throw Error(where_ + ": options are one JSON object, not " + shown(text));
  for (const auto& [key, value] : all.items()) {
    if (value.is_object()) throw Error(where_ + ": option " + shown(key) + " is no object");
    if (!value.is_null()) values_[key] = texts_of(value, key, where_);
  }
}

std::optional<std::string> Options::one(const std::string& key) {
  known_.push_back(key);
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  if (found->second.size() != 1) refuse(key, "one value");
  return found->second[0];
}

void Options::refuse(const std::string& key, const std::string& wanted) const {
  const std::vector<std::string>& given = values_.at(key);
  throw Error(where_ + ": option " + shown(key) + " is " + wanted + ", not " +
              (given.size() == 1 ? shown(given[0]) : std::to_string(given.size()) + " values"));
}

std::string Options::text(const std::string& key, const std::string& otherwise) {
  return one(key).value_or(otherwise);
}

double Options::number(const std::string& key, double otherwise) {
  const auto given = one(key);
  if (!given) return otherwise;
  const auto value = to_double(*given);
  if (!value || !std::isfinite(*value)) refuse(key, "a finite number");
  return *value;
}

std::uint64_t Options::count(const std::string& key, std::uint64_t otherwise) {
  const auto given = one(key);
  if (!given) return otherwise;
  const auto value = to_count(*given);
  if (!value) refuse(key, "a whole number, 0 or more");
  return *value;
}

bool Options::flag(const std::string& key, bool otherwise) {
  const auto given = one(key);
  if (!given) return otherwise;
  if (*given != "true" && *given != "false") refuse(key, "true or false");
  return *given == "true";
}

std::vector<std::string> Options::list(const std::string& key) {
  known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

void Options::refuse_others() const {
  for (const auto& [key, value] : values_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string closest = closest_word(key, known_);
    throw Error(where_ + ": there is no option " + shown(key) +
                (closest.empty() ? "" : ": did you mean " + shown(closest) + "?"));
  }
}

}  // namespace spodnet::c
