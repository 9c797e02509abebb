# libmxk-locks.so, which LD_PRELOAD puts before the C library of a program (docs/locks-preload.md). The locks are made
# again, for this fabric; what they need from below is lock_platform.cpp. Nothing of C++ is loaded with it.
room_sources(preload_sources main/preload locks/kinds)
list(APPEND preload_sources ${CMAKE_SOURCE_DIR}/locks/fabric/group_rooms.cpp)
add_library(mxk-locks SHARED ${preload_sources})
target_include_directories(mxk-locks BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/main/preload)
target_compile_options(mxk-locks PRIVATE -O2 -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -fno-strict-aliasing) # what a program knows as its pthread_mutex_t is other things here
set(mxk_exports ${CMAKE_SOURCE_DIR}/main/preload/exports.map)
target_link_options(mxk-locks PRIVATE -nodefaultlibs -Wl,-z,defs -Wl,-z,now -Wl,--version-script=${mxk_exports})
target_link_libraries(mxk-locks PRIVATE c gcc)
set_target_properties(mxk-locks PROPERTIES LINK_DEPENDS ${mxk_exports})
install(TARGETS mxk-locks LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT locks)
