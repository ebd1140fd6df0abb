// A program as JSON text, and back: docs/programs.md.
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/program/program.hpp"

namespace spodnet {
namespace {

using program::Op;
using Json = nlohmann::ordered_json;

constexpr const char* kProgramFormat = "spodnet-program";
constexpr int kProgramVersion = 1;
constexpr std::size_t kLongestProgram = std::size_t{1} << 26;

/// One JSON object: every key that is not read is an error.
class Fields {
 public:
  Fields(const Json& object) : object_(object) {
    if (!object.is_object()) throw Error("is not an object: write {...}");
  }

  const Json* find(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return nullptr;
    ++used_;
    return &*found;
  }
  const Json& need(const char* key) {
    if (const Json* found = find(key)) return *found;
    throw Error("has no '" + std::string(key) + "': write it");
  }
  void end() const {
    if (used_ != object_.size()) throw Error("has a key that means nothing: remove it");
  }

 private:
  const Json& object_;
  std::size_t used_ = 0;
};

long integer(const Json& json) {
  if (!json.is_number_integer()) throw Error("has something where an integer belongs");
  const auto value = json.get<std::int64_t>();
  if (value < -Program::kLargestSize || value > Program::kLargestSize)
    throw Error("has an integer beyond all bounds");
  return long(value);
}

double finite(const Json& json) {
  if (!json.is_number()) throw Error("has something where a number belongs");
  const double value = json.get<double>();
  if (!std::isfinite(value)) throw Error("has a number that is not finite");
  return value;
}

std::string word(const Json& json) {
  if (!json.is_string()) throw Error("has something where a word belongs");
  return json.get<std::string>();
}

const Json& list(const Json& json, std::size_t most) {
  if (!json.is_array()) throw Error("has something where a list belongs");
  if (json.size() > most) throw Error("has a list of more than " + std::to_string(most));
  return json;
}

Size size_of(const Json& json) {
  if (!json.is_array()) return {integer(json)};
  if (json.size() != 4) throw Error("has a size that is neither an integer nor [a, b, c, d]");
  return {integer(json[0]), integer(json[1]), integer(json[2]), integer(json[3])};
}

ProgramNode node_of(const Json& json) {
  Fields fields(json);
  ProgramNode node;
  const std::string op = word(fields.need("op"));
  if (!op_from(op, node.op))
    throw Error("has no operation " + shown(op) + " (docs/programs.md lists them)");
  if (const Json* in = fields.find("in"))
    for (const Json& a : list(*in, Program::kMostOperands)) node.in.push_back(int(integer(a)));
  if (const Json* shape = fields.find("shape"))
    for (const Json& size : list(*shape, Program::kMostDims)) node.shape.push_back(size_of(size));
  if (const Json* dims = fields.find("dims"))
    for (const Json& k : list(*dims, Program::kMostDims)) node.dims.push_back(integer(k));
  if (const Json* dim = fields.find("dim")) node.dims = {integer(*dim)};
  if (const Json* begin = fields.find("begin")) node.begin = size_of(*begin);
  if (const Json* length = fields.find("length")) node.length = size_of(*length);
  if (const Json* step = fields.find("step")) node.step = integer(*step);
  if (const Json* name = fields.find("name")) node.name = word(*name);
  if (const Json* fixed = fields.find("fixed")) {
    if (!fixed->is_boolean()) throw Error("has a 'fixed' that is neither true nor false");
    node.fixed = fixed->get<bool>();
  }
  if (const Json* bound = fields.find("bound")) node.bound = finite(*bound);
  if (const Json* values = fields.find("values"))
    for (const Json& x : list(*values, std::size_t{1} << 24)) node.values.push_back(finite(x));
  if (const Json* value = fields.find("value")) {
    node.value = finite(*value);
    if (node.op == Op::weight) node.values = {node.value};
  }
  if (const Json* of = fields.find("size")) node.of = size_of(*of);
  if (const Json* over = fields.find("over")) node.over = size_of(*over);
  fields.end();
  return node;
}

Program program_of(const Json& json) {
  Fields fields(json);
  if (word(fields.need("format")) != kProgramFormat)
    throw Error("'format' is not " + std::string(kProgramFormat));
  if (const long version = integer(fields.need("version")); version != kProgramVersion)
    throw Error("written by a newer version (" + std::to_string(version) + ", this program reads " +
                std::to_string(kProgramVersion) + "): update spodnet");
  long p = 0;
  if (const Json* fixed = fields.find("p")) p = integer(*fixed);
  if (p < 0 || p > 100'000) throw Error("'p' is a number of variables from 1 to 100000");
  Program program{std::size_t(p)};
  for (const Json& node : list(fields.need("nodes"), Program::kMostNodes)) {
    ProgramNode read;
    try {
      read = node_of(node);
    } catch (const Error& error) {
      throw Error("node " + std::to_string(program.nodes().size()) + " " + error.what());
    }
    program.add(std::move(read));
  }
  const Json* threshold = fields.find("threshold");
  program.finish(int(integer(fields.need("f"))),
                 threshold && !threshold->is_null() ? int(integer(*threshold)) : -1,
                 int(integer(fields.need("g"))));
  fields.end();
  return program;
}

Json json_of(const Size& size) {
  if (!size.grows()) return size.a;
  return Json::array({size.a, size.b, size.c, size.d});
}

Json json_of(const ProgramNode& node) {
  Json out;
  out["op"] = name_of(node.op);
  if (!node.in.empty()) out["in"] = node.in;
  const bool context = node.op == Op::in && node.name.starts_with("context");
  if (node.op == Op::weight || node.op == Op::view || node.op == Op::expand || context) {
    out["shape"] = Json::array();
    for (const Size& size : node.shape) out["shape"].push_back(json_of(size));
  }
  if (node.op == Op::sum || node.op == Op::amax || node.op == Op::permute) out["dims"] = node.dims;
  const bool part = node.op == Op::slice || node.op == Op::pad;
  if (part || node.op == Op::cat || node.op == Op::unfold) out["dim"] = node.dims[0];
  if (part) out["begin"] = json_of(node.begin);
  if (part || node.op == Op::unfold) out["length"] = json_of(node.length);
  if (node.step != 1) out["step"] = node.step;
  if (!node.name.empty()) out["name"] = node.name;
  if (node.fixed) out["fixed"] = true;
  if (node.bound) out["bound"] = *node.bound;
  if (node.values.size() == 1) out["value"] = node.values[0];
  if (node.values.size() > 1) out["values"] = node.values;
  if (node.op == Op::constant && node.of)
    out["size"] = json_of(*node.of);
  else if (node.op == Op::constant && node.over)
    out["over"] = json_of(*node.over);
  else if (node.op == Op::constant)
    out["value"] = node.value;
  return out;
}

}  // namespace

Program Program::parse(const std::string& text, const std::string& source) {
  try {
    if (text.size() > kLongestProgram) throw Error("longer than 64 MB: not a program");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error("not JSON: save the program again");
    return program_of(json);
  } catch (const Error& error) {
    throw Error(source + ": " + error.what());
  }
}

std::string Program::text() const {
  Json out;
  out["format"] = kProgramFormat;
  out["version"] = kProgramVersion;
  if (p_ > 0) out["p"] = p_;
  out["nodes"] = Json::array();
  for (const ProgramNode& node : nodes_) out["nodes"].push_back(json_of(node));
  out["f"] = f_;
  if (threshold_ >= 0) out["threshold"] = threshold_;
  out["g"] = g_;
  return out.dump();
}

}  // namespace spodnet
