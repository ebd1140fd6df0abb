#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>

#include "cli/shell_words.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet::cli {
namespace {

/// Text that troff takes as it is.
std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string capitals(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string option_heading(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + ("\\fB\\-" + troff(name) + "\\fR");
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + ("\\fB\\-\\-" + troff(name) + "\\fR");
  if (names.empty())
    names = "\\fI" + troff(option.get_name(true)) + "\\fR";
  else if (option.get_items_expected_max() > 0)
    names += " \\fI" + troff(option.get_type_name()) + "\\fR";
  return names;
}

std::string options_section(const CLI::App& command) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* option : command.get_options()) {
    text += ".TP\n" + option_heading(*option) + "\n" + troff(option->get_description());
    if (!option->get_default_str().empty())
      text += " (default " + troff(option->get_default_str()) + ")";
    text += "\n";
  }
  return text;
}

/// The footer of a help text holds examples and what does not fit elsewhere: line by line.
std::string notes_section(const CLI::App& command) {
  if (command.get_footer().empty()) return {};
  std::string text = ".SH NOTES\n.nf\n", line;
  for (const char c : command.get_footer() + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    text += troff(line) + "\n";
    line.clear();
  }
  return text + ".fi\n";
}

std::string commands_section(const CLI::App& app, const std::string& prefix) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty())
      text += fmt::format(".TP\n\\fB{} {}\\fR\n{}\n", prefix, command->get_name(),
                          troff(command->get_description()));
  return text.empty() ? text : ".SH COMMANDS\n" + text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& name, const std::string& version) {
  const CLI::App* command = name.empty() ? &app : find_command(app, name);
  if (!command) throw Error("manual: " + name + " is not a command");
  const std::string title = name.empty() ? "spodnet" : "spodnet-" + name;
  const std::string words = name.empty() ? "spodnet" : "spodnet " + name;
  std::string input;
  for (const CLI::Option* option : command->get_options())
    if (option->get_lnames().empty() && option->get_snames().empty())
      input += " \\fI" + option->get_name(true) + "\\fR";
  return fmt::format(".TH {} 1 \"\" \"spodnet {}\" \"User Commands\"\n", capitals(title), version) +
         ".SH NAME\n" + troff(title) + " \\- " + troff(command->get_description()) + "\n" +
         ".SH SYNOPSIS\n\\fB" + words + "\\fR" + (name.empty() ? " \\fICOMMAND\\fR" : input) +
         " [\\fIOPTIONS\\fR]\n" + commands_section(*command, words) + options_section(*command) +
         notes_section(*command) + (name.empty() ? "" : ".SH SEE ALSO\n.BR spodnet (1)\n");
}

}  // namespace spodnet::cli
