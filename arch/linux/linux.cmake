# The Linux build: the program, the library, the peers it is compared with, and the unit tests.
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
find_package(Threads REQUIRED)

include_directories(${CMAKE_SOURCE_DIR}/arch/linux ${CMAKE_SOURCE_DIR}/tasks/threads/posix)

if(MXK_FUZZ)
    include(${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz.cmake)
    return()
endif()

if(MXK_SANITIZE)
    # What compiles and runs fastest: with -Og ASan compiles in 0.6 of it, while TSan runs for twice as long.
    set(level -Og)
    if(MXK_SANITIZE STREQUAL "thread")
        set(level -O1)
    endif()
    set(optimisation "${level} -fsanitize=${MXK_SANITIZE}")
    add_compile_options(${level} -fsanitize=${MXK_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${MXK_SANITIZE})
elseif(MXK_COVERAGE)
    set(optimisation "-O0 --coverage")
    add_compile_options(-O0 --coverage -fprofile-update=atomic)
    add_link_options(--coverage)
else()
    set(optimisation "-O2")
    add_compile_options(-O2)
endif()

# Everything but the program's entry. Objects, not an archive: what registers itself is named by nobody.
room_sources(linux_sources arch/linux tasks/threads/posix main)
list(FILTER linux_sources EXCLUDE REGEX "/main/(metal/|linux/program\\.cpp$)")
add_library(mxk-objects OBJECT ${portable_sources} ${linux_sources})
if(MXK_SANITIZE MATCHES "address")
    # The benchmarks are half of what there is to compile, and in tests they run for a moment: without optimisation they
    # compile in two thirds of the time. What they share with the unit tests is in headers, compiled there with -Og.
    set(brief_sources ${portable_sources})
    list(FILTER brief_sources INCLUDE REGEX "/bench/")
    # The headers precompiled with -Og are not for them.
    set_source_files_properties(${brief_sources} PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
endif()
describe_build(${optimisation})
add_dependencies(mxk-objects build-description)
target_include_directories(mxk-objects PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_precompile_headers(mxk-objects PRIVATE ${common_headers})
target_link_libraries(mxk-objects PUBLIC PkgConfig::hwloc PkgConfig::numa Threads::Threads)

# The tests that run inside, less those of the bare machine.
room_sources(inner_test_sources tests/kernel)
list(FILTER inner_test_sources EXCLUDE REGEX "/tests/kernel/metal/")
add_executable(mxk-program main/linux/program.cpp ${inner_test_sources})
set_target_properties(mxk-program PROPERTIES OUTPUT_NAME mxk ENABLE_EXPORTS ON) # names for backtraces
target_link_libraries(mxk-program PRIVATE mxk-objects)
target_precompile_headers(mxk-program REUSE_FROM mxk-objects)

include(${CMAKE_SOURCE_DIR}/main/library/library.cmake)
include(${CMAKE_SOURCE_DIR}/bench/peers/peers.cmake)

find_package(GTest REQUIRED)
room_sources(unit_sources tests/unit tests/fuzz/targets)
# Not of `all`: what users get does not need it, and it takes as long to compile as all that.
list(APPEND unit_sources ${CMAKE_SOURCE_DIR}/arch/x86_64/cpuid_levels.cpp) # pure: tested with made-up answers
add_executable(mxk-unit EXCLUDE_FROM_ALL ${unit_sources})
target_link_libraries(mxk-unit PRIVATE mxk-objects GTest::gtest GTest::gtest_main)
target_precompile_headers(mxk-unit PRIVATE ${common_headers} <deque> <functional> <map> <memory> <random> <string> <thread>
    <gtest/gtest.h>)
