#include "cli/config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>

#include "cli/session.hpp"
#include "spodnet/core/closest_word.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/cell.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

constexpr std::array kNoSettings = {"help",  "config",  "output",  "open",   "json",
                                    "quiet", "verbose", "threads", "dry-run"};

struct Setting {
  std::string name;
  std::vector<std::string> values;
  std::string where;  ///< FILE: line N
};

/// Reads one line's value from left to right.
class ValueReader {
 public:
  ValueReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  std::vector<std::string> all() {
    std::vector<std::string> values;
    const bool list = take('[');
    while (!(list && take(']'))) {
      values.push_back(one());
      if (!list) break;
      if (!take(',') && peek() != ']') fail();
    }
    if (peek() != '\0' && peek() != '#') fail();
    return values;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string one() {
    if (take('"')) return quoted();
    const std::size_t end = std::min(text_.find_first_of(",]# \t", at_), text_.size());
    const std::string word(text_.substr(at_, end - at_));
    if (word.empty()) fail();
    at_ = end;
    return word;
  }
  std::string quoted() {
    std::string out;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    if (at_++ >= text_.size()) fail();
    return out;
  }
  [[noreturn]] void fail() const {
    throw Error(where_ + " has " + shown(text_) +
                ": write text in quotes, a number, true or false, or a list [a, b] of them");
  }

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
};

std::vector<Setting> read_settings(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(file + ": cannot be read: give the settings.toml of an earlier run");
  std::vector<Setting> settings;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::string_view text = trimmed(line);
    if (text.empty() || text[0] == '#') continue;
    const std::string where = shown_path(file) + ": line " + std::to_string(number);
    const std::size_t equal = text.find('=');
    if (text[0] == '[' || equal == text.npos)
      throw Error(where + " is " + shown(text) + ": write lines option = value, without sections");
    settings.push_back({std::string(trimmed(text.substr(0, equal))),
                        ValueReader(trimmed(text.substr(equal + 1)), where).all(), where});
  }
  return settings;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return name.size() > 1 && name[0] == '-' ? command.get_option_no_throw(name) : nullptr;
}

/// What of a command's options already stands on the command line; "" for its input.
std::vector<std::string> given_names(const CLI::App& command,
                                     const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (std::size_t k = 2; k < words.size(); ++k) {
    const CLI::Option* option = find_option(command, words[k]);
    if (!option && (words[k] == "-" || words[k][0] != '-')) names.push_back("");
    if (!option) continue;
    for (const std::string& name : option->get_lnames()) names.push_back(name);
    if (takes_value(*option) && words[k].find('=') == words[k].npos) ++k;
  }
  return names;
}

[[noreturn]] void refuse_setting(const CLI::App& command, const Setting& setting) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  const std::string closest = closest_word(setting.name, names);
  throw Error(setting.where + ": " + shown(setting.name) + " is no setting of 'spodnet " +
              command.get_name() + "'" +
              (closest.empty() ? ": see its --help" : ": did you mean " + closest + "?"));
}

void append_setting(const CLI::App& command, const Setting& setting,
                    std::vector<std::string>& words) {
  const CLI::Option* option = command.get_option_no_throw("--" + setting.name);
  if (!option || setting.name == "config" || setting.name == "help")
    refuse_setting(command, setting);
  if (!takes_value(*option)) {
    if (setting.values != std::vector<std::string>{"true"} &&
        setting.values != std::vector<std::string>{"false"})
      throw Error(setting.where + ": " + setting.name + " is true or false");
    if (setting.values[0] == "true") words.push_back("--" + setting.name);
    return;
  }
  for (const std::string& value : setting.values)
    words.push_back("--" + setting.name + "=" + value);
}

/// Takes `--config FILE` out of the words and returns FILE; nothing where it is not there.
std::string take_config(std::vector<std::string>& words) {
  for (std::size_t k = 2; k < words.size(); ++k) {
    const bool joined = words[k].starts_with("--config=");
    if (!joined && words[k] != "--config") continue;
    if (!joined && k + 1 >= words.size()) throw Error("--config: name a file of settings");
    const std::string file = joined ? words[k].substr(9) : words[k + 1];
    words.erase(words.begin() + std::ptrdiff_t(k), words.begin() + std::ptrdiff_t(k + 2 - joined));
    return file;
  }
  return {};
}

/// A number as it is, anything else in quotes.
std::string toml_text(const std::string& value) {
  if (to_double(value) && value.find_first_not_of("0123456789.-") == value.npos) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

void add_config(CLI::App& command) {
  command
      .add_option("--config", "Settings from a file, such as the settings.toml beside the results")
      ->type_name("FILE");
}

std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> words) {
  if (words.size() < 2) return words;
  const CLI::App* command = find_command(app, words[1]);
  if (!command || !command->get_option_no_throw("--config")) return words;
  const std::string file = take_config(words);
  if (file.empty()) return words;
  const std::vector<std::string> given = given_names(*command, words);
  const auto is_given = [&](const std::string& name) {
    return std::find(given.begin(), given.end(), name) != given.end();
  };
  for (const Setting& setting : read_settings(file)) {
    if (setting.name == "INPUT" && !is_given(""))
      words.insert(words.begin() + 2, setting.values.begin(), setting.values.end());
    else if (setting.name != "INPUT" && !is_given(setting.name))
      append_setting(*command, setting, words);
  }
  return words;
}

std::string settings_text(const CLI::App& command, const std::string& version) {
  std::string text = "# The settings of an analysis by spodnet " + version +
                     ". Again:\n#   spodnet " + command.get_name() +
                     " --config settings.toml -o FOLDER\n";
  for (const CLI::Option* option : command.get_options()) {
    const bool input = option->get_lnames().empty();
    const std::string name = input ? "INPUT" : option->get_lnames().front();
    if (option->count() == 0 ||
        std::find(kNoSettings.begin(), kNoSettings.end(), name) != kNoSettings.end())
      continue;
    if (!takes_value(*option)) {
      text += name + " = true\n";
      continue;
    }
    std::string values;
    for (const std::string& value : option->results())
      values += (values.empty() ? "" : ", ") + toml_text(value);
    text += name + " = " + (option->count() > 1 ? "[" + values + "]" : values) + "\n";
  }
  return text;
}

}  // namespace spodnet::cli
