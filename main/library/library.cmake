# The library libmxk.a as other programs use it: find_package(mxk), mxk::mxk, #include <mxk/runtime.hpp>. See
# docs/library.md. Installed with the program: cmake --install build/linux --prefix PREFIX.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The objects of the program less what is only the program's.
add_library(mxk-library STATIC $<FILTER:$<TARGET_OBJECTS:mxk-kernel>;$<TARGET_OBJECTS:mxk-rooms>;$<TARGET_OBJECTS:mxk-queries>,EXCLUDE,${not_for_users}>)
set_target_properties(mxk-library PROPERTIES OUTPUT_NAME mxk EXPORT_NAME mxk LINKER_LANGUAGE CXX)
target_compile_features(mxk-library INTERFACE cxx_std_20)
target_link_libraries(mxk-library INTERFACE PkgConfig::hwloc PkgConfig::numa Threads::Threads)
if(MXK_SANITIZE) # its user has to bring the sanitizer's runtime, and to read the headers as it did
    set(mxk_sanitized "-fsanitize=${MXK_SANITIZE}")
    set(mxk_definitions -DMXK_CHECK_LOCKS -DMXK_CHECK_HEAP -DMXK_INJECT_DELAYS)
    target_compile_options(mxk-library INTERFACE ${mxk_sanitized} ${mxk_definitions})
    target_link_options(mxk-library INTERFACE -fsanitize=${MXK_SANITIZE})
elseif(MXK_COVERAGE)
    target_link_options(mxk-library INTERFACE --coverage)
endif()

# What a user may include, by the names of this tree; what these include comes with them.
set(public_headers
    main/cluster/cluster.hpp
    main/cluster/global_table.hpp
    main/library/heap_resource.hpp
    main/library/locks.hpp
    main/library/parallel.hpp
    main/library/runtime.hpp
    main/library/set.hpp
    main/library/table.hpp
    main/library/table_file.hpp
    base/log.hpp
    base/spin_wait.hpp
    hashtable/batch/batch_client.hpp
    hashtable/batch/reading_client.hpp
    hashtable/layout/bucketed.hpp
    hashtable/layout/chained.hpp
    hashtable/shared/concurrent/concurrent_pairs.hpp
    hashtable/shared/concurrent_lines.hpp
    hashtable/shared/shared_chains.hpp
    hashtable/table/partitioned.hpp
    kernel/clock.hpp
    kernel/memory/heap/heap.hpp
    kernel/memory/node_vector.hpp
    kernel/topology/system_topology.hpp
    query/column_file.hpp
    query/plan/arrow.hpp
    query/plan/plan.hpp
    tasks/coroutine.hpp
    tasks/dataflow/graph/box_task.hpp
    tasks/dataflow/graph/model.hpp
    tasks/dataflow/graph/parallel_sort_box.hpp
    tasks/dataflow/graph/parallel_stage.hpp
    tasks/dataflow/graph/query_monitor.hpp
    tasks/dataflow/graph/sort_box.hpp
    tasks/dataflow/scheduler.hpp
    tasks/remote/call_at.hpp
    tasks/run_on.hpp
    tasks/prefetching.hpp
    tasks/rcu/rcu_wait.hpp
    tasks/spawn.hpp
    tasks/start.hpp
    tasks/task_group.hpp
    tasks/threads/barrier.hpp
    tasks/threads/condition.hpp
    tasks/threads/mutex.hpp
    tasks/threads/semaphore.hpp
    tasks/threads/thread.hpp
    tasks/timers.hpp
    tasks/turn_limit.hpp
    tasks/when_all.hpp
    tasks/workers.hpp)

set(staged_headers ${CMAKE_BINARY_DIR}/library-headers)
set(stage_script ${CMAKE_SOURCE_DIR}/main/library/stage_headers.cmake)
file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/base/*.hpp ${CMAKE_SOURCE_DIR}/kernel/*.hpp ${CMAKE_SOURCE_DIR}/tasks/*.hpp
    ${CMAKE_SOURCE_DIR}/hashtable/*.hpp ${CMAKE_SOURCE_DIR}/locks/*.hpp ${CMAKE_SOURCE_DIR}/query/*.hpp ${CMAKE_SOURCE_DIR}/arch/linux/*.hpp ${CMAKE_SOURCE_DIR}/main/library/*.hpp
    ${CMAKE_SOURCE_DIR}/main/cluster/*.hpp)
file(GLOB seam_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/arch/*.hpp)
add_custom_command(OUTPUT ${staged_headers}.stamp
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DDESTINATION=${staged_headers} "-DHEADERS=${public_headers}"
            -P ${stage_script}
    COMMAND ${CMAKE_COMMAND} -E touch ${staged_headers}.stamp
    DEPENDS ${all_headers} ${seam_headers} ${stage_script} VERBATIM)
add_custom_target(mxk-headers ALL DEPENDS ${staged_headers}.stamp)

# For those who do not use CMake. A static library needs what is below it named, too.
list(JOIN mxk_definitions " " mxk_definitions)
file(RELATIVE_PATH mxk_up_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/main/library/mxk.pc.in ${CMAKE_BINARY_DIR}/mxk.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/mxk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/mxk)
configure_package_config_file(${CMAKE_SOURCE_DIR}/main/library/mxkConfig.cmake.in ${CMAKE_BINARY_DIR}/mxkConfig.cmake
    INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a new minor version may change what programs see.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/mxkConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# In two components, which can be installed alone: cmake --install build/linux --component program.
install(TARGETS mxk-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${CMAKE_SOURCE_DIR}/main/linux/mxk.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(TARGETS mxk-library EXPORT mxk
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${staged_headers}/mxk DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT mxk NAMESPACE mxk:: FILE mxkTargets.cmake DESTINATION ${package_folder} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/mxkConfig.cmake ${CMAKE_BINARY_DIR}/mxkConfigVersion.cmake
    DESTINATION ${package_folder} COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
