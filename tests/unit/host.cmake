# The host build: unit tests of the portable rooms under sanitizers. kernel/main.cpp composes the kernel and is metal's.
find_package(GTest REQUIRED)
enable_testing()

add_compile_options(-O1)
if(MXK_SANITIZE)
    add_compile_options(-fsanitize=${MXK_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${MXK_SANITIZE})
endif()
include_directories(${CMAKE_SOURCE_DIR}/arch/linux)

room_sources(host_sources arch/linux tests/unit)
list(REMOVE_ITEM portable_sources ${CMAKE_SOURCE_DIR}/kernel/main.cpp)
add_executable(mxk-unit ${portable_sources} ${host_sources})
target_link_libraries(mxk-unit PRIVATE GTest::gtest GTest::gtest_main)
