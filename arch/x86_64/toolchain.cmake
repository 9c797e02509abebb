# Freestanding x86-64: an x86_64-elf cross compiler if there is one, else x86_64-linux-gnu- (the native one on x86-64).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
find_program(MXK_CXX NAMES x86_64-elf-g++ x86_64-linux-gnu-g++ g++ REQUIRED)
set(CMAKE_CXX_COMPILER ${MXK_CXX})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
