#pragma once

#include <filesystem>
#include <string>

namespace spodnet::cli {

/// plot.py: $SPODNET_PLOT, else beside the installed program (../share/spodnet), else in the
/// source tree it was built from; empty when it is nowhere.
std::filesystem::path plot_script();

/// Animals data: `asked` (a file or its folder; Error when it is not there), else
/// $SPODNET_ANIMALS, else ../shared/data/animals beside this folder or the source tree; empty when
/// there are none.
std::filesystem::path animals_file(const std::filesystem::path& asked);

/// Draws the pictures and report.html of `folder` from its tables: `python3 SCRIPT FOLDER`.
/// Returns an empty text, or one line that says why not and how to do it by hand.
std::string draw_pictures(const std::filesystem::path& folder);

}  // namespace spodnet::cli
