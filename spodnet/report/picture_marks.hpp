#pragma once

#include <string>
#include <vector>

#include "spodnet/report/picture.hpp"

namespace spodnet {

/// Colour and shape of a variable: by its group where the user gave some, else by its community; a
/// ring where it stands alone.
struct MarkLook {
  Colour colour;
  std::size_t shape = 0;  ///< circle, square, diamond, triangle, hexagon, triangle down, pentagon
  bool ring = false;
};
MarkLook look_of(const Answer& answer, std::size_t i);

/// A mark of about the area of a circle of radius r.
PictureMark mark_at(Point at, double r, const MarkLook& look);

/// The groups that the user gave, in the order in which they first come.
struct GroupMark {
  std::string name;
  MarkLook look;
};
std::vector<GroupMark> group_marks(const Answer& answer);

/// The variable's label, else its name.
const std::string& shown_name(const Answer& answer, std::size_t i);

}  // namespace spodnet
