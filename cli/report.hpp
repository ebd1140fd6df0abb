#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "spodnet/report/number_json.hpp"

namespace spodnet::cli {

using Json = nlohmann::ordered_json;

/// --quiet: print_text and print_line print nothing, and no progress is shown.
void be_quiet();
bool is_quiet();

void print_text(const std::string& text);  ///< on standard output, as it is
void print_line(const std::string& line);  ///< the same and a line end
void print_note(const std::string& line);  ///< on standard error
void print_json(const Json& object);       ///< on standard output, one line

/// Four significant digits; "-" for what was not measured.
std::string number_text(double value);
std::string seconds_text(double seconds);  ///< "0.21 s", "12.3 s", "1:02:03"
std::string bytes_text(double bytes);      ///< "6.4 MB"

/// Of a CSV file: the shortest text that reads back the same, nothing for what was not measured.
std::string number_cell(double value);

/// Columns padded to one width each, the first to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// Throws Error unless the folder of `path` exists and can be written and `path` is none of the
/// files that are read or written besides: found before the work begins, not after.
void check_output(const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& others = {});

}  // namespace spodnet::cli
