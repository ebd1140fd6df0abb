#include "spodnet/c/call.hpp"
#include "spodnet/c/handles.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/report/page_files.hpp"

namespace spodnet::c {
namespace {

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

/// The list of this name; one that is asked for the first time is made.
const std::vector<std::string>& list_of(spod_result& result, const std::string& name) {
  const auto found = result.texts.find(name);
  if (found != result.texts.end()) return found->second;
  const auto page = result.pages.find(name);
  if (page != result.pages.end()) return result.texts[name] = {page->second()};
  static const std::vector<std::string> none;
  return none;
}

}  // namespace

void put_names(spod_result& result) {
  result.texts["numbers"] = keys_of(result.numbers);
  result.texts["files"] = keys_of(result.pages);
  result.texts["texts"] = {};
  result.texts["texts"] = keys_of(result.texts);
}

void put_notes(spod_result& result, const std::vector<AnswerNote>& notes) {
  for (const char* list : {"notes", "warnings"})
    for (const char* part : {"", ".advice", ".value"}) result.texts[std::string(list) + part];
  for (const AnswerNote& note : notes) {
    const std::string list = note.kind == AnswerNote::Kind::warning ? "warnings" : "notes";
    result.texts[list].push_back(note.text);
    result.texts[list + ".advice"].emplace_back(advice_word(note.advice));
    result.texts[list + ".value"].push_back(note.value);
  }
}

std::vector<AnswerNote> notes_of(const Prepared& data) {
  std::vector<AnswerNote> notes;
  for (const DataNote& note : data.notes)
    notes.push_back({note.warning ? AnswerNote::Kind::warning : AnswerNote::Kind::done, note.text,
                     note.advice, note.value});
  return notes;
}

}  // namespace spodnet::c

using namespace spodnet;

extern "C" {

int spod_interface(void) { return SPOD_INTERFACE; }

const char* spod_version(void) {
  static const std::string version(library_version());
  return version.c_str();
}

const char* spod_error(void) { return c::last_error(); }

const char* spod_error_advice(void) { return c::last_advice(); }

const double* spod_numbers(const spod_result* result, const char* name, size_t* rows,
                           size_t* columns) {
  if (!result || !name) return nullptr;
  const auto found = result->numbers.find(name);
  const bool there = found != result->numbers.end();
  if (rows) *rows = there ? std::size_t(found->second.rows()) : 0;
  if (columns) *columns = there ? std::size_t(found->second.cols()) : 0;
  static const double nothing = 0;  // an empty matrix has no address
  return !there ? nullptr : found->second.size() == 0 ? &nothing : found->second.data();
}

const char* spod_text(spod_result* result, const char* name, size_t index) {
  if (!result || !name) return nullptr;
  const char* text = nullptr;
  c::guarded("spod_text", [&] {
    const std::vector<std::string>& list = c::list_of(*result, name);
    text = index < list.size() ? list[index].c_str() : nullptr;
    return SPOD_OK;
  });
  return text;
}

int spod_write(const spod_result* result, const char* folder) {
  return c::guarded("spod_write", [&] {
    if (!result || !folder) throw Error("spod_write: a result and a folder are needed");
    if (!result->write) throw Error("spod_write: this result has no files");
    result->write(folder);
    return SPOD_OK;
  });
}

int spod_model(const char* file, spod_result** result) {
  return c::guarded("spod_model", [&] {
    if (!file || !result) throw Error("spod_model: a file and a place for the result are needed");
    const std::unique_ptr<Model> model = load_model(file, builtin_models());
    auto made = std::make_unique<spod_result>();
    const ModelConfig& config = model->config();
    made->texts["model"] = {config.model};
    for (const auto& [key, value] : config.info) {
      made->texts["keys"].push_back(key);
      made->texts["values"].push_back(value);
    }
    c::put(*made, "variables", double(config.p));
    c::put(*made, "layers", double(config.layers));
    c::put_names(*made);
    *result = made.release();
    return SPOD_OK;
  });
}

void spod_free_data(spod_data* data) { delete data; }
void spod_free_result(spod_result* result) { delete result; }

}  // extern "C"
