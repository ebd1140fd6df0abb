#include "spodnet/report/picture_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace spodnet {
namespace {

// The page's colours --c0 to --c7 and --none, in light.
constexpr std::array<Colour, 8> kPalette = {{{0x00, 0x72, 0xB2},
                                             {0xE6, 0x9F, 0x00},
                                             {0x00, 0x9E, 0x73},
                                             {0xC0, 0x5C, 0x95},
                                             {0x45, 0xA5, 0xDC},
                                             {0xD5, 0x5E, 0x00},
                                             {0x8F, 0x8A, 0x1D},
                                             {0x7A, 0x2A, 0x63}}};
constexpr Colour kAlone = {0x8A, 0x8F, 0x98}, kWhite = {255, 255, 255};

struct MarkShape {
  int corners;  ///< 0: a circle
  double size, turn;
};
constexpr double kQuarter = std::numbers::pi / 2;
constexpr std::array<MarkShape, 7> kShapes = {{{0, 1, 0},
                                               {4, 1.25, kQuarter / 2},
                                               {4, 1.3, 0},
                                               {3, 1.42, -kQuarter},
                                               {6, 1.1, 0},
                                               {3, 1.42, kQuarter},
                                               {5, 1.15, -kQuarter}}};

MarkLook by_number(std::size_t k) {
  return {kPalette[k % kPalette.size()], k % kShapes.size(), false};
}

bool stands_alone(const Answer& answer, std::size_t i) {
  return std::ranges::count(answer.community, answer.community[i]) == 1;
}

}  // namespace

std::vector<GroupMark> group_marks(const Answer& answer) {
  std::vector<GroupMark> groups;
  for (const NodeStyle& style : answer.styles) {
    if (style.group.empty()) continue;
    auto found = std::ranges::find(groups, style.group, &GroupMark::name);
    if (found == groups.end())
      found = groups.insert(groups.end(), {style.group, by_number(groups.size())});
    if (const auto colour = colour_from(style.colour)) found->look.colour = *colour;
  }
  return groups;
}

MarkLook look_of(const Answer& answer, std::size_t i) {
  const MarkLook alone{kAlone, 0, true};
  if (answer.styles.empty())
    return stands_alone(answer, i) ? alone : by_number(answer.community[i]);
  const NodeStyle& style = answer.styles[i];
  MarkLook look = {kAlone, 0, style.group.empty() && style.colour.empty()};
  for (const GroupMark& group : group_marks(answer))
    if (group.name == style.group && !style.group.empty()) look = group.look;
  if (const auto colour = colour_from(style.colour)) look.colour = *colour;
  return look;
}

PictureMark mark_at(Point at, double r, const MarkLook& look) {
  PictureMark mark{.at = at, .r = r, .corners = {}, .fill = look.colour, .border = kWhite};
  mark.border_width = look.ring ? 1.6 : 1.2;
  if (look.ring) {
    mark.fill = kWhite;
    mark.border = look.colour;
    return mark;
  }
  const MarkShape& shape = kShapes[look.shape];
  for (int k = 0; k < shape.corners; ++k) {
    const double angle = shape.turn + 2 * std::numbers::pi * k / shape.corners;
    mark.corners.push_back(
        {at.x + shape.size * r * std::cos(angle), at.y + shape.size * r * std::sin(angle)});
  }
  return mark;
}

const std::string& shown_name(const Answer& answer, std::size_t i) {
  return answer.styles.empty() || answer.styles[i].label.empty() ? answer.names[i]
                                                                 : answer.styles[i].label;
}

}  // namespace spodnet
