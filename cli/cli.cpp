#include "cli/cli.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <new>

#include "cli/advice.hpp"
#include "cli/config_file.hpp"
#include "cli/processes.hpp"
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "cli/shell_words.hpp"
#include "spodnet/core/closest_word.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kCliFooter =
    "Examples:\n"
    "  spodnet graph measurements.csv -o out --bootstrap 200\n"
    "  spodnet generate --p 20 --n 100 --count 100 --seed 1 -o test.safetensors\n"
    "  spodnet train --model ubg --p 20 --n 100 -o ubg.safetensors\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors\n"
    "  spodnet estimate measurements.csv --method ubg.safetensors -o precision.csv\n"
    "Each command has its own --help.\n"
    "Exit status: 0 done, 1 numerical trouble (the result is marked), 2 bad input, 130 "
    "interrupted.";

/// One line on standard error, whatever the message holds; ends the other processes, which may wait
/// for this one.
int refuse(const CLI::App& app, const std::string& line, Group& group) {
  std::string message = without_functions(line);
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  while (message.ends_with(' ')) message.pop_back();
  std::cout.flush();
  std::cerr << app.get_name() << ": " << message_prefix(group) << message << std::endl;
  group.abandon(kBadInput);
  return kBadInput;
}

std::string name_of_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return app.get_name() + (commands.empty() ? "" : " " + commands.front()->get_name());
}

/// A word in the command's place that is none: CLI11 itself would only say that one is missing.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-' || app.get_subcommands({}).empty()) return;
  std::string known;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(argv[1])) return;
    if (command->get_group().empty()) continue;  // hidden
    known += (known.empty() ? "" : ", ") + command->get_name();
    names.push_back(command->get_name());
  }
  if (argv[1] == std::string("reproduce"))
    throw Error("reproduce is a program of its own: spodnet-reproduce (docs/reproduce.md)");
  const std::string closest = closest_word(argv[1], names);
  throw Error("'" + std::string(argv[1]) + "' is not a command: " +
              (closest.empty() ? "" : "did you mean " + closest + "? ") + "Use one of " + known);
}

/// "did you mean --bootstrap?" for an option that the command does not have.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (int k = 1; k < argc; ++k) {
    const std::string word = std::string(argv[k]).substr(0, std::string(argv[k]).find('='));
    if (!word.starts_with("--") || std::find(names.begin(), names.end(), word) != names.end())
      continue;
    const std::string closest = closest_word(word, names);
    if (!closest.empty()) return ": did you mean " + closest + "?";
  }
  return {};
}

/// `help graph` is `graph --help`, `help` is `--help`.
std::vector<std::string> with_help(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.resize(std::min<std::size_t>(words.size(), 2));
  words.push_back("--help");
  return words;
}

/// `--model ""` and `--model=` would be taken for options that were not given.
void check_not_empty(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string text = argv[k];
    if (text.empty())
      throw Error("the argument behind '" + std::string(argv[k - 1]) +
                  "' is empty: give a value, or leave the option out");
    if (text.starts_with("--") && text.find('=') == text.size() - 1)
      throw Error(text + " has no value: give one, or leave the option out");
  }
}

/// Options for few stand in the help of --help-all alone. They are hidden only where a help is
/// asked for: CLI11 leaves the names of hidden ones out of its messages.
void hide_rare_options(CLI::App& app, const std::vector<std::string>& words) {
  const auto given = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool hide = (given("--help") || given("-h")) && !given("--help-all");
  for (CLI::App* command : app.get_subcommands({})) {
    const auto rare =
        command->get_options([](const CLI::Option* o) { return o->get_group() == kRare; });
    if (rare.empty()) continue;
    command->set_help_all_flag("--help-all", "Print this help message with rarely needed options");
    for (CLI::Option* option : rare)
      if (hide) option->group("");
  }
}

void parse_words(CLI::App& app, const std::vector<std::string>& given) {
  std::vector<std::string> words = with_config(app, given);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  app.parse(int(words.size()), pointers.data());
}

/// The exit status; standard output may not be flushed yet.
int parse_words_and_run(CLI::App& app, int argc, char** argv, Session& session) {
  const auto refuse_here = [&](const std::string& line) {
    return refuse(app, line, session.group);
  };
  try {
    check_not_empty(argc, argv);
    check_command(app, argc, argv);
    check_launch(app.get_subcommands({}).empty() || (argc > 1 && argv[1] == std::string("train")),
                 session.group);
    parse_words(app, {argv, argv + argc});
    return session.exit_status;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return refuse_here(error.what() + suggestion(app, argc, argv) + " (see '" +
                       name_of_command(app) + " --help')");
  } catch (const AdvisedError& error) {
    return refuse_here(with_option(error.what(), error.advice()));
  } catch (const std::bad_alloc&) {
    return refuse_here(
        "not enough memory for this size of problem: use a smaller --p, --n or --count");
  } catch (const std::exception& error) {
    return refuse_here(error.what());
  }
}

}  // namespace

int parse_and_run(CLI::App& app, int argc, char** argv, Session& session) {
  const int status = parse_words_and_run(app, argc, argv, session);
  if (std::cout.flush()) return status;
  return refuse(app, "standard output cannot be written: is the disk full or the reader gone?",
                session.group);
}

int run(int argc, char** argv, const ModelRegistry& models, const LossRegistry& losses,
        Group& group) {
  if (!group.first() && (argc < 2 || !is_shared(argv[1]))) return kDone;
  silence_others(group);
  Session session{models, losses, group};
  CLI::App app(
      "Sparse symmetric positive-definite matrices by construction: learned estimates of "
      "precision matrices.",
      "spodnet");
  app.set_version_flag("--version", "spodnet " SPODNET_VERSION);
  app.require_subcommand(1);
  app.footer(kCliFooter);
  add_graph(app, session);
  add_compare(app, session);
  add_difference(app, session);
  add_temporal(app, session);
  add_generate(app, session);
  add_train(app, session);
  add_estimate(app, session);
  add_evaluate(app, session);
  add_info(app, session);
  add_cache(app, session);
  add_shell_words(app);
  std::vector<std::string> words = with_help(argc, argv);
  hide_rare_options(app, words);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return parse_and_run(app, int(words.size()), pointers.data(), session);
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

CLI::Validator integer_from(std::uint64_t smallest, std::uint64_t largest) {
  const auto check = [smallest, largest](const std::string& text) {
    const auto value = to_count(text);
    if (value && *value >= smallest && *value <= largest) return std::string();
    return "'" + text + "' is not an integer from " + std::to_string(smallest) + " to " +
           std::to_string(largest);
  };
  return {check, ""};
}

CLI::Validator number_from(double smallest, double largest) {
  const auto check = [smallest, largest](const std::string& text) {
    const auto value = to_double(text);
    if (value && std::isfinite(*value) && *value >= smallest && *value <= largest)
      return std::string();
    return "'" + text + "' is not a number " +
           (std::isinf(largest) ? "of at least " + exact_text(smallest)
                                : "from " + exact_text(smallest) + " to " + exact_text(largest));
  };
  return {check, ""};
}

CLI::Validator positive_number() {
  const auto check = [](const std::string& text) {
    const auto value = to_double(text);
    if (value && std::isfinite(*value) && *value > 0) return std::string();
    return "'" + text + "' is not a positive number";
  };
  return {check, ""};
}

void add_threads(CLI::App& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Number of threads; 0: one per core. Results do not depend on it")
      ->check(integer_from(0, 1024))
      ->capture_default_str();
}

void add_device(CLI::App& command, std::string& device) {
  command
      .add_option(
          "--device", device,
          "Where learned models run: cpu, cuda, cuda:N (a GPU by its number) or auto (a GPU "
          "where that is expected to be faster); 'spodnet info --devices' lists them")
      ->type_name("DEVICE")
      ->capture_default_str();
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print the result as one JSON object on standard output");
}

void add_strict(CLI::App& command, bool& strict) {
  command.add_flag("--strict", strict,
                   "Exit status 1 when an estimate was replaced because the data contradict it");
}

void add_quiet(CLI::App& command) {
  command.add_flag_callback("--quiet", be_quiet, "Print nothing but errors");
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  command
      .add_option_function<std::string>(
          "--seed", [&seed](const std::string& text) { seed = parse_count(text, "--seed"); },
          "Seed of everything random")
      ->type_name("UINT")
      ->default_str("0");
}

}  // namespace spodnet::cli
