#include "cli/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {

namespace {

bool quiet = false;  // of this process, which runs one command

}  // namespace

void be_quiet() { quiet = true; }
bool is_quiet() { return quiet; }

void print_text(const std::string& text) {
  if (!quiet) std::cout << text;
}

void print_line(const std::string& line) { print_text(line + '\n'); }

void print_note(const std::string& line) {
  std::cout.flush();
  std::cerr << "spodnet: " << line << std::endl;
}

void print_json(const Json& object) {
  std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4g}", value);
}

std::string number_cell(double value) { return std::isnan(value) ? "" : exact_text(value); }

std::string seconds_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      text += k == 0 ? fmt::format("{:<{}}", row[k], widths[k])
                     : fmt::format("  {:>{}}", row[k], widths[k]);
    text += '\n';
  }
  return text;
}

void check_output(const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& others) {
  std::error_code ignored;
  for (const std::filesystem::path& other : others)
    if (path.lexically_normal() == other.lexically_normal() ||
        std::filesystem::equivalent(path, other, ignored))
      throw Error(shown_path(path) +
                  ": is given twice, it would be overwritten: choose another "
                  "name for the output");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (std::filesystem::is_directory(path, ignored))
    throw Error(shown_path(path) + ": is a folder: give the name of a file");
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(shown_path(path) + ": the folder " + shown_path(folder) +
                " does not exist: create it first");
  if (::access(folder.c_str(), W_OK) != 0)
    throw Error(shown_path(path) + ": the folder " + shown_path(folder) +
                " cannot be written: choose another one");
}

}  // namespace spodnet::cli
