# mxk-mpi: locks for distributed memory, over MPI-3, with Open MPI and with MPICH, as far as they are there: what is missing
# leaves its program out and never fails the build. The C interface, by their pkg-config files; which one the system
# prefers does not matter. Not of `all`; `make mpi` builds them. Included by the Linux build.
pkg_check_modules(openmpi QUIET IMPORTED_TARGET ompi-c)
pkg_check_modules(mpich QUIET IMPORTED_TARGET mpich)

# Everything but the file that includes MPI's header, once for both: the locks, made for this fabric, and what of the
# lower rooms they and the commands need.
room_sources(mpi_sources main/mpi)
room_sources(mpi_kinds locks/kinds)
list(APPEND mpi_kinds ${CMAKE_SOURCE_DIR}/main/mpi/window_lock.cpp)
list(FILTER mpi_sources EXCLUDE REGEX "/main/mpi/(w(orld|indow_lock)\\.cpp$|mpich/)")
list(APPEND mpi_sources locks/fabric/transport.cpp base/format.cpp base/json.cpp base/result.cpp arch/linux/cpu.cpp kernel/clock.cpp
    bench/frame/statistics.cpp bench/lock/turn_statistics.cpp kernel/console/completion.cpp
    kernel/console/file_name.cpp kernel/console/named.cpp kernel/console/options.cpp kernel/console/values.cpp
    kernel/console/words.cpp arch/linux/files.cpp)
# mpi_objects(NAME SOURCES...)
function(mpi_objects name)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    target_include_directories(${name} BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/main/mpi)
    target_compile_options(${name} PRIVATE -O2)
endfunction()
mpi_objects(mxk-mpi-commands ${mpi_sources})
mpi_objects(mxk-mpi-locks ${mpi_kinds})
# The same locks from copies in which a test can leave out a step (tests/mpi/).
file(GLOB lock_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/locks/*.hpp)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/mutated/stamp
    COMMAND ${CMAKE_SOURCE_DIR}/tests/model/instrument ${CMAKE_BINARY_DIR}/mutated --sources ${CMAKE_SOURCE_DIR}/tests/mpi/mutated.toml
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/mutated/stamp
    DEPENDS ${CMAKE_SOURCE_DIR}/tests/model/instrument ${CMAKE_SOURCE_DIR}/tests/mpi/mutated.toml
    ${CMAKE_SOURCE_DIR}/locks/fabric/one_sided.hpp ${lock_headers} VERBATIM)
add_custom_target(mxk-mutated DEPENDS ${CMAKE_BINARY_DIR}/mutated/stamp)
mpi_objects(mxk-mpi-mutated-locks ${mpi_kinds} tests/mpi/mutants.cpp tests/model/execution_graph.cpp)
target_include_directories(mxk-mpi-mutated-locks BEFORE PRIVATE ${CMAKE_BINARY_DIR}/mutated)
add_dependencies(mxk-mpi-mutated-locks mxk-mutated)

if(NOT openmpi_FOUND AND NOT mpich_FOUND)
    left_out("mxk-mpi;mxk-mpi-mutants" "Open MPI or MPICH" "libopenmpi-dev libmpich-dev" mpi)
    return()
endif()
add_custom_target(mxk-mpi)
add_custom_target(mxk-mpi-mutants)
# mpi_program(NAME PACKAGE SOURCES...): with the library that pkg-config has found as NAME; PACKAGE: Debian's.
function(mpi_program name package)
    if(NOT ${name}_FOUND)
        message(STATUS "mxk-mpi-${name} is left out: its library was not found (Debian: ${package})")
        return()
    endif()
    add_library(mxk-mpi-world-${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    target_compile_options(mxk-mpi-world-${name} PRIVATE -O2)
    target_link_libraries(mxk-mpi-world-${name} PUBLIC PkgConfig::${name})
    set(common mxk-mpi-world-${name} mxk-mpi-commands)
    add_executable(mxk-mpi-${name} EXCLUDE_FROM_ALL)
    target_link_libraries(mxk-mpi-${name} PRIVATE ${common} mxk-mpi-locks)
    add_executable(mxk-mpi-mutants-${name} EXCLUDE_FROM_ALL tests/mpi/lazy_operations.cpp)
    target_link_libraries(mxk-mpi-mutants-${name} PRIVATE ${common} mxk-mpi-mutated-locks)
    set_target_properties(mxk-mpi-mutants-${name} PROPERTIES OUTPUT_NAME mutants/mxk-mpi-${name})
    if(name STREQUAL "mpich") # so that the library finds offered_processor.cpp's
        set_target_properties(mxk-mpi-mpich mxk-mpi-mutants-mpich PROPERTIES ENABLE_EXPORTS ON)
    endif()
    add_dependencies(mxk-mpi mxk-mpi-${name})
    add_dependencies(mxk-mpi-mutants mxk-mpi-mutants-${name})
endfunction()
mpi_program(openmpi libopenmpi-dev main/mpi/world.cpp)
mpi_program(mpich libmpich-dev main/mpi/world.cpp main/mpi/mpich/offered_processor.cpp)
