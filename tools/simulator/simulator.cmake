# The simulator of other machines (docs/simulation.md): the model and the decoder, which know nothing of the emulator that
# runs the kernel. Included by the Linux build where Capstone and nlohmann's JSON are there.
room_sources(simulator_model_sources tools/simulator/model tools/simulator/decode)
add_library(mxk-simulator-model STATIC EXCLUDE_FROM_ALL ${simulator_model_sources})
# As fast in the sanitized builds as their sanitizers let it be: a test runs it for millions of instructions.
target_compile_options(mxk-simulator-model PRIVATE -O2)
set_target_properties(mxk-simulator-model PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(mxk-simulator-model PUBLIC PkgConfig::capstone nlohmann_json::nlohmann_json)

# What QEMU loads (build/machines/qemu-10). It finds QEMU's functions when it is loaded.
room_sources(simulator_plugin_sources tools/simulator/plugin)
add_library(mxk-simulator MODULE EXCLUDE_FROM_ALL ${simulator_plugin_sources})
target_compile_options(mxk-simulator PRIVATE -O2 -fvisibility=hidden)
target_link_libraries(mxk-simulator PRIVATE mxk-simulator-model Threads::Threads)
set_target_properties(mxk-simulator PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
