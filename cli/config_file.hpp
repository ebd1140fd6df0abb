#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace spodnet::cli {

/// Adds --config to the help of a command that reads settings (with_config takes it out before the
/// command is parsed).
void add_config(CLI::App& command);

/// Words of a command line, the command's name at words[1], with `--config FILE` replaced by the
/// settings of the file. What also stands on the command line is taken from there. The file is TOML
/// of the simplest kind: lines `option = value` with text in quotes, numbers, true or false, or a
/// list of them in brackets; INPUT is the file that is read. Anything else: Error with file and
/// line.
std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> words);

/// The options that `command` was given, as such a file; where the results go and how they are
/// shown is left out, so that equal analyses have equal settings.
std::string settings_text(const CLI::App& command, const std::string& version);

}  // namespace spodnet::cli
