#include <cmath>
#include <memory>
#include <sstream>

#include "cli/output.hpp"

#include <CLI/CLI.hpp>
#include "cli/report.hpp"
#include "cli/session.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/program/program.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kInfoFooter =
    "Examples:\n"
    "  spodnet info ubg.safetensors\n"
    "  spodnet info measurements.csv --json\n"
    "  spodnet info --devices";

std::string kind_of(const TensorFileHeader& header) {
  const auto format = header.metadata.find("format");
  if (format != header.metadata.end()) {
    if (format->second.starts_with("spodnet-checkpoint")) return "checkpoint";
    if (format->second.starts_with("spodnet-")) return "model";
  }
  if (header.tensors.contains("S")) return "data set";
  if (header.tensors.contains("Theta")) return "estimates";
  return "tensors";
}

Json describe_tensors(const std::filesystem::path& path) {
  const TensorFileHeader header = read_safetensors_header(path);
  Json out = {{"file", path.string()}, {"kind", kind_of(header)}};
  out["metadata"] = Json::object();
  for (const auto& [key, value] : header.metadata) out["metadata"][key] = value;
  const auto is = [&](const std::string& key) {
    return key == "program" || key.starts_with("program.");
  };
  for (const auto& [key, value] : header.metadata)
    if (is(key)) out["formulas"][key] = Program::parse(value, path.string()).formulas();
  std::size_t values = 0;
  out["tensors"] = Json::object();
  for (const auto& [name, tensor] : header.tensors) {
    out["tensors"][name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}};
    std::size_t size = 1;
    for (const std::size_t extent : tensor.shape) size *= extent;
    values += size;
  }
  out["values"] = values;
  return out;
}

Json describe_table(const std::filesystem::path& path) {
  const Table table = read_table(path);
  std::size_t missing = 0;
  double low = INFINITY, high = -INFINITY;
  for (const double x : table.values.reshaped()) {
    missing += std::isnan(x);
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return {{"file", path.string()},
          {"kind", "table"},
          {"rows", table.values.rows()},
          {"columns", table.values.cols()},
          {"column_names", table.columns},
          {"row_names", table.rows.size()},
          {"missing", missing},
          {"smallest", number_json(low)},
          {"largest", number_json(high)}};
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_text(const Json& about) {
  print_line(text_of(about["file"]) + ": " + text_of(about["kind"]));
  std::vector<std::vector<std::string>> lines;
  for (const auto& [key, value] : about.items()) {
    if (key == "file" || key == "kind" || key == "formulas") continue;
    if (!value.is_object()) {
      lines.push_back({"  " + key + "  " + text_of(value)});
      continue;
    }
    lines.push_back({"  " + key});
    for (const auto& [name, entry] : value.items())
      if (name != "program" && !name.starts_with("program."))  // its formulas are shown instead
        lines.push_back(
            {"    " + name + "  " +
             (entry.is_object() ? text_of(entry["dtype"]) + " " + text_of(entry["shape"])
                                : text_of(entry))});
  }
  for (const auto& line : lines) print_line(line.front());
  if (!about.contains("formulas")) return;
  for (const auto& [name, text] : about["formulas"].items()) {
    const std::string layer = name == "program" ? "" : " of layer " + name.substr(8);  // program.0
    print_line("  the program" + layer + ", for column i (docs/programs.md)");
    std::istringstream formulas(text.get<std::string>());
    for (std::string line; std::getline(formulas, line);) print_line("    " + line);
  }
}

void print_devices(bool json) {
  Json all = Json::array();
  for (const Device& device : list_devices()) {
    all.push_back({{"device", device.name}, {"description", device.description}});
    if (!json) print_line(device.name + "  " + device.description);
  }
  if (json) print_json({{"devices", all}});
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  struct Options {
    std::filesystem::path file;
    bool json = false, devices = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("info", "Show what a file contains: model, data set, checkpoint or table");
  command->footer(kInfoFooter);
  command->add_option("FILE", options->file, "Any file this program reads or writes")
      ->type_name("FILE");
  command->add_flag("--devices", options->devices, "List what can compute: the CPU, and GPUs");
  add_json(*command, options->json);
  command->callback([options, &session] {
    session.exit_status = kDone;
    if (options->devices) return print_devices(options->json);
    if (options->file.empty()) throw CLI::RequiredError("FILE");
    const Json about = has_table_name(options->file) ? describe_table(options->file)
                                                     : describe_tensors(options->file);
    options->json ? print_json(about) : print_text(about);
  });
}

}  // namespace spodnet::cli
