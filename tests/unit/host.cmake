# The host build: unit tests of the portable rooms under sanitizers. The Linux program is still to come (issue 3/5), so
# what only a whole machine needs (terminal, timer, the console's task, experiments) is left out here.
find_package(GTest REQUIRED)
enable_testing()

add_compile_options(-O1)
if(MXK_SANITIZE)
    add_compile_options(-fsanitize=${MXK_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${MXK_SANITIZE})
endif()
include_directories(${CMAKE_SOURCE_DIR}/arch/linux)

room_sources(host_sources arch/linux tests/unit)
list(FILTER portable_sources EXCLUDE REGEX "/tasks/(console_task|ticker)\\.cpp$")
list(FILTER portable_sources EXCLUDE REGEX "/bench/(progress|table.*|machine_record)\\.cpp$")
add_executable(mxk-unit ${portable_sources} ${host_sources})
target_link_libraries(mxk-unit PRIVATE GTest::gtest GTest::gtest_main)
