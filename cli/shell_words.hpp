#pragma once

#include <string>

#include "cli/session.hpp"

namespace spodnet::cli {

/// What a shell needs to complete the words of a command line, from the commands and options of
/// `app`: a script for bash, zsh or fish.
std::string completion_script(const CLI::App& app, const std::string& shell);

/// A manual page (troff, section 1) from the help of `app`, or of one of its commands by name.
std::string manual_page(const CLI::App& app, const std::string& command,
                        const std::string& version);

/// The hidden commands `completion SHELL` and `manual [COMMAND]`, which print these.
void add_shell_words(CLI::App& app);

}  // namespace spodnet::cli
