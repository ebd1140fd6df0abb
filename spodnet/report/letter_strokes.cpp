#include "spodnet/report/letter_strokes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "spodnet/report/letters.hpp"

namespace spodnet {
namespace {

// Letters on a grid of 8 x 16: a point is two letters, x from a to i, y from a (the lowest
// descender) over e (the baseline) and m (small letters) to q (capitals). | lifts the pen.
constexpr std::array<std::string_view, 95> kStrokes = {
    "",                                                             // blank
    "eq ej|ee ef",                                                  // !
    "cq cn|gq gn",                                                  // "
    "cq be|gq fe|am im|ah ih",                                      // #
    "io hp fq dq bp ao am bl dk fk hj ih ig hf fe de bf ag|eq ed",  // $
    "ae iq|aq cq cn an aq|ge ie ih gh ge",                          // %
    "ie bn bp cq eq fp fn ag af be ee ih",                          // &
    "eq en",                                                        // '
    "hq dm dh hc",                                                  // (
    "bq fm fh bc",                                                  // )
    "em eq|bn hp|bp hn",                                            // *
    "ai ii|em ee",                                                  // +
    "ef ed dc",                                                     // ,
    "bi hi",                                                        // -
    "ee ef",                                                        // .
    "ad iq",                                                        // /
    "dq bp an ah bf de fe hf ih in hp fq dq",                       // 0
    "bn eq ee",                                                     // 1
    "an bp dq fq hp in im hk ae ie",                                // 2
    "ao bp dq fq hp in hl fk dk|fk hj ih hf fe de bf ag",           // 3
    "ge gq ai ii",                                                  // 4
    "hq bq aj cl fl hk ii ih hf fe de bf ag",                       // 5
    "ho gq eq cp bn ak ah bf de fe hf ih ii hk fl dl bk ai",        // 6
    "aq iq de",                                                     // 7
    "dk bl an bp dq fq hp in hl fk dk bj ah bf de fe hf ih hj fk",  // 8
    "bg ce ee gf hh ik in hp fq dq bp an am bk dj fj hk im",        // 9
    "ee ef|el em",                                                  // :
    "ef ed dc|el em",                                               // ;
    "hm bi he",                                                     // <
    "ag ig|ak ik",                                                  // =
    "bm hi be",                                                     // >
    "an bp dq fq hp in im hk ej eh|ee ef",                          // ?
    "gl el ck ch eg gg gl|gh ig in hp fq dq bp an ah bf de he",     // @
    "ae eq ie|bi hi",                                               // A
    "aq ae fe hf ih hj fk ak|fk hl in hp fq aq",                    // B
    "io hp fq dq bp an ah bf de fe hf ig",                          // C
    "aq ae ee gf ih in gp eq aq",                                   // D
    "iq aq ae ie|ak hk",                                            // E
    "iq aq ae|ak hk",                                               // F
    "io hp fq dq bp an ah bf de fe hf ih ik fk",                    // G
    "aq ae|iq ie|ak ik",                                            // H
    "eq ee",                                                        // I
    "hq hh gf ee ce af ah",                                         // J
    "aq ae|iq ai|dl ie",                                            // K
    "aq ae ie",                                                     // L
    "ae aq eg iq ie",                                               // M
    "ae aq ie iq",                                                  // N
    "dq bp an ah bf de fe hf ih in hp fq dq",                       // O
    "ae aq fq hp io im hk fj aj",                                   // P
    "dq bp an ah bf de fe hf ih in hp fq dq|fh id",                 // Q
    "ae aq fq hp io im hk fj aj|ej ie",                             // R
    "io hp fq dq bp ao am bl dk fk hj ih ig hf fe de bf ag",        // S
    "aq iq|eq ee",                                                  // T
    "aq ah bf de fe hf ih iq",                                      // U
    "aq ee iq",                                                     // V
    "aq ce eo ge iq",                                               // W
    "aq ie|iq ae",                                                  // X
    "aq ek iq|ek ee",                                               // Y
    "aq iq ae ie",                                                  // Z
    "hq dq dc hc",                                                  // [
    "aq id",                                                        // backslash
    "bq fq fc bc",                                                  // ]
    "bm eq hm",                                                     // ^
    "ac ic",                                                        // _
    "cq eo",                                                        // `
    "im ie|ik gm dm bl aj ah bf de ge ig",                          // a
    "aq ae|ak cm fm hl ij ih hf fe ce ag",                          // b
    "ik hl fm dm bl aj ah bf de fe hf ig",                          // c
    "iq ie|ik gm dm bl aj ah bf de ge ig",                          // d
    "ai ii ij hl fm dm bl aj ah bf de ge ig",                       // e
    "iq gq ep en ee|am hm",                                         // f
    "im id hb fa da bb|ik gm dm bl aj ah bf de ge ig",              // g
    "aq ae|ak cm fm hl ik ie",                                      // h
    "em ee|ep eq",                                                  // i
    "em ec da ba|ep eq",                                            // j
    "aq ae|hm ai|ck ie",                                            // k
    "eq ee",                                                        // l
    "am ae|ak bm dm ek ee|ek fm hm ik ie",                          // m
    "am ae|ak cm fm hl ik ie",                                      // n
    "dm bl aj ah bf de fe hf ih ij hl fm dm",                       // o
    "am aa|ak cm fm hl ij ih hf fe ce ag",                          // p
    "im ia|ik gm dm bl aj ah bf de ge ig",                          // q
    "am ae|aj cl em im",                                            // r
    "ik hl fm dm bl ak bj gi hh ig hf fe de bf ag",                 // s
    "ep eg ge ie|am im",                                            // t
    "am ag bf de ge ig|im ie",                                      // u
    "am ee im",                                                     // v
    "am ce ek ge im",                                               // w
    "am ie|im ae",                                                  // x
    "am ee|im ca aa",                                               // y
    "am im ae ie",                                                  // z
    "gq ep el cj eh ed gc",                                         // {
    "eq ec",                                                        // |
    "cq ep el gj eh ed cc",                                         // }
    "ai bk dk fi hi ik"};                                           // ~

constexpr std::string_view kUnknown = "ae aq iq ie ae", kEllipsis = "ae af|ee ef|ie if";
/// The Latin letters U+00C0 to U+00FF without their accents.
constexpr std::string_view kPlain =
    "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";
static_assert(kPlain.size() == 64);
constexpr double kCapital = 0.72, kBearing = 0.075;

std::string_view strokes_text(std::uint32_t point) {
  if (point == 0x2026) return kEllipsis;
  if (point >= 0xC0 && point < 0x100)
    point = std::uint32_t(kPlain[point - 0xC0]);
  else if (point == 0xA0)
    point = ' ';
  return point >= 32 && point < 127 ? kStrokes[point - 32] : kUnknown;
}

}  // namespace

std::vector<Points> letter_strokes(std::uint32_t code_point) {
  const std::string_view text = strokes_text(code_point);
  const double width = letter_width(code_point), bearing = std::min(kBearing, width / 4);
  std::vector<Points> strokes(1);
  for (std::size_t k = 0; k + 1 < text.size(); k += 3) {
    strokes.back().push_back({bearing + (width - 2 * bearing) * (text[k] - 'a') / 8.0,
                              kCapital * (text[k + 1] - 'e') / 12.0});
    if (k + 2 < text.size() && text[k + 2] == '|') strokes.emplace_back();
  }
  return strokes;
}

}  // namespace spodnet
