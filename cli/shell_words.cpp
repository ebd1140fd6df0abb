#include "cli/shell_words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/report.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet::cli {
namespace {

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> out;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) out.push_back(command);
  return out;
}

/// `--name` of every option, and `-o`.
std::vector<std::string> option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
  names.push_back("help");
  return names;
}

/// The words an option may be followed by, where they are few: yes|no of {yes,no}.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == type.npos || close == type.npos) return {};
  return split_list(type.substr(open + 1, close - open - 1));
}

bool are_plain(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != word.npos) return false;
  return !words.empty();
}

std::string bash_values(const CLI::App& command) {
  std::string cases;
  for (const CLI::Option* option : command.get_options())
    if (const auto words = values_of(*option); are_plain(words) && !option->get_lnames().empty())
      cases +=
          fmt::format("        --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                      option->get_lnames().front(), joined_words(words));
  return cases.empty() ? "" : "      case $before in\n" + cases + "      esac\n";
}

std::string bash_script(const CLI::App& app) {
  std::string text = fmt::format(
      "# Completion of spodnet for bash, made from its help texts.\n"
      "_spodnet() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  local options=\n"
      "  case ${{COMP_WORDS[1]}} in\n",
      joined_words(command_names(app)));
  for (const CLI::App* command : shown_commands(app))
    text += fmt::format("    {})\n{}      options=\"{}\" ;;\n", command->get_name(),
                        bash_values(*command), joined_words(option_words(*command)));
  return text +
         "  esac\n"
         "  case $word in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _spodnet spodnet\n";
}

/// Inside single quotes and brackets of zsh.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh_script(const CLI::App& app) {
  std::string text =
      "#compdef spodnet\n# Completion of spodnet for zsh, made from its help texts.\n"
      "local -a commands\ncommands=(\n";
  for (const CLI::App* command : shown_commands(app)) text += "  " + command->get_name() + "\n";
  text +=
      ")\nif (( CURRENT == 2 )); then\n  compadd -- $commands help --help --version\n  return\nfi\n"
      "case $words[2] in\n";
  for (const CLI::App* command : shown_commands(app)) {
    text += fmt::format("  {})\n    _arguments -s", command->get_name());
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_lnames().empty()) continue;
      const bool value = option->get_items_expected_max() > 0;
      const auto words = values_of(*option);
      text += fmt::format(" \\\n      '*--{}{}[{}]{}'", option->get_lnames().front(),
                          value ? "=" : "", zsh_text(option->get_description()),
                          !value             ? ""
                          : are_plain(words) ? ":value:(" + joined_words(words) + ")"
                                             : ":value:_files");
    }
    text += " \\\n      '*:file:_files' ;;\n";
  }
  return text + "esac\n";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# Completion of spodnet for fish, made from its help texts.\n";
  const auto quoted = [](const std::string& words) {
    std::string out = "'";
    for (const char c : words) out += c == '\'' ? std::string("\\'") : std::string(1, c);
    return out + "'";
  };
  for (const CLI::App* command : shown_commands(app)) {
    text += fmt::format("complete -c spodnet -n __fish_use_subcommand -f -a {} -d {}\n",
                        command->get_name(), quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_lnames().empty()) continue;
      text += fmt::format("complete -c spodnet -n '__fish_seen_subcommand_from {}' -l {}",
                          command->get_name(), option->get_lnames().front());
      for (const std::string& name : option->get_snames()) text += " -s " + name;
      const auto words = values_of(*option);
      if (are_plain(words))
        text += " -x -a " + quoted(joined_words(words));
      else if (option->get_items_expected_max() > 0)
        text += " -r";
      text += " -d " + quoted(option->get_description()) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  return shell == "bash" ? bash_script(app) : shell == "zsh" ? zsh_script(app) : fish_script(app);
}

void add_shell_words(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion for a shell")->group("");
  const auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, shell] { print_text(completion_script(app, *shell)); });
  CLI::App* manual = app.add_subcommand("manual", "Print a manual page")->group("");
  const auto command = std::make_shared<std::string>();
  manual->add_option("COMMAND", *command, "One of the commands; else the page of spodnet itself");
  const auto list = std::make_shared<bool>(false);
  manual->add_flag("--list", *list, "Print the commands that have a page, one per line");
  manual->callback([&app, command, list] {
    if (!*list) return print_text(manual_page(app, *command, SPODNET_VERSION));
    for (const CLI::App* each : shown_commands(app)) print_line(each->get_name());
  });
}

}  // namespace spodnet::cli
