# mxk-mpi: locks for distributed memory, over MPI-3, with Open MPI and with MPICH, as far as they are there: what is missing
# leaves its program out and never fails the build. The C interface, by their pkg-config files; which one the system
# prefers does not matter. Not of `all`; `make mpi` builds them. Included by the Linux build.
pkg_check_modules(openmpi QUIET IMPORTED_TARGET ompi-c)
pkg_check_modules(mpich QUIET IMPORTED_TARGET mpich)

# Everything but the file that includes MPI's header, once for both: the locks, made for this fabric, and what of the
# lower rooms they and the commands need.
room_sources(mpi_sources main/mpi locks/kinds)
list(FILTER mpi_sources EXCLUDE REGEX "/main/mpi/(world\\.cpp$|mpich/)")
list(APPEND mpi_sources locks/fabric/transport.cpp base/format.cpp base/json.cpp base/result.cpp arch/linux/cpu.cpp kernel/clock.cpp
    bench/frame/statistics.cpp bench/lock/turn_statistics.cpp kernel/console/completion.cpp
    kernel/console/file_name.cpp kernel/console/named.cpp kernel/console/options.cpp kernel/console/values.cpp
    kernel/console/words.cpp arch/linux/files.cpp)
add_library(mxk-mpi-locks OBJECT EXCLUDE_FROM_ALL ${mpi_sources})
target_include_directories(mxk-mpi-locks BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/main/mpi)
target_compile_options(mxk-mpi-locks PRIVATE -O2)

if(NOT openmpi_FOUND AND NOT mpich_FOUND)
    left_out(mxk-mpi "Open MPI or MPICH" "libopenmpi-dev libmpich-dev" mpi)
    return()
endif()
add_custom_target(mxk-mpi)
# mpi_program(NAME PACKAGE SOURCES...): with the library that pkg-config has found as NAME; PACKAGE: Debian's.
function(mpi_program name package)
    if(NOT ${name}_FOUND)
        message(STATUS "mxk-mpi-${name} is left out: its library was not found (Debian: ${package})")
        return()
    endif()
    add_executable(mxk-mpi-${name} EXCLUDE_FROM_ALL ${ARGN})
    target_compile_options(mxk-mpi-${name} PRIVATE -O2)
    target_link_libraries(mxk-mpi-${name} PRIVATE mxk-mpi-locks PkgConfig::${name})
    add_dependencies(mxk-mpi mxk-mpi-${name})
endfunction()
mpi_program(openmpi libopenmpi-dev main/mpi/world.cpp)
mpi_program(mpich libmpich-dev main/mpi/world.cpp main/mpi/mpich/offered_processor.cpp)
if(TARGET mxk-mpi-mpich)
    set_target_properties(mxk-mpi-mpich PROPERTIES ENABLE_EXPORTS ON) # so that the library finds offered_processor.cpp's
endif()
