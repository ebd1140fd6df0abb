#include "spodnet/io/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "spodnet/io/message.hpp"
#include "spodnet/io/raw_numbers.hpp"

namespace spodnet {
namespace {

using Json = nlohmann::json;

constexpr const char* kHeaderRemedy = "the file is damaged or not safetensors, export it again";

/// Receives the header's JSON event by event, so that nothing outside the format's three levels
/// (file, tensor, list of numbers) is ever stored. `false` stops the parser; `cause` says why.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  TensorFileHeader header;
  std::string cause;

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is no integer");
  }
  bool binary(binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (list_ == nullptr) return unexpected("a number");
    list_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (level_ == Level::metadata) {
      header.metadata[field_] = value;
    } else if (level_ == Level::tensor && list_ == nullptr && field_ == "dtype") {
      tensor_->dtype = value;
    } else {
      return unexpected("a string");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (level_ == Level::outside) {
      level_ = Level::file;
    } else if (level_ == Level::file) {
      level_ = tensor_ == nullptr ? Level::metadata : Level::tensor;
    } else {
      return unexpected("an object");
    }
    return true;
  }

  bool key(string_t& name) override {
    if (level_ == Level::file) return start_entry(name);
    field_ = name;
    if (!fields_.insert(name).second) return fail("has " + shown(name) + " twice");
    if (level_ == Level::tensor && name != "dtype" && name != "shape" && name != "data_offsets")
      return fail("has an unknown field " + shown(name));
    return true;
  }

  bool end_object() override {
    if (level_ == Level::tensor && (fields_.size() != 3 || offsets_.size() != 2))
      return fail("needs a dtype, a shape and two data_offsets");
    if (level_ == Level::tensor)
      std::tie(tensor_->begin, tensor_->end) = std::pair(offsets_[0], offsets_[1]);
    level_ = level_ == Level::file ? Level::outside : Level::file;
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::tensor || list_ != nullptr || field_ == "dtype")
      return unexpected("a list");
    list_ = field_ == "shape" ? &tensor_->shape : &offsets_;
    return true;
  }

  bool end_array() override {
    list_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    cause = fmt::format("the header is not valid JSON at its byte {}", position);
    return false;
  }

 private:
  enum class Level { outside, file, metadata, tensor };

  bool start_entry(const std::string& name) {
    entry_ = name;
    fields_.clear();
    offsets_.clear();
    const bool is_metadata = name == "__metadata__";
    if (is_metadata ? std::exchange(has_metadata_, true) : header.tensors.contains(name))
      return fail("appears twice in the header");
    tensor_ = is_metadata ? nullptr : &header.tensors[name];
    return true;
  }

  bool unexpected(const std::string& what) {
    if (level_ == Level::outside) {
      cause = "the header is " + what + ", not an object";
      return false;
    }
    return fail("has " + what + " where the format has none");
  }

  bool fail(const std::string& fact) {
    cause = (tensor_ == nullptr ? "" : "tensor ") + shown(entry_) + " " + fact;
    return false;
  }

  Level level_ = Level::outside;
  std::string entry_, field_;     // the entry of the file and its field being read
  std::set<std::string> fields_;  // fields of the entry so far
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t>* list_ = nullptr;  // the array being read
  TensorInfo* tensor_ = nullptr;              // null inside __metadata__
  bool has_metadata_ = false;
};

/// What is wrong with one tensor, empty when nothing is.
std::string tensor_fault(const TensorInfo& tensor, std::size_t data_size) {
  if (dtype_size(tensor.dtype) == 0) return "has an unknown dtype " + shown(tensor.dtype, 20);
  std::size_t bytes = 0;
  if (!checked_product(tensor.shape, dtype_size(tensor.dtype), bytes))
    return "has a shape too large for any file";
  if (tensor.begin > tensor.end)
    return fmt::format("has data_offsets that run backwards ({} to {})", tensor.begin, tensor.end);
  if (tensor.end > data_size)
    return fmt::format("ends at byte {} of the data, but the file holds {}", tensor.end, data_size);
  if (bytes != tensor.end - tensor.begin)
    return fmt::format("has {} bytes of data where its shape needs {}", tensor.end - tensor.begin,
                       bytes);
  return "";
}

void check_cover(const TensorFileHeader& header, std::size_t data_size, const std::string& name) {
  using Entry = std::pair<std::pair<std::size_t, std::size_t>, const std::string*>;
  std::vector<Entry> order;
  for (const auto& [key, tensor] : header.tensors)
    order.push_back({{tensor.begin, tensor.end}, &key});
  std::sort(order.begin(), order.end(),
            [](const Entry& a, const Entry& b) { return a.first < b.first; });
  std::size_t covered = 0;
  for (const auto& [range, key] : order) {
    if (range.first != covered)
      throw io_error(
          name,
          fmt::format("tensor {} {} byte {} of the data", shown(*key),
                      range.first < covered ? "overlaps another before" : "leaves a gap behind",
                      covered),
          kHeaderRemedy);
    covered = range.second;
  }
  if (covered != data_size)
    throw io_error(name, fmt::format("{} bytes follow the last tensor", data_size - covered),
                   kHeaderRemedy);
}

}  // namespace

std::size_t dtype_size(std::string_view dtype) {
  static const std::map<std::string_view, std::size_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
      {"U32", 4},  {"F32", 4}, {"I64", 8}, {"U64", 8},     {"F64", 8}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

TensorFileHeader parse_tensor_header(std::string_view text, std::size_t data_size,
                                     const std::string& name) {
  HeaderReader reader;
  if (!Json::sax_parse(text.begin(), text.end(), &reader))
    throw io_error(name, reader.cause, kHeaderRemedy);
  for (const auto& [key, tensor] : reader.header.tensors)
    if (const std::string fault = tensor_fault(tensor, data_size); !fault.empty())
      throw io_error(name, "tensor " + shown(key) + " " + fault, kHeaderRemedy);
  check_cover(reader.header, data_size, name);
  return std::move(reader.header);
}

}  // namespace spodnet
