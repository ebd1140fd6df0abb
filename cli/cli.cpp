#include "cli/cli.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <new>

#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  spodnet graph measurements.csv -o out --bootstrap 200\n"
    "  spodnet generate --p 20 --n 100 --count 100 --seed 1 -o test.safetensors\n"
    "  spodnet train --model ubg --p 20 --n 100 -o ubg.safetensors\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors\n"
    "  spodnet estimate measurements.csv --method ubg.safetensors -o precision.csv\n"
    "Each command has its own --help.\n"
    "Exit status: 0 done, 1 numerical trouble (the result is marked), 2 bad input, 130 "
    "interrupted.";

/// One line on standard error, whatever the message holds.
int refuse(std::string message) {
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  while (message.ends_with(' ')) message.pop_back();
  std::cout.flush();
  std::cerr << "spodnet: " << message << std::endl;
  return kBadInput;
}

std::string name_of_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "spodnet" : "spodnet " + commands.front()->get_name();
}

/// A word in the command's place that is none: CLI11 itself would only say that one is missing.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(argv[1])) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw Error("'" + std::string(argv[1]) + "' is not a command: use one of " + known);
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

int parse_and_run(CLI::App& app, int argc, char** argv, Session& session) {
  try {
    check_not_empty(argc, argv);
    check_command(app, argc, argv);
    app.parse(argc, argv);
    return session.exit_status;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + " (see '" + name_of_command(app) + " --help')");
  } catch (const Error& error) {
    return refuse(error.what());
  } catch (const std::bad_alloc&) {
    return refuse("not enough memory for this size of problem: use a smaller --p, --n or --count");
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}

}  // namespace

int run(int argc, char** argv, const ModelRegistry& models) {
  Session session{models};
  CLI::App app(
      "Sparse symmetric positive-definite matrices by construction: learned estimates of "
      "precision matrices.",
      "spodnet");
  app.set_version_flag("--version", "spodnet " SPODNET_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  add_graph(app, session);
  add_compare(app, session);
  add_generate(app, session);
  add_train(app, session);
  add_estimate(app, session);
  add_evaluate(app, session);
  add_info(app, session);
  add_reproduce(app, session);
  add_cache(app, session);
  const int status = parse_and_run(app, argc, argv, session);
  if (!std::cout.flush())
    return refuse("standard output cannot be written: is the disk full or the reader gone?");
  return status;
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

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print the result as one JSON object on standard output");
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
