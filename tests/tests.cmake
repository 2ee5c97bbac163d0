# Unit tests, fuzz targets, benchmarks, and the tests of the whole program.

# A folder for each case; a changed room is unpacked again.
if(PROFGAUGE_TESTS OR PROFGAUGE_FUZZ)
  set(PROFGAUGE_CASES ${CMAKE_CURRENT_BINARY_DIR}/cases)
  file(GLOB rooms CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/*.yaml)
  file(GLOB_RECURSE beside CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/files/* ${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/shared/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rooms} ${beside})
  execute_process(COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/tests/cases/cases.py unpack ${PROFGAUGE_CASES}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

if(PROFGAUGE_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_library(profgauge_precompiled_tests OBJECT src/base/precompiled.cc)
  target_link_libraries(profgauge_precompiled_tests PUBLIC
    profgauge_options GTest::gtest_main GTest::gmock)
  # What is tested is built as it ships; the tests themselves need not be fast.
  target_compile_options(profgauge_precompiled_tests PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(profgauge_precompiled_tests PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream> <map> <span> <sstream> <string> <vector>
    <boost/json.hpp> <boost/unordered/unordered_flat_map.hpp> <fmt/format.h> <tl/expected.hpp>)
  add_library(profgauge_own_folder OBJECT tests/support/own_folder.cc)
  target_link_libraries(profgauge_own_folder PRIVATE profgauge_options)
endif()

# profgauge_test(name [SOURCES a_test.cc …] [DEPENDS layer …] [LIBRARIES target …])
# One test program: of all files in tests/unit/<name> that no other has, where none are listed.
function(profgauge_test name)
  if(NOT PROFGAUGE_TESTS)
    return()
  endif()
  cmake_parse_arguments(T "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM T_SOURCES PREPEND tests/)
  if(T_SOURCES)
    set_property(GLOBAL APPEND PROPERTY PROFGAUGE_TAKEN ${T_SOURCES})
  else()
    profgauge_take(T_SOURCES tests/unit/${name} *.cc)
  endif()
  add_executable(${name}_test ${T_SOURCES})
  profgauge_units(${name}_test ${T_SOURCES})
  list(TRANSFORM T_DEPENDS PREPEND profgauge_)
  target_link_libraries(${name}_test PRIVATE
    ${T_DEPENDS} ${T_LIBRARIES} profgauge_own_folder GTest::gtest_main GTest::gmock)
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${name}_test REUSE_FROM profgauge_precompiled_tests)
  target_compile_definitions(${name}_test PRIVATE
    PROFGAUGE_CASES_DIR="${PROFGAUGE_CASES}"
    PROFGAUGE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
    PROFGAUGE_SHARED_DIR="${CMAKE_CURRENT_SOURCE_DIR}/../shared")
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST)
endfunction()

profgauge_test(base DEPENDS base)
profgauge_test(traits DEPENDS analysis readers)
profgauge_test(exports DEPENDS exports readers)

# The replay of what waits for what, on small profiles and on every recording at hand.
profgauge_test(path
  SOURCES
    unit/analysis/path_graph_test.cc
    unit/analysis/cpu_activity_test.cc
    unit/analysis/critical_path_test.cc
    unit/analysis/path_identity_test.cc
    unit/analysis/path_joint_test.cc
    unit/analysis/path_replay_test.cc
  DEPENDS analysis readers)

# Who is late, why, and what it costs, on made runs of many ranks with known truth.
profgauge_test(many_ranks
  SOURCES
    unit/analysis/many_ranks_test.cc
    unit/analysis/rank_tables_test.cc
    unit/analysis/refused_summaries_test.cc
    unit/analysis/summary_test.cc
    unit/analysis/thousand_ranks_test.cc
    tools/ranks/simulate.cc
    tools/ranks/write_kineto.cc
  DEPENDS analysis readers)

# Held against other tools' numbers on real traces, where those are at hand.
profgauge_test(analysis_oracle
  SOURCES
    unit/analysis/accelerators_oracle_test.cc
    unit/analysis/device_hta_test.cc
    unit/analysis/device_plugin_test.cc
    unit/analysis/neuron_oracle_test.cc
    unit/analysis/pooling_test.cc
    unit/analysis/shared_numbers_test.cc
  DEPENDS analysis readers)

profgauge_test(analysis DEPENDS analysis readers)

# Predictions, held against recordings that make_profile writes.
profgauge_test(what_if
  SOURCES unit/rules/what_if_test.cc
  DEPENDS rules readers)
if(PROFGAUGE_TESTS)
  add_dependencies(what_if_test make_profile)
  target_compile_definitions(what_if_test PRIVATE PROFGAUGE_MAKE_PROFILE="$<TARGET_FILE:make_profile>")
endif()
profgauge_test(straggler
  SOURCES
    unit/api/straggler_test.cc
    tools/ranks/simulate.cc
    tools/ranks/write_kineto.cc
  DEPENDS rules readers)
profgauge_test(rules DEPENDS rules readers)
profgauge_test(expr DEPENDS expr)
profgauge_test(gate DEPENDS gate readers)

# What fuzz targets share: mutators that know a grammar, and databases of text.
if(PROFGAUGE_FUZZ OR PROFGAUGE_TESTS)
  add_library(fuzz_support STATIC
    tests/fuzz/support/json_mutator.cc
    tests/fuzz/support/line_mutator.cc
    tests/fuzz/support/table_text.cc
    tests/fuzz/support/wire_mutator.cc)
  target_include_directories(fuzz_support PUBLIC tests/fuzz)
  target_link_libraries(fuzz_support PUBLIC profgauge_base)
  add_library(fuzz_run_check STATIC tests/fuzz/support/run_check.cc)
  target_link_libraries(fuzz_run_check PUBLIC fuzz_support profgauge_api profgauge_exports)
endif()
if(PROFGAUGE_TESTS AND NOT PROFGAUGE_FUZZ)
  add_library(fuzz_replay OBJECT tests/fuzz/replay_main.cc)
  target_link_libraries(fuzz_replay PUBLIC fuzz_support)
endif()

# base/read_block.h, in every file that includes it.
if(PROFGAUGE_FUZZ)
  set_source_files_properties(
    src/readers/database/sqlite_table.cc
    src/readers/kineto/document.cc src/readers/kineto/document.cc
    src/readers/kineto/kineto_reader.cc src/readers/kineto/pftrace/packets.cc
    src/readers/kineto/kineto_reader.cc src/readers/kineto/mend.cc
    src/readers/text/csv_rows.cc src/readers/text/json_rows.cc
    src/readers/xla/xla_reader.cc
    PROPERTIES COMPILE_DEFINITIONS PROFGAUGE_SMALL_BLOCKS SKIP_PRECOMPILE_HEADERS ON)
endif()

# profgauge_fuzz(name DEPENDS layer … [LIBRARIES target …] [CASES area …] [MUTANTS n]
#                [WORDS folder …] [PLAIN_TABLES]):
# tests/fuzz/<name>_fuzz.cc. With PROFGAUGE_FUZZ a libFuzzer program; otherwise a test that replays
# tests/fuzz/{seeds,crashes}/<name>_fuzz, the inputs of the cases of <area>, and some mutants of each.
# WORDS: folders of src/ whose texts in quotes are the dictionary of a campaign. PLAIN_TABLES: libFuzzer's program has tables without SQLite (tests/fuzz/support/plain_tables.h).
function(profgauge_fuzz name)
  cmake_parse_arguments(F "PLAIN_TABLES" "MUTANTS" "DEPENDS;LIBRARIES;CASES;WORDS" ${ARGN})
  if(NOT PROFGAUGE_FUZZ AND NOT PROFGAUGE_TESTS)
    return()
  endif()
  list(TRANSFORM F_DEPENDS PREPEND profgauge_)
  add_executable(${name}_fuzz tests/fuzz/${name}_fuzz.cc)
  target_link_libraries(${name}_fuzz PRIVATE ${F_DEPENDS} ${F_LIBRARIES} fuzz_support)
  if(NOT DEFINED F_MUTANTS)
    set(F_MUTANTS 100)
  endif()
  list(TRANSFORM F_CASES PREPEND ${PROFGAUGE_CASES}/)
  set(folders tests/fuzz/seeds/${name}_fuzz tests/fuzz/crashes/${name}_fuzz)
  if(PROFGAUGE_FUZZ)
    target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(${name}_fuzz PRIVATE PROFGAUGE_FUZZ_SAMPLES)
    if(F_PLAIN_TABLES)
      target_sources(${name}_fuzz PRIVATE tests/fuzz/support/plain_tables.cc)
      target_compile_definitions(${name}_fuzz PRIVATE PROFGAUGE_PLAIN_TABLES)
    endif()
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    string(REPLACE ";" "\n" lines "${folders};${F_CASES}")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}_fuzz.folders "${lines}\n")  # For ci/fuzz.sh.
    list(TRANSFORM F_WORDS PREPEND src/)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}_fuzz.words "${F_WORDS}")
  else()
    list(TRANSFORM folders PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_link_libraries(${name}_fuzz PRIVATE fuzz_replay)
    add_test(NAME Fuzz.${name} COMMAND ${name}_fuzz --mutants ${F_MUTANTS} ${folders} ${F_CASES})
  endif()
endfunction()

profgauge_fuzz(accelerators DEPENDS readers CASES ascend rocprofv3 xla
  WORDS readers/ascend readers/rocprofv3 readers/xla)
profgauge_fuzz(baseline DEPENDS report)
profgauge_fuzz(command_line DEPENDS cli)
profgauge_fuzz(database DEPENDS readers PLAIN_TABLES
  WORDS readers/dlprof readers/nsight_systems readers/nvprof)
profgauge_fuzz(dlprof_report DEPENDS readers WORDS readers/dlprof)
profgauge_fuzz(expr DEPENDS expr)
profgauge_fuzz(file_kind DEPENDS cli)
profgauge_fuzz(gzip DEPENDS base)
profgauge_fuzz(history DEPENDS gate)
profgauge_fuzz(judge DEPENDS gate readers)
profgauge_fuzz(kineto DEPENDS readers CASES kineto WORDS readers/kineto)
profgauge_fuzz(kineto_layouts DEPENDS readers)
profgauge_fuzz(marks DEPENDS cli)
profgauge_fuzz(neuron DEPENDS readers CASES neuron WORDS readers/neuron)
profgauge_fuzz(page_rows DEPENDS readers)
profgauge_fuzz(parquet DEPENDS readers)
profgauge_fuzz(pftrace DEPENDS readers WORDS readers/kineto)
profgauge_fuzz(python_literal DEPENDS readers)
profgauge_fuzz(query DEPENDS query)
profgauge_fuzz(report DEPENDS render MUTANTS 20)
profgauge_fuzz(rocpd DEPENDS readers PLAIN_TABLES WORDS readers/rocprofv3)
profgauge_fuzz(rule_tests DEPENDS rules MUTANTS 20 WORDS rules)
file(GLOB formats CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/src/readers src/readers/*)
list(FILTER formats EXCLUDE REGEX "[.]")  # Folders are left. What has no cases is passed over.
profgauge_fuzz(run DEPENDS api LIBRARIES fuzz_run_check MUTANTS 2 CASES ${formats} WORDS readers)
profgauge_fuzz(run_side DEPENDS readers WORDS readers/run_side)
profgauge_fuzz(times DEPENDS readers WORDS readers/run_side)
profgauge_fuzz(summary DEPENDS analysis readers report WORDS model/summary)
profgauge_fuzz(xplane DEPENDS readers WORDS readers/xla)
profgauge_fuzz(yaml DEPENDS rules WORDS rules)

if(PROFGAUGE_TESTS)
  # Random comparisons, by the gate and by a second implementation.
  add_executable(gate_judge tests/tools/gate_judge.cc)
  target_link_libraries(gate_judge PRIVATE profgauge_gate)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    add_test(NAME GateProcedure COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/tools/gate_procedure.py check $<TARGET_FILE:gate_judge>)
    # Rates of wrong answers over seventeen noises; src/gate/README.md has the long table.
    add_test(NAME GateCampaign COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/tools/gate_campaign.py check $<TARGET_FILE:gate_judge>)
  endif()
endif()
# What the readers' own scanners of JSON are worth, for ci/bench.sh.
add_executable(json_scanners_bench EXCLUDE_FROM_ALL tests/bench/json_scanners.cc)
target_link_libraries(json_scanners_bench PRIVATE profgauge_readers)
if(PROFGAUGE_BENCH)
  find_package(benchmark REQUIRED)
  add_executable(eval_rules_bench tests/bench/eval_rules.cc)
  target_link_libraries(eval_rules_bench PRIVATE profgauge_rules benchmark::benchmark)
  add_executable(analyze_bench tests/bench/analyze.cc)
  target_link_libraries(analyze_bench PRIVATE profgauge_analysis profgauge_readers)
endif()
profgauge_test(report DEPENDS report render)
profgauge_test(render DEPENDS render LIBRARIES PkgConfig::RE2 ZLIB::ZLIB)
# The page in a browser; skipped where Debian's chromium and chromium-driver are not installed.
if(PROFGAUGE_TESTS)
  add_executable(sample_pages tests/browser/sample_pages.cc)
  target_include_directories(sample_pages PRIVATE tests)
  target_link_libraries(sample_pages PRIVATE profgauge_render)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    add_test(NAME Browser COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/browser/browser_test.py $<TARGET_FILE:sample_pages>
      $<TARGET_FILE:profgauge> ${CMAKE_CURRENT_SOURCE_DIR}/examples)
    # The workbook in a spreadsheet; skipped where LibreOffice is not installed.
    add_test(NAME Workbook COMMAND ${Python3_EXECUTABLE}
      ${CMAKE_CURRENT_SOURCE_DIR}/tests/workbook/workbook_test.py $<TARGET_FILE:profgauge>
      ${CMAKE_CURRENT_SOURCE_DIR}/examples)
    set_tests_properties(Browser Workbook PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endif()
# How the program reaches people: help, completions and so on, tried as people do. Each test names
# what is not installed when it is skipped. Debian's Python has Debian's modules.
if(PROFGAUGE_TESTS)
  find_program(PROFGAUGE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(PROFGAUGE_PYTHON NAMES python3)
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/tests/delivery
    ${CMAKE_CURRENT_SOURCE_DIR}/tests/delivery/*_test.py)
  list(REMOVE_ITEM tests knowledge_test.py)  # src/knowledge/knowledge.cmake gives it the generator.
  foreach(test IN LISTS tests)
    string(REPLACE "_test.py" "" name ${test})
    if(PROFGAUGE_PYTHON)
      add_test(NAME Delivery.${name} COMMAND ${PROFGAUGE_PYTHON}
        ${CMAKE_CURRENT_SOURCE_DIR}/tests/delivery/${name}_test.py $<TARGET_FILE:profgauge>
        ${CMAKE_CURRENT_SOURCE_DIR})
      set_tests_properties(Delivery.${name} PROPERTIES SKIP_RETURN_CODE 77)
      if(PROFGAUGE_SANITIZE)
        set_tests_properties(Delivery.${name} PROPERTIES ENVIRONMENT PROFGAUGE_SANITIZED=1)
      endif()
    endif()
  endforeach()
  # Thousands of files, judged by one process.
  add_executable(decode_many tests/tools/decode_many.cc)
  target_link_libraries(decode_many PRIVATE profgauge_cli)
endif()
profgauge_test(readers DEPENDS readers)
profgauge_test(model DEPENDS model)
profgauge_test(cli DEPENDS cli)
profgauge_test(query DEPENDS query readers exports)
profgauge_test(api DEPENDS api)
if(PROFGAUGE_TESTS)
  # Recordings, changed: for relations between what is recorded and what is answered.
  add_library(edited_recordings STATIC
    tests/support/drawn_recording.cc
    tests/support/judged.cc
    tests/support/recording_edit.cc
    tests/support/recording_edit_json.cc
    tests/support/recording_edit_tables.cc
    tests/support/recording_edit_wire.cc
    tests/support/recording_files.cc)
  target_include_directories(edited_recordings PUBLIC tests)
  target_compile_definitions(edited_recordings PRIVATE
    PROFGAUGE_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
    PROFGAUGE_SHARED_DIR="${CMAKE_CURRENT_SOURCE_DIR}/../shared")
  target_link_libraries(edited_recordings PUBLIC profgauge_api uses_sqlite uses_zlib)
  target_link_libraries(api_test PRIVATE edited_recordings)
endif()
# Calls that fail: loaded into the program by tests/faults/faults_test.py.
if(PROFGAUGE_TESTS)
  add_library(profgauge_faults SHARED tests/faults/faults.cc)
  target_compile_features(profgauge_faults PRIVATE cxx_std_20)
  target_link_libraries(profgauge_faults PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME AtOnce COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/faults/concurrency_test.py
    $<TARGET_FILE:profgauge>)
  if(NOT PROFGAUGE_SANITIZE)  # Sanitizers have an operator new of their own.
    add_test(NAME Faults COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/faults/faults_test.py
      $<TARGET_FILE:profgauge> $<TARGET_FILE:profgauge_faults>)
    set_tests_properties(Faults PROPERTIES TIMEOUT 900)
  endif()
endif()
profgauge_test(slugs SOURCES unit/slugs_test.cc DEPENDS base)
profgauge_test(layers SOURCES unit/layers_test.cc DEPENDS base)

# One test per case of tests/cases: the program's whole behaviour, as a user sees it.
if(PROFGAUGE_TESTS)
  add_executable(cases_test
    tests/case_runner/case.cc
    tests/case_runner/invariants.cc
    tests/case_runner/main.cc
    tests/case_runner/process.cc
    tests/case_runner/subset.cc
    tests/case_runner/zip.cc)
  target_link_libraries(cases_test PRIVATE
    profgauge_options Boost::json SQLite::SQLite3 ZLIB::ZLIB GTest::gtest)
  target_compile_definitions(cases_test PRIVATE
    PROFGAUGE_CASES_DIR="${PROFGAUGE_CASES}"
    PROFGAUGE_PROGRAM="$<TARGET_FILE:profgauge>")
  add_dependencies(cases_test profgauge)
  gtest_discover_tests(cases_test DISCOVERY_MODE PRE_TEST)
endif()

# Makes realistic Kineto traces for examples, tests and benchmarks.
add_executable(make_neuron EXCLUDE_FROM_ALL tests/tools/make_neuron.cc)
target_link_libraries(make_neuron PRIVATE profgauge_options)
add_executable(make_profile EXCLUDE_FROM_ALL tests/tools/make_profile.cc)
target_link_libraries(make_profile PRIVATE profgauge_options ZLIB::ZLIB)
# Makes the recordings of many ranks with known truth.
add_executable(make_ranks EXCLUDE_FROM_ALL
  tests/tools/make_ranks.cc tests/tools/ranks/simulate.cc tests/tools/ranks/write_kineto.cc)
target_link_libraries(make_ranks PRIVATE profgauge_options fmt::fmt)
# Makes degenerate traces, to measure bounds with.
add_executable(make_shape EXCLUDE_FROM_ALL tests/tools/make_shape.cc)
target_include_directories(make_shape PRIVATE tests)
target_link_libraries(make_shape PRIVATE profgauge_options uses_sqlite ZLIB::ZLIB)
if(PROFGAUGE_TESTS)
  set_target_properties(make_ranks PROPERTIES EXCLUDE_FROM_ALL FALSE)
endif()
# Makes large folders of Parquet tables, to measure reading with.
add_executable(make_parquet EXCLUDE_FROM_ALL tests/tools/make_parquet.cc)
target_include_directories(make_parquet PRIVATE tests)
target_link_libraries(make_parquet PRIVATE profgauge_base uses_zstd)
# Makes large exports of Nsight Systems, to measure reading with.
add_executable(make_nsight EXCLUDE_FROM_ALL tests/tools/make_nsight.cc)
target_link_libraries(make_nsight PRIVATE profgauge_base)
