# The Linux build: the program, the library, the peers it is compared with, and the unit tests.
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
find_package(Threads REQUIRED)

include_directories(${CMAKE_SOURCE_DIR}/arch/linux ${CMAKE_SOURCE_DIR}/tasks/threads/posix)

# It links in a tenth of the time.
find_program(MXK_MOLD mold)
if(MXK_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

# How much is optimised: all; what a test spends its time in; what runs for a moment, where compiling takes longer; and
# the tests inside.
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
    set(inner_test_level -O1)
endif()
if(NOT inner_test_level)
    set(inner_test_level ${brief_level})
endif()

describe_build(${optimisation})

# So that libmxk.a can be part of a shared object, as a Python module is. It costs nothing: what is
# thread_local is still reached without a call (initial-exec), and the rest directly, because nobody may replace it
# (protected).
set(library_options)
set(mxk_position_independent OFF)
# What is compiled in the same way has its headers precompiled once.
set(kernel_kind library)
set(program_kind library)
if(MXK_SANITIZE MATCHES "address")
    set(kernel_kind fuzzed)
endif()
if(NOT MXK_SANITIZE AND NOT MXK_COVERAGE)
    set(library_options -fPIC -fvisibility=protected -ftls-model=initial-exec)
    set(mxk_position_independent ON)
    set(program_kind program)
endif()

# Objects, not archives: what registers itself is named by nobody.
function(mxk_objects target kind object_level)
    add_library(${target} OBJECT ${ARGN})
    add_dependencies(${target} build-description)
    target_compile_options(${target} PRIVATE ${object_level})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
    precompile(${target} "${kind} ${object_level}" ${common_headers})
    target_link_libraries(${target} PUBLIC PkgConfig::hwloc PkgConfig::numa Threads::Threads)
endfunction()

# Everything but the program's entry: the kernel's rooms, which the fuzzers are about; the others, with what they work on;
# and the subjects, more than half of what there is to compile.
room_sources(linux_sources arch/linux arch/cpuid tasks/threads/posix main)
list(FILTER linux_sources EXCLUDE REGEX "/main/(metal/|mpi/|cluster/|preload/|linux/program\\.cpp$)")
mxk_objects(mxk-rooms library ${level} ${rooms_sources} ${linux_sources})
mxk_objects(mxk-kernel ${kernel_kind} ${level} ${kernel_sources})
target_compile_options(mxk-kernel PRIVATE ${library_options})
target_compile_options(mxk-rooms PRIVATE ${library_options})
# Rooms of the library that of the program only subjects use; TPC-H is no part of it.
set(queries_room ${dataflow_sources} ${query_sources})
list(FILTER queries_room INCLUDE REGEX "/tasks/dataflow/|${CMAKE_SOURCE_DIR}/query/")
list(FILTER queries_room EXCLUDE REGEX "/query/tpch/")
list(REMOVE_ITEM dataflow_sources ${queries_room})
list(REMOVE_ITEM query_sources ${queries_room})
mxk_objects(mxk-queries ${kernel_kind} ${level} ${queries_room})
target_compile_options(mxk-queries PRIVATE ${library_options})
set(bench_objects)
if(MXK_SANITIZE) # one target, whose sources are compiled together: all programs have all
    set(bench_sources)
    foreach(subject IN LISTS subjects)
        list(APPEND bench_sources ${${subject}_sources})
    endforeach()
    mxk_objects(mxk-bench ${program_kind} ${brief_level} ${bench_sources})
    set(bench_objects mxk-bench)
else()
    foreach(subject IN LISTS subjects)
        mxk_objects(mxk-bench-${subject} ${program_kind} ${brief_level} ${${subject}_sources})
        list(APPEND bench_objects mxk-bench-${subject})
    endforeach()
endif()
# What is not of the library libmxk.a, by sources or objects: what boot loaders say, and the console with all that registers
# itself for it (which nobody names, so an archive could not hold it anyway).
set(not_for_users "(\\.dir/(\\./)?|${CMAKE_SOURCE_DIR}/)(boot|kernel/(console|inspect))/|_command\\.cpp|/kernel/testing\\.cpp|/core_set\\.cpp|/console_task\\.cpp|/main/(linux/|clock_skew\\.cpp)|/Unity/unity_program_")
if(NOT MXK_COVERAGE)
    foreach(target mxk-kernel mxk-rooms mxk-queries ${bench_objects})
        get_target_property(of_library ${target} SOURCES)
        set(of_program ${of_library})
        if(target IN_LIST bench_objects)
            set(of_library)
        else()
            list(FILTER of_library EXCLUDE REGEX ${not_for_users})
            list(FILTER of_program INCLUDE REGEX ${not_for_users})
        endif()
        # One has a linker's name, which another one has as of another type; names of a namespace that some use; and what
        # is large enough.
        list(FILTER of_library EXCLUDE REGEX "/arch/linux/symbols\\.cpp$")
        list(FILTER of_program EXCLUDE REGEX "/bench/trace/trace\\.cpp$|/bench/table/layouts/")
        if(MXK_SANITIZE)
            compile_together(library 8 ${of_library})
            compile_together(program 8 ${of_program})
        else()
            compile_cold_together(library ${of_library})
            compile_cold_together(program ${of_program})
        endif()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endforeach()
endif()
set(all_objects mxk-kernel mxk-rooms mxk-queries ${bench_objects}) # of an inline function a linker takes what comes first: what is optimised

# mxk_program(TARGET OBJECTS...): the program that these make.
function(mxk_program target)
    add_executable(${target} main/linux/program.cpp)
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON) # names for backtraces
    target_link_libraries(${target} PRIVATE ${ARGN})
endfunction()
# `soak`, `crash` and `hang` are commands of users, too.
room_sources(soak_sources tests/soak)
mxk_objects(mxk-soak ${program_kind} ${inner_test_level} ${soak_sources})
mxk_program(mxk-program ${all_objects} mxk-soak)
set_target_properties(mxk-program PROPERTIES OUTPUT_NAME mxk)

# The same with the tests that run inside, less those of the bare machine.
room_sources(inner_test_sources tests/kernel)
list(FILTER inner_test_sources EXCLUDE REGEX "/tests/kernel/metal/")
mxk_objects(mxk-inner-tests ${program_kind} ${inner_test_level} ${inner_test_sources})
set_target_properties(mxk-soak mxk-inner-tests PROPERTIES ${tests_together})
mxk_program(mxk-test ${all_objects} mxk-soak mxk-inner-tests) # the tests last, as said above

# What `make bench` shows first: as much as its page needs.
if(NOT MXK_SANITIZE)
    list(TRANSFORM overview_subjects PREPEND mxk-bench- OUTPUT_VARIABLE overview_objects)
    mxk_program(mxk-overview mxk-kernel mxk-rooms ${overview_objects})
endif()

include(${CMAKE_SOURCE_DIR}/main/library/library.cmake)
include(${CMAKE_SOURCE_DIR}/peers/peers.cmake)
if(NOT MXK_SANITIZE AND NOT MXK_COVERAGE) # the libraries are not instrumented
    include(${CMAKE_SOURCE_DIR}/main/mpi/mpi.cmake)
    include(${CMAKE_SOURCE_DIR}/main/cluster/cluster.cmake)
    include(${CMAKE_SOURCE_DIR}/main/preload/preload.cmake)
    # What `tools/mxk heap-record` loads into any program, so of C++ it brings nothing that would be loaded, too.
    add_library(mxk-record-heap MODULE tools/heap_recorder/heap_recorder.cpp)
    target_compile_options(mxk-record-heap PRIVATE -O2 -fno-exceptions -fno-builtin -ftls-model=initial-exec)
    target_link_options(mxk-record-heap PRIVATE -nodefaultlibs -Wl,-z,now,-z,initfirst)
    target_link_libraries(mxk-record-heap PRIVATE c)
endif()

# Not of `all`: what users get does not need them, and they take as long to compile as all that.
find_package(GTest QUIET)
pkg_check_modules(capstone QUIET IMPORTED_TARGET capstone)
find_package(nlohmann_json QUIET)
if(capstone_FOUND AND nlohmann_json_FOUND)
    include(${CMAKE_SOURCE_DIR}/tools/simulator/simulator.cmake)
else()
    left_out(mxk-simulator "Capstone and nlohmann's JSON" "libcapstone-dev nlohmann-json3-dev" simulator)
endif()
if(GTest_FOUND AND TARGET mxk-simulator-model)
    include(${CMAKE_SOURCE_DIR}/tests/tests.cmake)
else()
    left_out("mxk-unit;mxk-concurrent;mxk-fuzzers" "GoogleTest, and what the simulator is made of" libgtest-dev "tests simulator")
endif()
