# What the layers are built with: one library for each folder of src/, files compiled in.

# profgauge_units(target source …)
# With PROFGAUGE_UNITS the sources of a folder are compiled as one, which takes less than half of the
# time: what its files keep to themselves has names that are unique in the folder. Others compile each
# file alone, so that it includes what it uses and warns of what is its own.
function(profgauge_units target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${PROFGAUGE_UNITS} UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Drawings share the names of their margins, scripts for shells those of their parts.
file(GLOB apart CONFIGURE_DEPENDS src/render/svg/*.cc src/cli/text/completion_*.cc)
set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# profgauge_take(var folder pattern …)
# The files below `folder` that fit, but for those that an earlier call took, or that are programs of
# their own: which file is in which target, folders say. A new one is found by the next build.
set_property(GLOBAL PROPERTY PROFGAUGE_TAKEN
  src/base/precompiled.cc src/cli/main.cc src/rules/embed_trees.cc)
function(profgauge_take var folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ARGN})
  get_property(taken GLOBAL PROPERTY PROFGAUGE_TAKEN)
  list(REMOVE_ITEM files ${taken})
  set_property(GLOBAL APPEND PROPERTY PROFGAUGE_TAKEN ${files})
  set(${var} ${files} PARENT_SCOPE)
endfunction()

# profgauge_settings(target few source …): how the sources of a layer are compiled.
function(profgauge_settings target few)
  profgauge_units(${target} ${ARGN})
  target_link_libraries(${target} PUBLIC profgauge_options)
  if(few)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  target_precompile_headers(${target} REUSE_FROM profgauge_precompiled)
endfunction()

# profgauge_layer(name [FEW] [FEW_IN folder …] [SOURCES a.cc …] [DEPENDS layer …] [LIBRARIES target …])
# One folder of src/, one static library: all of its files where none are listed. FEW: it handles
# findings and rows of tables, not millions of events, so that compiling it sooner counts for more;
# FEW_IN: these folders of it do. tests/unit/layers_test.cc holds the includes against the order of
# layers.
function(profgauge_layer name)
  cmake_parse_arguments(L "FEW" "" "FEW_IN;SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM L_DEPENDS PREPEND profgauge_)
  set(few "")
  if(L_FEW_IN)
    list(TRANSFORM L_FEW_IN APPEND /*.cc)
    profgauge_take(sources src/${name} ${L_FEW_IN})
    add_library(profgauge_${name}_few OBJECT ${sources})
    profgauge_settings(profgauge_${name}_few YES ${sources})
    target_link_libraries(profgauge_${name}_few PUBLIC ${L_DEPENDS} ${L_LIBRARIES})
    set(few $<TARGET_OBJECTS:profgauge_${name}_few>)
  endif()
  list(TRANSFORM L_SOURCES PREPEND src/)
  if(L_SOURCES)
    set_property(GLOBAL APPEND PROPERTY PROFGAUGE_TAKEN ${L_SOURCES})
  else()
    profgauge_take(L_SOURCES src/${name} *.cc)
  endif()
  add_library(profgauge_${name} STATIC ${L_SOURCES} ${few})
  profgauge_settings(profgauge_${name} ${L_FEW} ${L_SOURCES})
  target_link_libraries(profgauge_${name} PUBLIC ${L_DEPENDS} ${L_LIBRARIES})
endfunction()

# profgauge_embed(target FUNCTION Name FILES path …)
# Compiles files (paths from the source folder) into `target`, to be found by that path:
#   std::string_view profgauge::LAYER::Name(std::string_view path);       // empty when not there
#   std::span<const std::string_view> profgauge::LAYER::NamePaths();      // as listed
# A hand-written header of the layer declares the two. An edited file configures again.
function(profgauge_embed target)
  cmake_parse_arguments(E "" "FUNCTION" "FILES" ${ARGN})
  set(arrays "")
  set(entries "")
  set(paths "")
  set(index 0)
  foreach(path IN LISTS E_FILES)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/${path})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} hex HEX)
    file(SIZE ${file} size)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "const unsigned char kBytes${index}[] = {${bytes}0};\n")
    string(APPEND entries "  if (path == \"${path}\") return View(kBytes${index}, ${size});\n")
    string(APPEND paths "    \"${path}\",\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}_${E_FUNCTION}.cc)
  string(REPLACE "profgauge_" "profgauge::" space ${target})
  file(CONFIGURE OUTPUT ${generated} CONTENT "// Written by profgauge_embed() in src/layers.cmake.
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ${space} {
namespace {
${arrays}
std::string_view View(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}
constexpr std::array<std::string_view, ${index}> kPaths = {
${paths}};
}  // namespace

std::string_view ${E_FUNCTION}(std::string_view path);
std::span<const std::string_view> ${E_FUNCTION}Paths();

std::string_view ${E_FUNCTION}(std::string_view path) {
${entries}  return {};
}
std::span<const std::string_view> ${E_FUNCTION}Paths() { return kPaths; }
}  // namespace ${space}
" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
