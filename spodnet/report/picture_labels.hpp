#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/report/picture.hpp"

namespace spodnet {

struct PictureBox {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

/// A variable that wants its name beside it.
struct LabelSpot {
  Point at;
  double r = 0;           ///< of its mark
  double importance = 0;  ///< more important ones choose first
  std::string words;
  bool must = false;  ///< stands even where there is no free place
};

/// Names beside their variables without writing over each other: greedy, important ones first. A
/// name that finds no free place is left out unless it must stand; names keep clear of `lines`
/// where they can and never stand on a `reserved` box. Cost: spots times lines and boxes.
std::vector<PictureText> place_labels(const std::vector<LabelSpot>& spots, double size,
                                      const std::vector<PictureLine>& lines,
                                      const std::vector<PictureBox>& reserved,
                                      const PictureBox& page);

}  // namespace spodnet
