# mxk-peers: the program mxk, plus the tables and task systems of others that it is compared with. A library that is not
# there costs its peers, which then say so in `bench peer --list` and in every run; it never fails the build.

# oneTBB and mimalloc of today, where tools/setup has installed them; else those of the system. Theirs is a folder with
# nothing else in it: their packages bring a libhwloc, which is not for this program.
set(wheels ${CMAKE_SOURCE_DIR}/build/venv)
set(peer_libraries ${CMAKE_BINARY_DIR}/peer-libraries)
file(MAKE_DIRECTORY ${peer_libraries})
foreach(library lib/libtbb.so.12 lib/libtbbmalloc.so.2 lib/python3*/site-packages/cmeel.prefix/lib/libmimalloc.so.3)
    file(GLOB versions ${wheels}/${library}.*) # the name that says which it is
    get_filename_component(name ${library} NAME)
    foreach(version IN LISTS versions)
        file(CREATE_LINK ${version} ${peer_libraries}/${name} SYMBOLIC)
    endforeach()
endforeach()
if(EXISTS ${wheels}/lib/cmake/tbb)
    set(TBB_DIR ${wheels}/lib/cmake/tbb) # whatever was found before
endif()
find_package(TBB QUIET CONFIG COMPONENTS tbb)
if(TBB_FOUND)
    get_target_property(tbb_headers TBB::tbb INTERFACE_INCLUDE_DIRECTORIES)
    if(EXISTS ${peer_libraries}/libtbb.so.12 AND tbb_headers MATCHES "^${wheels}")
        set_target_properties(TBB::tbb PROPERTIES IMPORTED_LOCATION_RELEASE ${peer_libraries}/libtbb.so.12)
        set(tbb_year " (2026)") # of the release that tools/requirements/peers.txt names
    endif()
endif()
find_package(libcuckoo QUIET CONFIG)
find_package(Taskflow QUIET CONFIG)
find_package(OpenMP QUIET COMPONENTS CXX)
pkg_check_modules(urcu QUIET IMPORTED_TARGET liburcu-qsbr liburcu-memb liburcu-cds)
pkg_check_modules(ck QUIET IMPORTED_TARGET ck)

# Which of them this build has: names of files of peers/ (a file is a table, a lock, ... or all those of a library),
# all by default. No file with peers needs another one.
set(MXK_PEERS "" CACHE STRING "Peers of mxk-peers, such as table_tbb;table_bounds; all if empty")
file(GLOB peer_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/peers/*.cpp)
if(MXK_PEERS)
    list(FILTER peer_sources EXCLUDE REGEX "/(dataflow|fork|heap|lock|memory|read|system|table|task)_[a-z_]+\\.cpp$")
    foreach(file IN LISTS MXK_PEERS)
        list(APPEND peer_sources ${CMAKE_SOURCE_DIR}/peers/${file}.cpp)
    endforeach()
    list(APPEND peer_sources ${CMAKE_SOURCE_DIR}/peers/table_memory.cpp) # what tables stand on
    list(REMOVE_DUPLICATES peer_sources)
endif()
set(missing_peers)

# year_of(OUT HEADER): when a library's package was made, by its header; of a release that is a year or so earlier.
function(year_of out header)
    find_file(header_of_${out} ${header} NO_CACHE)
    if(header_of_${out})
        file(TIMESTAMP ${header_of_${out}} year "%Y" UTC)
        set(${out} " (${year})" PARENT_SCOPE)
    endif()
endfunction()
if(NOT tbb_year)
    year_of(tbb_year oneapi/tbb/version.h)
endif()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -x c++ -std=c++20 -dM -E -include version /dev/null OUTPUT_VARIABLE macros)
if(macros MATCHES "__GLIBCXX__ (20[0-9][0-9])")
    set(standard_year " (${CMAKE_MATCH_1})")
endif()
year_of(urcu_year urcu.h)
year_of(ck_year ck_ht.h)
year_of(cuckoo_year libcuckoo/cuckoohash_map.hh)
year_of(taskflow_year taskflow/taskflow.hpp)

# The peers in these files of peers/, which stand on a library. FOUND: whether it is there; PACKAGE: the one of
# Debian that has it. Without it they are left out, and what is registered there is registered as missing, by the
# symbol's name with - for _.
function(peers_in files library version found package)
    foreach(file IN LISTS files)
        set(source ${CMAKE_SOURCE_DIR}/peers/${file}.cpp)
        if(found)
            set_property(SOURCE ${source} PROPERTY COMPILE_DEFINITIONS "MXK_PEER_LIBRARY=\"${library} ${version}\"")
            continue()
        elseif(NOT source IN_LIST peer_sources)
            continue()
        endif()
        list(REMOVE_ITEM peer_sources ${source})
        file(STRINGS ${source} registrations REGEX "^MXK_REGISTER")
        foreach(registration IN LISTS registrations)
            string(REGEX MATCH "\\((.*), (.*), (.*)\\)" matched "${registration}")
            string(REPLACE "_" "-" name ${CMAKE_MATCH_3})
            string(APPEND missing_peers "constexpr ${CMAKE_MATCH_2} ${CMAKE_MATCH_3}{.name = \"${name}\", .missing = "
                "\"${library} was not found when this was configured (Debian: ${package})\"};\n${registration}\n")
        endforeach()
    endforeach()
    if(NOT found)
        message(NOTICE "${library} was not found (Debian: ${package}): its peers are left out of mxk-peers")
    endif()
    set(missing_peers "${missing_peers}" PARENT_SCOPE)
    set(peer_sources "${peer_sources}" PARENT_SCOPE)
endfunction()

peers_in("table_tbb;task_tbb;lock_tbb;dataflow_tbb;fork_tbb" oneTBB "${TBB_VERSION}${tbb_year}" "${TBB_FOUND}" libtbb-dev)
peers_in("table_urcu;read_urcu" liburcu "${urcu_liburcu-qsbr_VERSION}${urcu_year}" "${urcu_FOUND}" liburcu-dev)
peers_in("table_ck;lock_ck" "Concurrency Kit" "${ck_VERSION}${ck_year}" "${ck_FOUND}" libck-dev)
peers_in(table_cuckoo libcuckoo "${libcuckoo_VERSION}${cuckoo_year}" "${libcuckoo_FOUND}" libcuckoo-dev)
peers_in(table_standard libstdc++ "${CMAKE_CXX_COMPILER_VERSION}${standard_year}" TRUE g++)
peers_in(fork_openmp OpenMP "${OpenMP_CXX_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}${standard_year}" "${OpenMP_CXX_FOUND}" g++)
peers_in(task_taskflow Taskflow "${Taskflow_VERSION}${taskflow_year}" "${Taskflow_FOUND}" "libtaskflow-cpp-dev, from Debian 13 on")

# This file alone is compiled so; the headers that are read once for all were not.
set_source_files_properties(${CMAKE_SOURCE_DIR}/peers/fork_openmp.cpp PROPERTIES
    COMPILE_OPTIONS "${OpenMP_CXX_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)

configure_file(${CMAKE_SOURCE_DIR}/peers/missing_peers.cpp.in ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp @ONLY)
# peers_program(NAME OBJECTS SOURCES...): the program mxk of these objects, with the peers in these sources.
function(peers_program name objects)
    add_executable(${name} main/linux/program.cpp ${ARGN})
    target_link_libraries(${name} PRIVATE ${${objects}})
    # as all: tools/lint reads them together
    target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR}/peers/include)
    set_target_properties(${name} PROPERTIES BUILD_RPATH ${peer_libraries}) # of what is loaded when it is asked for
    target_compile_options(${name} PRIVATE ${brief_level})
    precompile(${name} "${program_kind} ${brief_level}" ${common_headers})
    target_link_libraries(${name} PRIVATE ${OpenMP_CXX_LIBRARIES})
    foreach(library TBB::tbb PkgConfig::urcu PkgConfig::ck libcuckoo::libcuckoo Taskflow::Taskflow)
        target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:${library}>)
    endforeach()
endfunction()
peers_program(mxk-peers all_objects ${peer_sources} ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp)
# What `make bench` compares with: TBB's table, and the bound.
set(overview_peers mxk-kernel mxk-rooms ${overview_objects})
list(APPEND first_peers ${peer_sources})
list(FILTER first_peers INCLUDE REGEX "/(peer|peer_run|pinned_thread|table_bounds|table_memory|table_tbb)\\.cpp$")
if(NOT MXK_SANITIZE)
    peers_program(mxk-overview-peers overview_peers ${first_peers} ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp)
    set_target_properties(mxk-overview-peers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
if(MXK_SANITIZE OR MXK_COVERAGE) # the libraries are not instrumented: built only when it is asked for by name
    set_target_properties(mxk-peers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
