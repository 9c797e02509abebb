# The fuzzers (libFuzzer: clang only), one program per target: mxk-fuzz-acpi, -boot-info, -options, -editor. The same
# targets replay their corpus and regressions in mxk-unit (tests/unit/fuzz_regression_test.cpp), with GCC.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "MXK_FUZZ: expected clang (preset linux-fuzz), got ${CMAKE_CXX_COMPILER_ID}")
endif()
find_package(GTest REQUIRED)

# libstdc++ 12 makes std::stable_sort of what C++17 deprecates, and clang 19 warns at the call.
set(sanitized -O1 -fno-sanitize-recover=all -fsanitize=address,undefined -Wno-deprecated-declarations)
describe_build("-O1 -fsanitize=fuzzer,address,undefined")

# What is fuzzed, and what registers itself there: objects, not an archive. The options' schemas are part of it.
room_sources(fuzzed_sources base boot kernel)
add_library(mxk-fuzzed OBJECT ${fuzzed_sources} bench/frame/bench_command.cpp
    bench/workload/distribution.cpp bench/workload/keys.cpp bench/workload/phases.cpp
    tests/fuzz/targets/options.cpp tests/fuzz/targets/options_checks.cpp)
target_compile_options(mxk-fuzzed PRIVATE ${sanitized} -fsanitize=fuzzer-no-link)

# What feeds and watches it does not count as covered: the fuzzer is to look for new ways in what is fuzzed only.
room_sources(watching_sources tests/fuzz/targets)
list(FILTER watching_sources EXCLUDE REGEX "/options[^/]*\\.cpp$")
add_library(mxk-fuzz-watching OBJECT ${watching_sources} tests/unit/acpi_image.cpp tests/unit/topology_image.cpp)
target_compile_options(mxk-fuzz-watching PRIVATE ${sanitized})

# Of the platform only what these need: an archive gives just that.
room_sources(platform_sources arch/linux)
add_library(mxk-fuzz-platform STATIC ${platform_sources})
add_dependencies(mxk-fuzz-platform build-description)
target_include_directories(mxk-fuzz-platform PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_options(mxk-fuzz-platform PRIVATE ${sanitized})
target_link_libraries(mxk-fuzz-platform PUBLIC PkgConfig::hwloc PkgConfig::numa Threads::Threads)

foreach(target acpi boot-info options editor)
    string(REPLACE "-" "_" function ${target})
    add_executable(mxk-fuzz-${target} tests/fuzz/entry.cpp)
    target_compile_definitions(mxk-fuzz-${target} PRIVATE MXK_FUZZ_TARGET=${function})
    target_compile_options(mxk-fuzz-${target} PRIVATE ${sanitized})
    target_link_options(mxk-fuzz-${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_libraries(mxk-fuzz-${target} PRIVATE
        mxk-fuzzed mxk-fuzz-watching mxk-fuzz-platform GTest::gtest)
endforeach()
