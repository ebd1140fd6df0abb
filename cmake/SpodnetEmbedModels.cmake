# Model files as bytes inside the library: writes a C++ source that defines pretrained_file
# (spodnet/models/pretrained.hpp) from the .safetensors files of a folder.
#   cmake -D FOLDER=.. -D OUTPUT=.. -P SpodnetEmbedModels.cmake
file(GLOB files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*.safetensors)
set(arrays "")
set(table "")
set(number 0)
foreach(file ${files})
  file(READ ${FOLDER}/${file} content HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" content "${content}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," content "${content}")
  string(REPLACE ".safetensors" "" name ${file})
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${content}};\n")
  string(APPEND table "    {\"${name}\", kFile${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/SpodnetEmbedModels.cmake from ${FOLDER}.
#include <span>
#include <utility>

#include \"spodnet/models/pretrained.hpp\"

namespace spodnet {
namespace {

${arrays}
const std::pair<std::string_view, std::span<const unsigned char>> kFiles[] = {
${table}};

}  // namespace

std::span<const std::byte> pretrained_file(std::string_view name) {
  for (const auto& [key, bytes] : kFiles)
    if (key == name) return std::as_bytes(bytes);
  return {};
}

}  // namespace spodnet
")
