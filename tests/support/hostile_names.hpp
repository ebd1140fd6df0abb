#pragma once

#include <string>
#include <vector>

#include "spodnet/workflow/answer.hpp"

namespace spodnet::test {

/// Names that break what does not escape them.
inline std::vector<std::string> hostile_names() {
  return {
      "plain",
      "with, comma",
      "with \"quotes\" and 'apostrophes'",
      "two\nlines",
      "carriage\r\nreturn",
      "<script>window.broken = 1</script>",
      "</script><img src=x onerror=\"window.broken=2\">",
      "<!--<script>",
      "]]>",
      "a & b &amp; c &#60;",
      "back\\slash \\N \\n \\",
      "{{data}} {{title}} ${x} `tick`",
      "na\xC3\xAFve \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\xA6\x84",
      "Latin-1: caf\xE9",
      std::string("zero\0byte", 9),
      "bell\x07 escape\x1B",
      "  spaces  ",
      "",
      "=1+1",
      "tab\there",
      "NA",
      "plain",
      "__proto__",
      "constructor",
      "line separator \xE2\x80\xA8.",
      "right to left \xE2\x80\xAE"
      "abc",
      "\xEF\xBF\xBE not a character",
      "a name that is much longer than any label on a picture can be, and then some more of it"};
}

/// The same for every other text of an answer.
inline void make_hostile(Answer& answer) {
  const std::string bad = "</title></script><script>window.broken = 3</script> & \"x\" ]]> \xFF";
  answer.title = bad;
  answer.method = bad;
  answer.stable_check = bad;
  for (AnswerNote& note : answer.notes) note.text = bad;
  for (AnswerCandidate& candidate : answer.candidates) candidate.method = candidate.note = bad;
  for (auto& [name, value] : answer.settings) name = value = bad;
}

}  // namespace spodnet::test
