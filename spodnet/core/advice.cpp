#include "spodnet/core/advice.hpp"

namespace spodnet {

std::string_view advice_word(Advice advice) {
  switch (advice) {
    case Advice::sample_count:
      return "sample_count";
    case Advice::ranks:
      return "ranks";
    case Advice::pairwise:
      return "pairwise";
    case Advice::em:
      return "em";
    case Advice::standardize:
      return "standardize";
    case Advice::auto_method:
      return "auto_method";
    case Advice::glasso_cv:
      return "glasso_cv";
    case Advice::resamples:
      return "resamples";
    case Advice::no_cache:
      return "no_cache";
    case Advice::signs:
      return "signs";
    case Advice::header:
      return "header";
    case Advice::levels:
      return "levels";
    case Advice::decimal:
      return "decimal";
    case Advice::missing_word:
      return "missing_word";
    case Advice::exclude:
      return "exclude";
    case Advice::ordinal:
      return "ordinal";
    case Advice::weights:
      return "weights";
    case Advice::transpose:
      return "transpose";
    case Advice::none:
      break;
  }
  return "";
}

std::string with_remedy(const std::string& line, Advice advice, const std::string& value,
                        const Remedies& remedies) {
  const auto found = remedies.find(advice_word(advice));
  if (found == remedies.end()) return line;
  std::string remedy = found->second;
  for (const std::string place : {" WORD", " NAMES", " N"})
    if (!value.empty() && remedy.ends_with(place))
      remedy.replace(remedy.size() - place.size() + 1, place.size() - 1, value);
  return line + " (" + remedy + ")";
}

}  // namespace spodnet
