# mxk-peers: the program mxk, plus the tables and task systems of others that it is compared with. A library that is not
# there costs its peers, which then say so in `bench peer --list` and in every run; it never fails the build.

find_package(TBB QUIET CONFIG)
find_package(libcuckoo QUIET CONFIG)
find_package(Taskflow QUIET CONFIG)
pkg_check_modules(urcu QUIET IMPORTED_TARGET liburcu-qsbr liburcu-memb liburcu-cds)
pkg_check_modules(ck QUIET IMPORTED_TARGET ck)

# Which of them this build has: names of files of peers/ (a file is a table, a lock, ... or all those of a library),
# all by default. No file with peers needs another one.
set(MXK_PEERS "" CACHE STRING "Peers of mxk-peers, such as table_tbb;table_bounds; all if empty")
file(GLOB peer_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/peers/*.cpp)
if(MXK_PEERS)
    list(FILTER peer_sources EXCLUDE REGEX "/(dataflow|heap|lock|memory|read|system|table|task)_[a-z_]+\\.cpp$")
    foreach(file IN LISTS MXK_PEERS)
        list(APPEND peer_sources ${CMAKE_SOURCE_DIR}/peers/${file}.cpp)
    endforeach()
    list(APPEND peer_sources ${CMAKE_SOURCE_DIR}/peers/table_memory.cpp) # what tables stand on
    list(REMOVE_DUPLICATES peer_sources)
endif()
set(missing_peers)

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
        message(WARNING "${library} was not found (Debian: ${package}): its peers are left out of mxk-peers")
    endif()
    set(missing_peers "${missing_peers}" PARENT_SCOPE)
    set(peer_sources "${peer_sources}" PARENT_SCOPE)
endfunction()

peers_in("table_tbb;task_tbb;lock_tbb;dataflow_tbb" oneTBB "${TBB_VERSION}" "${TBB_FOUND}" libtbb-dev)
peers_in("table_urcu;read_urcu" liburcu "${urcu_liburcu-qsbr_VERSION}" "${urcu_FOUND}" liburcu-dev)
peers_in("table_ck;lock_ck" "Concurrency Kit" "${ck_VERSION}" "${ck_FOUND}" libck-dev)
peers_in(table_cuckoo libcuckoo "${libcuckoo_VERSION}" "${libcuckoo_FOUND}" libcuckoo-dev)
peers_in(table_standard libstdc++ "${CMAKE_CXX_COMPILER_VERSION}" TRUE g++)
peers_in(task_taskflow Taskflow "${Taskflow_VERSION}" "${Taskflow_FOUND}" "libtaskflow-cpp-dev, from Debian 13 on")

configure_file(${CMAKE_SOURCE_DIR}/peers/missing_peers.cpp.in ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp @ONLY)
# peers_program(NAME OBJECTS SOURCES...): the program mxk of these objects, with the peers in these sources.
function(peers_program name objects)
    add_executable(${name} main/linux/program.cpp ${ARGN})
    target_link_libraries(${name} PRIVATE ${${objects}})
    target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated) # as all: tools/lint reads them together
    target_compile_options(${name} PRIVATE ${brief_level})
    precompile(${name} "${program_kind} ${brief_level}" ${common_headers})
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
