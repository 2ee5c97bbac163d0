# What rules/knowledge/ says becomes C++ when the program is built: headers of typed constants, which
# every layer from `model` up may include as "knowledge/….h", and the rows as data.

# profgauge_host_program(name): a program that the build runs. Built for another processor, it is that
# of a build for this one, below host/.
function(profgauge_host_program name)
  cmake_parse_arguments(H "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT CMAKE_CROSSCOMPILING)
    add_executable(${name} ${H_SOURCES})
    target_link_libraries(${name} PRIVATE profgauge_options ${H_LIBRARIES})
    if(PROFGAUGE_FUZZ)
      # No fuzz target, but its libraries count coverage: by a runtime that libFuzzer brings there.
      target_link_options(${name} PRIVATE -fsanitize=undefined)
    endif()
    return()
  endif()
  include(ExternalProject)
  set(host ${CMAKE_CURRENT_BINARY_DIR}/host)
  ExternalProject_Add(host_${name}
    SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}
    BINARY_DIR ${host}
    PREFIX ${host}
    CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release
    BUILD_COMMAND ${CMAKE_COMMAND} --build ${host} --target ${name}
    BUILD_ALWAYS YES
    INSTALL_COMMAND ""
    BUILD_BYPRODUCTS ${host}/${name})
  if(PROFGAUGE_LAST_HOST_PROGRAM)  # They share the folder.
    add_dependencies(host_${name} ${PROFGAUGE_LAST_HOST_PROGRAM})
  endif()
  set(PROFGAUGE_LAST_HOST_PROGRAM host_${name} PARENT_SCOPE)
  add_executable(${name} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${host}/${name})
  add_dependencies(${name} host_${name})
endfunction()

file(GLOB generator CONFIGURE_DEPENDS src/knowledge/generator/*.cc)
profgauge_host_program(profgauge_make_knowledge SOURCES ${generator} LIBRARIES uses_yaml)

# Which headers there will be is read here, so that what includes one is compiled after it is written.
profgauge_take(knowledge_files rules/knowledge *.yaml)
set(knowledge_folder ${CMAKE_CURRENT_SOURCE_DIR}/rules/knowledge)
set(thresholds ${knowledge_folder}/thresholds.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${thresholds})
file(STRINGS ${thresholds} sections REGEX "^  - id: [a-z0-9_]+[.]")
list(TRANSFORM sections REPLACE "^  - id: ([a-z0-9_]+)[.].*" "\\1")
list(REMOVE_DUPLICATES sections)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(knowledge_headers ${sections} tunable)
list(TRANSFORM knowledge_headers PREPEND ${generated}/knowledge/)
list(TRANSFORM knowledge_headers APPEND .h)
set(knowledge_tables kernels communication collectives library_files code_loaders device_operators
  device_backends vendors peaks links words
  host_work steps witnesses workload_signs markers foreign times_forms tiles head_sizes public_roots
  public_words)
list(TRANSFORM knowledge_tables REPLACE "(.+)" "${generated}/knowledge/\\1.inc")

# A header whose last row is gone would go on compiling where the program was built before.
file(GLOB stale ${generated}/knowledge/*.h ${generated}/knowledge/*.inc)
list(REMOVE_ITEM stale ${knowledge_headers} ${knowledge_tables})
if(stale)
  file(REMOVE ${stale})
endif()

# A header that stays the same is not written, and nothing that includes it is compiled again.
add_custom_command(OUTPUT ${generated}/knowledge.stamp
  BYPRODUCTS ${knowledge_headers} ${knowledge_tables} ${generated}/knowledge/thresholds.cc
  COMMAND profgauge_make_knowledge ${knowledge_folder} ${generated}/knowledge
  COMMAND ${CMAKE_COMMAND} -E touch ${generated}/knowledge.stamp
  DEPENDS profgauge_make_knowledge ${knowledge_files}
  VERBATIM)
add_custom_target(profgauge_knowledge_headers DEPENDS ${generated}/knowledge.stamp)
add_library(profgauge_knowledge STATIC ${generated}/knowledge/thresholds.cc)
target_link_libraries(profgauge_knowledge PUBLIC profgauge_options)
target_include_directories(profgauge_knowledge PUBLIC ${generated})
add_dependencies(profgauge_knowledge profgauge_knowledge_headers)

if(PROFGAUGE_TESTS AND NOT CMAKE_CROSSCOMPILING)
  find_program(PROFGAUGE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(PROFGAUGE_PYTHON NAMES python3)
  if(PROFGAUGE_PYTHON)
    add_test(NAME Delivery.knowledge COMMAND ${PROFGAUGE_PYTHON}
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/delivery/knowledge_test.py
      $<TARGET_FILE:profgauge_make_knowledge> ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
endif()
