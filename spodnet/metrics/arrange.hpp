#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/metrics/layout.hpp"

namespace spodnet {

// Points on a page: what a layout does before and after its forces.

/// The `index`-th place of a sunflower: any number of places lie about `spacing` apart.
Point spiral(std::size_t index, double spacing);

/// Moves pairs that are too close away from each other until none is, or 60 times.
void push_apart(Points& points, double separation);

/// Turns the cloud's long axis horizontal and, from a few nodes on, stretches it by up to
/// a third towards the shape of a page.
void lay_flat(Points& points);

/// Moves the pictures, largest first, into centred rows from top to bottom (y grows downwards):
/// as wide as the first when that is most of all, otherwise towards the shape of a page.
void pack(std::vector<Points>& pictures);

}  // namespace spodnet
