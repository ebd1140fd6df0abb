# Files as text inside the library: writes a C++ source that defines page_file, page_scripts and
# library_version (spodnet/report/page_files.hpp) from the files of a folder.
#   cmake -D FOLDER=.. -D OUTPUT=.. -D VERSION=.. -D "SCRIPTS=a.js,b.js" -P SpodnetEmbed.cmake
file(GLOB files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
set(table "")
foreach(name ${files})
  file(READ ${FOLDER}/${name} content)
  string(FIND "${content}" ")embedded\"" closes)
  if(NOT closes EQUAL -1)
    message(FATAL_ERROR "${name} holds the end of its own literal")
  endif()
  string(APPEND table "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(REPLACE "," ";" scripts "${SCRIPTS}")
set(order "")
foreach(name ${scripts})
  if(NOT EXISTS ${FOLDER}/${name})
    message(FATAL_ERROR "${FOLDER} has no ${name}")
  endif()
  string(APPEND order "\"${name}\", ")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/SpodnetEmbed.cmake from ${FOLDER}.
#include \"spodnet/report/page_files.hpp\"

namespace spodnet {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
${table}};
constexpr std::string_view kScripts[] = {${order}};

}  // namespace

std::string_view page_file(std::string_view name) {
  for (const auto& [key, text] : kFiles)
    if (key == name) return text;
  return {};
}

std::string page_scripts() {
  std::string all;
  for (const std::string_view name : kScripts) all += page_file(name);
  return all;
}

std::string_view library_version() { return \"${VERSION}\"; }

}  // namespace spodnet
")
