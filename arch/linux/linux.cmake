# The Linux build: the program, the library, the peers it is compared with, and the unit tests.
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
find_package(Threads REQUIRED)

include_directories(${CMAKE_SOURCE_DIR}/arch/linux ${CMAKE_SOURCE_DIR}/tasks/threads/posix)

# How much is optimised: all; what a test spends its time in; what runs for a moment, where compiling takes longer.
if(MXK_SANITIZE)
    set(optimisation "-O1 -fsanitize=${MXK_SANITIZE}")
    set(level -O1)
    set(brief_level -O1)
    if(MXK_SANITIZE MATCHES "address")
        set(brief_level -O0) # compiles in a third of the time; with TSan in three quarters
    endif()
    # libstdc++ 12 makes std::stable_sort of what C++17 deprecates, and Clang 19 warns at the call.
    add_compile_options(-fsanitize=${MXK_SANITIZE} -fno-sanitize-recover=all -Wno-deprecated-declarations)
    add_link_options(-fsanitize=${MXK_SANITIZE})
elseif(MXK_COVERAGE)
    set(optimisation "-O0 --coverage")
    set(level -O0)
    set(brief_level -O0)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
else()
    set(optimisation "-O2")
    set(level -O2)
    set(brief_level -O2)
endif()

describe_build(${optimisation})

# So that libmxk.a can be part of a shared object, as a Python module is. It costs nothing (docs/library.md): what is
# thread_local is still reached without a call (initial-exec), and the rest directly, because nobody may replace it
# (protected).
set(library_options)
set(mxk_position_independent OFF)
if(NOT MXK_SANITIZE AND NOT MXK_COVERAGE)
    set(library_options -fPIC -fvisibility=protected -ftls-model=initial-exec)
    set(mxk_position_independent ON)
endif()

# Objects, not archives: what registers itself is named by nobody.
function(mxk_objects target object_level)
    add_library(${target} OBJECT ${ARGN})
    add_dependencies(${target} build-description)
    target_compile_options(${target} PRIVATE ${object_level})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
    target_precompile_headers(${target} PRIVATE ${common_headers})
    target_link_libraries(${target} PUBLIC PkgConfig::hwloc PkgConfig::numa Threads::Threads)
endfunction()

# Everything but the program's entry: the kernel's rooms, which the fuzzers are about; the benchmarks themselves, half of
# what there is to compile; and the rest, with what they work on.
set(kernel_sources ${portable_sources})
list(FILTER kernel_sources INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/(base|boot|kernel)/")
set(bench_sources ${portable_sources})
list(FILTER bench_sources INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/bench/(figures|frame|machine|table|task|thread)/")
list(REMOVE_ITEM portable_sources ${kernel_sources} ${bench_sources})
room_sources(linux_sources arch/linux tasks/threads/posix main)
list(FILTER linux_sources EXCLUDE REGEX "/main/(metal/|linux/program\\.cpp$)")
mxk_objects(mxk-kernel ${level} ${kernel_sources})
mxk_objects(mxk-bench ${brief_level} ${bench_sources})
mxk_objects(mxk-rooms ${level} ${portable_sources} ${linux_sources})
target_compile_options(mxk-kernel PRIVATE ${library_options})
target_compile_options(mxk-rooms PRIVATE ${library_options})
set(all_objects mxk-kernel mxk-rooms mxk-bench) # of an inline function a linker takes what comes first: what is optimised

# The tests that run inside, less those of the bare machine.
room_sources(inner_test_sources tests/kernel)
list(FILTER inner_test_sources EXCLUDE REGEX "/tests/kernel/metal/")
add_executable(mxk-program main/linux/program.cpp ${inner_test_sources})
set_target_properties(mxk-program PROPERTIES ${tests_together}
    OUTPUT_NAME mxk ENABLE_EXPORTS ON) # names for backtraces
target_compile_options(mxk-program PRIVATE ${brief_level})
target_link_libraries(mxk-program PRIVATE ${all_objects})
target_precompile_headers(mxk-program REUSE_FROM mxk-bench)

include(${CMAKE_SOURCE_DIR}/main/library/library.cmake)
include(${CMAKE_SOURCE_DIR}/bench/peers/peers.cmake)

# Not of `all`: what users get does not need them, and they take as long to compile as all that.
include(${CMAKE_SOURCE_DIR}/tests/tests.cmake)
