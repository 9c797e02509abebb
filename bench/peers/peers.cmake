# mxk-peers: the program mxk, plus the tables and task systems of others that it is compared with. A library that is not
# there costs its peers, which then say so in `bench peer --list` and in every run; it never fails the build.

find_package(TBB QUIET CONFIG)
find_package(libcuckoo QUIET CONFIG)
find_package(Taskflow QUIET CONFIG)
pkg_check_modules(urcu QUIET IMPORTED_TARGET liburcu-qsbr liburcu-cds)
pkg_check_modules(ck QUIET IMPORTED_TARGET ck)

file(GLOB peer_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/peers/*.cpp
    ${CMAKE_SOURCE_DIR}/bench/peers/reference/*.cpp)
function(leave_out_task_peers pattern definition) # task_missing.cpp names them
    list(FILTER peer_sources EXCLUDE REGEX "/task_${pattern}[^/]*\\.cpp$")
    set(peer_sources ${peer_sources} PARENT_SCOPE)
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/bench/peers/task_missing.cpp
        APPEND PROPERTY COMPILE_DEFINITIONS ${definition})
endfunction()
if(NOT TBB_FOUND)
    leave_out_task_peers(tbb MXK_NO_TBB)
endif()
if(NOT Taskflow_FOUND)
    leave_out_task_peers(taskflow MXK_NO_TASKFLOW)
endif()
add_executable(mxk-peers main/linux/program.cpp ${peer_sources})
target_link_libraries(mxk-peers PRIVATE mxk-objects $<TARGET_NAME_IF_EXISTS:Taskflow::Taskflow>)
target_precompile_headers(mxk-peers REUSE_FROM mxk-objects)
if(MXK_SANITIZE OR MXK_COVERAGE) # the libraries are not instrumented: only who asks for it by name gets it
    set_target_properties(mxk-peers PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# The peers in bench/peers/FOLDER, one per file and named like it. FOUND: whether their library is there; PACKAGE: the
# one of Debian that has it; then what to link.
set(missing_peers)
function(peers_of folder library version found package)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/peers/${folder}/*.cpp)
    if(found)
        target_sources(mxk-peers PRIVATE ${sources})
        target_link_libraries(mxk-peers PRIVATE ${ARGN})
        set_source_files_properties(${sources} PROPERTIES
            COMPILE_DEFINITIONS "MXK_PEER_LIBRARY=\"${library} ${version}\"")
        return()
    endif()
    message(WARNING "${library} was not found (Debian: ${package}): its peers are left out of mxk-peers")
    foreach(source IN LISTS sources)
        get_filename_component(symbol ${source} NAME_WE)
        string(REPLACE "_" "-" name ${symbol})
        string(APPEND missing_peers "constexpr Peer ${symbol}{.name = \"${name}\", .library = \"${library}\", "
            ".missing = \"${library} was not found when this was configured (Debian: ${package})\"};\n"
            "MXK_REGISTER(mxk_peers, Peer, ${symbol});\n")
    endforeach()
    set(missing_peers "${missing_peers}" PARENT_SCOPE)
endfunction()

peers_of(tbb oneTBB "${TBB_VERSION}" "${TBB_FOUND}" libtbb-dev TBB::tbb)
peers_of(urcu liburcu "${urcu_liburcu-qsbr_VERSION}" "${urcu_FOUND}" liburcu-dev PkgConfig::urcu)
peers_of(ck "Concurrency Kit" "${ck_VERSION}" "${ck_FOUND}" libck-dev PkgConfig::ck)
peers_of(cuckoo libcuckoo "${libcuckoo_VERSION}" "${libcuckoo_FOUND}" libcuckoo-dev libcuckoo::libcuckoo)
peers_of(standard libstdc++ "${CMAKE_CXX_COMPILER_VERSION}" TRUE g++)

configure_file(${CMAKE_SOURCE_DIR}/bench/peers/missing_peers.cpp.in ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp @ONLY)
target_sources(mxk-peers PRIVATE ${CMAKE_BINARY_DIR}/generated/missing_peers.cpp)
