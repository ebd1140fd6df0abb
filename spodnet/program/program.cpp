#include "spodnet/program/program.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {

using program::Op;

int Program::add(ProgramNode node) {
  const auto here = [&] {
    return "node " + std::to_string(nodes_.size()) + " (" + std::string(name_of(node.op)) + "): ";
  };
  if (nodes_.size() >= kMostNodes)
    throw Error("a program has at most " + std::to_string(kMostNodes) + " nodes: write less");
  for (const int a : node.in)
    if (a < 0 || std::size_t(a) >= nodes_.size())
      throw Error(here() + "reads node " + std::to_string(a) +
                  ", which is not before it: name earlier nodes");
  if (node.in.size() > kMostOperands)
    throw Error(here() + "reads more than " + std::to_string(kMostOperands) + " nodes: join some");
  const std::vector<Size> given = node.shape;
  try {
    infer(node);
    if (node.shape.size() > kMostDims)
      throw Error("has more than " + std::to_string(kMostDims) + " dims: use fewer");
  } catch (const Error& error) {
    throw Error(here() + error.what());
  }
  if (!given.empty() && given != node.shape)
    throw Error(here() + "its shape is not the one that its operands give: correct the shape");
  if (node.op == Op::in && (node.name == "theta" || node.name == "w" || node.name == "s"))
    full_width_ = true;
  nodes_.push_back(std::move(node));
  return int(nodes_.size()) - 1;
}

std::vector<int> Program::all(Op op) const {
  std::vector<int> out;
  for (std::size_t a = 0; a < nodes_.size(); ++a)
    if (nodes_[a].op == op) out.push_back(int(a));
  return out;
}

bool Program::reads(const std::string& name) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const ProgramNode& node) {
    return node.op == Op::in && node.name == name;
  });
}

bool Program::any_p() const {
  return p_ == 0 && std::none_of(nodes_.begin(), nodes_.end(), [](const ProgramNode& node) {
           return node.op == Op::weight && std::any_of(node.shape.begin(), node.shape.end(),
                                                       [](const Size& s) { return s.grows(); });
         });
}

std::vector<std::size_t> Program::weight_shape(int node, std::size_t p) const {
  std::vector<std::size_t> shape;
  for (const Size& size : nodes_[std::size_t(node)].shape)
    shape.push_back(std::size_t(std::max(0L, size.at(1, long(p)))));
  return shape;
}

std::vector<char> Program::behind(int answer) const {
  std::vector<char> read(nodes_.size(), 0);
  if (answer >= 0) read[std::size_t(answer)] = 1;
  for (std::size_t a = nodes_.size(); a-- > 0;)
    if (read[a])
      for (const int b : nodes_[a].in) read[std::size_t(b)] = 1;
  return read;
}

void Program::check_reads(int answer, const char* part,
                          const std::vector<std::string>& never) const {
  const std::vector<char> read = behind(answer);
  for (std::size_t a = 0; a < nodes_.size(); ++a)
    if (read[a] && nodes_[a].op == Op::in)
      for (const std::string& name : never)
        if (nodes_[a].name == name)
          throw Error(std::string(part) + " reads '" + name + "', which is not known to it yet");
}

void Program::finish(int f, int threshold, int g) {
  const auto answer = [&](int a, const char* part) -> const std::vector<Size>& {
    if (a < 0 || std::size_t(a) >= nodes_.size())
      throw Error("'" + std::string(part) + "' must name a node");
    return nodes_[std::size_t(a)].shape;
  };
  const Size B{0, 1}, one{1};
  const Size width = fixed(full_width_ ? Size{0, 0, 1} : Size{-1, 0, 1});
  const std::vector<Size> vector{B, width};
  if (answer(f, "f") != vector)
    throw Error("f's answer must have the shape [B, " + std::string(full_width_ ? "p" : "p - 1") +
                "] of the vectors it reads");
  if (threshold >= 0 && answer(threshold, "threshold") != vector)
    throw Error("threshold's answer must have the shape of f's");
  if (answer(g, "g") != std::vector<Size>{B, one} && answer(g, "g") != std::vector<Size>{B})
    throw Error("g's answer must have the shape [B, 1]");
  f_ = f, threshold_ = threshold, g_ = g;
  check_reads(f, "f", {"z", "q"});
  check_reads(threshold, "threshold", {"q"});
  check_reads(g, "g", {"z"});
  for (const char* compact : {"theta_12", "w_12", "s_12"})
    if (full_width_ && reads(compact))
      throw Error(
          "the program reads vectors of two widths: take theta_12, w_12, s_12 or theta, w, s");
}

program::Graph Program::at(std::size_t B, std::size_t p) const {
  if (p_ > 0 && p != p_)
    throw Error("the program was made for p = " + std::to_string(p_) +
                ", not for p = " + std::to_string(p));
  program::Graph graph;
  std::vector<int> place;  // equal nodes are one
  int leaf = 0;
  for (std::size_t a = 0; a < nodes_.size(); ++a) {
    const ProgramNode& from = nodes_[a];
    const auto wrong = [&](const std::string& what) {
      throw Error("node " + std::to_string(a) + " (" + std::string(name_of(from.op)) +
                  "): " + what + " at p = " + std::to_string(p));
    };
    program::Node node{.op = from.op, .value = from.value};
    for (const int b : from.in) node.in.push_back(place[std::size_t(b)]);
    double numbers = 1;
    for (const Size& size : from.shape) {
      const long n = size.at(long(B), long(p));
      if (n < 0 || n > kLargestSize) wrong("has a size of " + std::to_string(n));
      const bool of_column = p_ > 0 && (n == long(p) || n == long(p) - 1);
      node.shape.push_back({n, size.grows() || of_column});
      numbers *= double(n);
    }
    if (numbers > double(kMostNumbers)) wrong("holds too many numbers");
    const long begin = from.begin.at(long(B), long(p));
    node.attr = from.dims;
    const auto size_of_dim = [&](int b) { return graph.shape(b)[std::size_t(from.dims[0])].n; };
    if (from.op == Op::in || from.op == Op::weight) node.leaf = leaf++;
    if (from.op == Op::mm)  // leading dims broadcast
      for (int& b : node.in) {
        program::Shape whole(node.shape.begin(), node.shape.end() - 2);
        const program::Shape& own = graph.shape(b);
        whole.insert(whole.end(), own.end() - 2, own.end());
        b = graph.expand(b, whole);
      }
    if (from.of) node.value = double(from.of->at(long(B), long(p)));
    if (from.over) node.value = 1 / double(from.over->at(long(B), long(p)));
    if (from.op == Op::view &&
        program::count(node.shape) != program::count(graph.shape(node.in[0])))
      wrong("has other numbers than what it views");
    if (from.op == Op::slice || from.op == Op::pad) {
      const long whole =
          from.op == Op::slice ? size_of_dim(node.in[0]) : node.shape[std::size_t(from.dims[0])].n;
      const long part =
          from.op == Op::slice ? node.shape[std::size_t(from.dims[0])].n : size_of_dim(node.in[0]);
      if (begin < 0 || (part > 0 && begin + (part - 1) * from.step >= whole))
        wrong("reaches beyond its whole");
      node.attr = {from.dims[0], begin, from.step};
    }
    if (from.op == Op::unfold) {
      const long length = from.length.at(long(B), long(p)), whole = size_of_dim(node.in[0]);
      if (length < 1 || length > whole) wrong("has windows longer than the whole");
      node.attr = {from.dims[0], from.step};
    }
    place.push_back(graph.push(std::move(node)));
  }
  graph.places = std::move(place);
  return graph;
}

}  // namespace spodnet
