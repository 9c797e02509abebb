# The tests on the host: mxk-unit, of one thread; mxk-concurrent; and, in the build with AddressSanitizer, the fuzzers.
function(mxk_tests target object_level)
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    target_compile_options(${target} PRIVATE ${object_level})
    target_link_libraries(${target} PUBLIC GTest::gtest)
    set_target_properties(${target} PROPERTIES ${tests_together})
    precompile(${target} "tests ${object_level}" ${common_headers} <deque> <functional> <map> <memory> <random> <string>
        <thread> <gtest/gtest.h>)
endfunction()

room_sources(unit_sources tests/unit)
# Tests that one thread runs; of these, what computes more than it takes to compile; the machines made up by tests,
# which the fuzzers begin with, too; and the judge of histories, which tests of both kinds ask.
set(sequential_sources ${unit_sources})
list(FILTER sequential_sources INCLUDE REGEX "/tests/unit/sequential/")
list(APPEND sequential_sources ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/cpuid_levels.cpp # pure: tested with made-up answers
    ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/machine_check_text.cpp ${CMAKE_SOURCE_DIR}/arch/x86_64/board/uart_probe.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/mtrr.cpp ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/counter_registers.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/event_registers.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/board/serial_line.cpp ${CMAKE_SOURCE_DIR}/arch/x86_64/cpu/mitigations.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/board/tco.cpp ${CMAKE_SOURCE_DIR}/arch/x86_64/board/kcs.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/board/bmc_watchdog.cpp ${CMAKE_SOURCE_DIR}/arch/x86_64/memory/physical_place.cpp
    ${CMAKE_SOURCE_DIR}/arch/x86_64/clock/stated_frequency.cpp)
set(judge_sources ${unit_sources})
list(FILTER judge_sources INCLUDE REGEX "/(linearizable|linear_order)\\.cpp$")
set(image_sources ${unit_sources})
list(FILTER image_sources INCLUDE REGEX "/(acpi|topology)_image\\.cpp$")
set(times_sources ${CMAKE_SOURCE_DIR}/tests/unit/processor_seconds.cpp)
list(REMOVE_ITEM unit_sources ${sequential_sources} ${image_sources} ${judge_sources} ${times_sources})
set(optimised_sources ${sequential_sources})
list(FILTER optimised_sources INCLUDE REGEX "/tests/unit/sequential/optimised/")
list(REMOVE_ITEM sequential_sources ${optimised_sources})
room_sources(fuzz_sources tests/fuzz/targets)
mxk_tests(mxk-test-judge ${level} ${judge_sources} ${times_sources})

if(NOT MXK_SANITIZE STREQUAL "thread") # in one thread there is nothing that TSan could find
    add_executable(mxk-unit EXCLUDE_FROM_ALL)
    mxk_tests(mxk-optimised-tests ${level} ${optimised_sources})
    mxk_tests(mxk-sequential-tests ${brief_level} ${sequential_sources})
    mxk_tests(mxk-fuzz-targets ${level} ${fuzz_sources} ${image_sources})
    target_link_libraries(mxk-unit PRIVATE mxk-optimised-tests # the first, as said in linux.cmake
        mxk-fuzz-targets mxk-sequential-tests mxk-test-judge ${all_objects} GTest::gtest_main mxk-simulator-model)
    target_link_libraries(mxk-sequential-tests PUBLIC PkgConfig::capstone nlohmann_json::nlohmann_json)
endif()
# Together: tests of the same tables that grow, which are compiled once then.
set(growing_sources ${unit_sources})
list(FILTER growing_sources INCLUDE REGEX "/(batched_random|linearizable_growing|resharding)_test\\.cpp$")
list(REMOVE_ITEM unit_sources ${growing_sources})
list(PREPEND unit_sources ${growing_sources})
add_executable(mxk-concurrent EXCLUDE_FROM_ALL)
mxk_tests(mxk-concurrent-tests ${brief_level} ${unit_sources})
# What no program but mxk-cluster has.
room_sources(remote_sources tasks/remote)
mxk_objects(mxk-remote library ${level} ${remote_sources})
set_target_properties(mxk-remote PROPERTIES EXCLUDE_FROM_ALL ON)
target_link_libraries(mxk-concurrent PRIVATE ${all_objects} mxk-remote mxk-concurrent-tests mxk-test-judge GTest::gtest_main)

# The model checker: copies of sources, whose atomics are words of it. Without sanitizers, which fibers that are given up in
# the middle do not agree with, and which would take three times as long.
if(NOT MXK_SANITIZE AND NOT MXK_COVERAGE)
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tests/model/instrument --list OUTPUT_VARIABLE modelled COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/model/sources.toml)
    list(TRANSFORM modelled PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE modelled_sources)
    list(TRANSFORM modelled PREPEND ${CMAKE_BINARY_DIR}/modelled/ OUTPUT_VARIABLE modelled_copies)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/modelled/stamp BYPRODUCTS ${modelled_copies}
        COMMAND ${CMAKE_SOURCE_DIR}/tests/model/instrument ${CMAKE_BINARY_DIR}/modelled
        COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/modelled/stamp
        DEPENDS ${CMAKE_SOURCE_DIR}/tests/model/instrument ${CMAKE_SOURCE_DIR}/tests/model/sources.toml ${modelled_sources} VERBATIM)
    add_custom_target(mxk-modelled DEPENDS ${CMAKE_BINARY_DIR}/modelled/stamp)
    room_sources(model_sources tests/model)
    set(checker_sources ${model_sources})
    list(FILTER checker_sources INCLUDE REGEX "/(execution_graph|weak_memory|places)\\.cpp$")
    list(FILTER model_sources EXCLUDE REGEX "/(execution_graph|weak_memory|places|lock_orders_test|lock_policies_test|stepped_workers)\\.cpp$")
    list(FILTER modelled_copies INCLUDE REGEX "\\.cpp$")
    add_library(mxk-checker OBJECT EXCLUDE_FROM_ALL ${checker_sources} ${times_sources})
    add_executable(mxk-model EXCLUDE_FROM_ALL ${model_sources} ${modelled_copies}
        ${CMAKE_SOURCE_DIR}/base/format.cpp ${CMAKE_SOURCE_DIR}/base/result.cpp)
    # The locks are templates over a fabric, of which the checker has one: only their conditions are the copies'.
    add_executable(mxk-lock-model EXCLUDE_FROM_ALL tests/model/lock_orders_test.cpp)
    # Not the checker, but a simulation that goes on for longer.
    add_executable(mxk-lock-policies EXCLUDE_FROM_ALL tests/model/lock_policies_test.cpp tests/model/stepped_workers.cpp
        tests/model/execution_graph.cpp ${times_sources})
    foreach(target mxk-checker mxk-model mxk-lock-model mxk-lock-policies)
        target_compile_options(${target} PRIVATE ${level})
        target_link_libraries(${target} PUBLIC GTest::gtest)
    endforeach()
    foreach(target mxk-model mxk-lock-model mxk-lock-policies)
        add_dependencies(${target} mxk-modelled)
        target_include_directories(${target} BEFORE PRIVATE ${CMAKE_BINARY_DIR}/modelled ${CMAKE_BINARY_DIR}/modelled/arch/linux
            ${CMAKE_SOURCE_DIR}/tests/model/platform)
        target_link_libraries(${target} PRIVATE GTest::gtest_main)
    endforeach()
    target_link_libraries(mxk-model PRIVATE mxk-checker)
    target_link_libraries(mxk-lock-model PRIVATE mxk-checker)
endif()

# The fuzzers (libFuzzer: Clang only). The same targets replay their corpus and regressions in
# mxk-unit (tests/unit/sequential/fuzz_regression_test.cpp).
if(MXK_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # What is fuzzed. What feeds and watches it does not count as covered: the fuzzer is to look for new ways in this only.
    target_compile_options(mxk-kernel PRIVATE -fsanitize=fuzzer-no-link)
    target_compile_options(mxk-queries PRIVATE -fsanitize=fuzzer-no-link)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/bench/trace/trace.cpp ${CMAKE_SOURCE_DIR}/bench/workload/text_lines.cpp
        PROPERTIES COMPILE_OPTIONS -fsanitize=fuzzer-no-link SKIP_PRECOMPILE_HEADERS ON)
    # One program, which is compiled and linked once, with a link for each target.
    add_executable(mxk-fuzz EXCLUDE_FROM_ALL tests/fuzz/entry.cpp)
    target_link_options(mxk-fuzz PRIVATE -fsanitize=fuzzer)
    target_link_libraries(mxk-fuzz PRIVATE ${all_objects} mxk-fuzz-targets)
    precompile(mxk-fuzz "tests ${level}")
    target_compile_options(mxk-fuzz PRIVATE ${level})
    add_custom_target(mxk-fuzzers)
    foreach(name acpi boot-info options editor trace columns plans models)
        add_custom_command(TARGET mxk-fuzz POST_BUILD
            COMMAND ${CMAKE_COMMAND} -E create_symlink mxk-fuzz mxk-fuzz-${name} VERBATIM)
    endforeach()
    add_dependencies(mxk-fuzzers mxk-fuzz)
endif()
