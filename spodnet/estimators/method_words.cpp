#include "spodnet/estimators/method_words.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace spodnet {
namespace {

constexpr std::pair<const char*, const char*> kMethodNames[] = {
    {"pretrained", "learned network"},
    {"glasso", "graphical lasso"},
    {"glasso-cv", "graphical lasso, cross-validated"},
    {"glasso-ebic", "graphical lasso, EBIC"},
    {"glasso-stars", "graphical lasso, stability selection"},
    {"glasso-latent", "latent-variable graphical lasso"},
    {"glasso-latent-ebic", "latent-variable graphical lasso, EBIC"},
    {"glasso-latent-cv", "latent-variable graphical lasso, cross-validated"},
    {"ledoit-wolf", "Ledoit-Wolf shrinkage"},
    {"oas", "OAS shrinkage"},
    {"nonlinear-shrinkage", "nonlinear shrinkage"}};

/// What a setting adds to the name; empty: it is shown as it is.
constexpr std::pair<const char*, const char*> kSettingWords[] = {
    {"factors=given", ", given hidden factors"},
    {"factors=included", " with hidden factors"},
    {"refit=true", ", refitted"}};

/// The comma-separated parts of the settings.
std::vector<std::string> parts_of(const std::string& settings) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < settings.size();) {
    const std::size_t last = std::min(settings.find(',', first), settings.size());
    parts.push_back(settings.substr(first, last - first));
    first = last + 1;
  }
  return parts;
}

std::string with_settings(std::string words, const std::string& settings) {
  std::string others;
  for (const std::string& part : parts_of(settings)) {
    bool known = part == "target=precision";  // every graph has it: not mentioned
    for (const auto& [setting, ending] : kSettingWords)
      if (part == setting) words += ending, known = true;
    if (!known) others += (others.empty() ? "" : ", ") + part;
  }
  return others.empty() ? words : words + " (" + others + ")";
}

}  // namespace

std::string method_words(const std::string& method) {
  const std::size_t colon = method.find(':');
  const std::string name = method.substr(0, colon);
  for (const auto& [known, words] : kMethodNames)
    if (name == known)
      return with_settings(words, colon == method.npos ? "" : method.substr(colon + 1));
  const std::size_t trained = method.find(" trained to ");
  return trained == method.npos ? method : "network" + method.substr(trained);
}

}  // namespace spodnet
