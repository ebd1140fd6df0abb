#include "spodnet/io/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      if (!keys_.insert(key).second) fail(shown(key, 20) + " appears twice");
      expect(':');
      value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (keys_.size() != 3) fail("one of descr, fortran_order and shape is missing");
    skip_blanks();
    if (at_ != text_.size()) fail("text follows the dictionary");
    return header;
  }

 private:
  void value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.descr = descr();
    } else if (key == "fortran_order") {
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = shape();
    } else {
      fail("unknown key " + shown(key, 20));
    }
  }

  std::string descr() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[')
      throw io_error(name_, "is a structured array", "save one plain array of numbers");
    return string();
  }

  std::string string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a quoted word is missing");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quote is never closed");
    const std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::size_t> shape() {
    std::vector<std::size_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  std::size_t integer() {
    skip_blanks();
    std::size_t number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (code != std::errc{}) fail("the shape holds something else than sizes");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote 3L
    return number;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' is missing", c));
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw io_error(name_,
                   fmt::format("the NPY header is ill-formed at its byte {}: {}", at_, cause),
                   "save the array again");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::set<std::string> keys_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  return HeaderParser(text, name).parse();
}

}  // namespace spodnet
