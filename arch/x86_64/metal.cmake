# The kernel. Linked twice: the first link gives the addresses of all functions, from which the symbol table for
# backtraces is made; the second adds it behind the code, so that no function moves.
enable_language(ASM_NASM)
find_program(MXK_NM NAMES x86_64-elf-nm x86_64-linux-gnu-nm nm REQUIRED)
find_file(MXK_FONT ascii.pf2 PATHS /usr/share/grub /usr/share/grub2 NO_CACHE REQUIRED) # Debian: grub-common
find_program(MXK_MKRESCUE grub-mkrescue REQUIRED)
find_program(MXK_MKNETDIR grub-mknetdir REQUIRED)

add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-O2;-ffreestanding;-fno-exceptions;-fno-rtti;-fno-threadsafe-statics;-fno-use-cxa-atexit;-fno-stack-protector;-fno-asynchronous-unwind-tables;-fno-pic;-mno-red-zone;-mcmodel=kernel;-fno-math-errno>")
include_directories(${CMAKE_SOURCE_DIR}/arch/x86_64 ${CMAKE_SOURCE_DIR}/tasks/threads/mxos)

# What an interrupt handler that returns may run: no SSE register, since none is saved.
file(GLOB interrupt_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/arch/x86_64/interrupts/*.cpp
     ${CMAKE_SOURCE_DIR}/tasks/threads/mxos/interrupts/*.cpp ${CMAKE_SOURCE_DIR}/kernel/sync/rcu/interrupts/*.cpp
     ${CMAKE_SOURCE_DIR}/kernel/memory/mapping/interrupts/*.cpp ${CMAKE_SOURCE_DIR}/tasks/workqueue/interrupts/*.cpp
     ${CMAKE_SOURCE_DIR}/tests/kernel/metal/interrupts/*.cpp)
set_source_files_properties(${interrupt_sources} PROPERTIES COMPILE_OPTIONS -mgeneral-regs-only)

room_sources(metal_sources arch/x86_64 arch/cpuid tasks/threads/mxos main)
list(FILTER metal_sources EXCLUDE REGEX "/main/(linux|library|mpi)/")
file(GLOB assembly_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/boot/*.asm ${CMAKE_SOURCE_DIR}/arch/x86_64/*.asm
     ${CMAKE_SOURCE_DIR}/tests/kernel/metal/*.asm)
# CMake does not see what NASM includes.
set_source_files_properties(${assembly_sources} PROPERTIES OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/boot/layout.inc)
room_sources(inner_test_sources tests/kernel)
set(font ${CMAKE_BINARY_DIR}/font.asm)
add_custom_command(OUTPUT ${font}
    COMMAND python3 -I ${CMAKE_SOURCE_DIR}/tools/font.py ${MXK_FONT} > ${font}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/font.py ${MXK_FONT} VERBATIM)
add_library(mxk-objects OBJECT ${portable_sources} ${metal_sources} ${assembly_sources} ${font})
compile_cold_together(cold ${portable_sources})
set_target_properties(mxk-objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
add_library(mxk-inner-tests OBJECT ${inner_test_sources})
set_target_properties(mxk-inner-tests PROPERTIES ${tests_together})
target_compile_options(mxk-inner-tests PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>) # linked last: what is optimised more comes first
set(all_objects $<TARGET_OBJECTS:mxk-objects> $<TARGET_OBJECTS:mxk-inner-tests>)

# But for what no freestanding library has; for what handlers of interrupts run, which is compiled without SSE; and for
# what defines functions of <cstring> itself.
list(REMOVE_ITEM common_headers <vector>)
precompile(mxk-objects "-O2" ${common_headers})
precompile(mxk-inner-tests "-O1" ${common_headers})
set_source_files_properties(${interrupt_sources} ${CMAKE_SOURCE_DIR}/arch/x86_64/c_library.cpp PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON)

describe_build("-O2")
add_dependencies(mxk-objects build-description)
target_include_directories(mxk-objects PRIVATE ${CMAKE_BINARY_DIR}/generated)

set(linker_script ${CMAKE_SOURCE_DIR}/boot/linker.ld)
add_link_options(-nostdlib -static -no-pie -T${linker_script} -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--build-id=none
                 -Wl,--fatal-warnings -Wl,--orphan-handling=error)

add_executable(mxk-unnamed.elf ${all_objects})
set(symbols ${CMAKE_BINARY_DIR}/symbols.asm)
add_custom_command(OUTPUT ${symbols}
    COMMAND ${MXK_NM} --demangle --defined-only --numeric-sort $<TARGET_FILE:mxk-unnamed.elf>
            | python3 -I ${CMAKE_SOURCE_DIR}/tools/symbols.py > ${symbols}
    DEPENDS mxk-unnamed.elf ${CMAKE_SOURCE_DIR}/tools/symbols.py VERBATIM)
# The kernel as a debugger reads it, and as a machine boots it: the same less what no loader maps, a tenth of the size.
# The link in it tells a debugger where the rest is.
add_executable(mxk.elf.debug ${all_objects} ${symbols})
set_target_properties(mxk-unnamed.elf mxk.elf.debug PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${linker_script})
set(kernel ${CMAKE_BINARY_DIR}/mxk.elf)
add_custom_command(OUTPUT ${kernel}
    COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=mxk.elf.debug $<TARGET_FILE:mxk.elf.debug> ${kernel}
    DEPENDS mxk.elf.debug WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
add_custom_target(elf ALL DEPENDS ${kernel})

# One ISO for BIOS and UEFI. Its kernel is compressed, and so are GRUB's modules: GRUB expands them as it reads.
set(menu ${CMAKE_SOURCE_DIR}/boot/grub.cfg)
set(grub_modules "multiboot2 normal configfile test serial terminal echo sleep reboot halt all_video")
set(packed_kernel ${CMAKE_BINARY_DIR}/mxk.elf.gz)
add_custom_command(OUTPUT ${packed_kernel}
    COMMAND gzip -9 --no-name --stdout ${kernel} > ${packed_kernel}
    DEPENDS ${kernel} VERBATIM)

set(iso_root ${CMAKE_BINARY_DIR}/iso)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/mxk.iso
    COMMAND ${CMAKE_COMMAND} -E make_directory ${iso_root}/boot/grub
    COMMAND ${CMAKE_COMMAND} -E copy ${packed_kernel} ${iso_root}/boot/mxk.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${menu} ${iso_root}/boot/grub/grub.cfg
    COMMAND ${MXK_MKRESCUE} -o ${CMAKE_BINARY_DIR}/mxk.iso --locales= --fonts= --themes= --compress=gz --modules=gzio
            "--install-modules=${grub_modules} part_acorn part_amiga part_apple part_bsd part_dfly part_dvh part_gpt part_msdos part_plan part_sun part_sunpc iso9660"
            ${iso_root} > ${CMAKE_BINARY_DIR}/mkrescue.log 2>&1
    DEPENDS ${packed_kernel} ${menu} VERBATIM)
add_custom_target(iso DEPENDS ${CMAKE_BINARY_DIR}/mxk.iso)

# What a TFTP server gives to a machine that boots by PXE: GRUB for BIOS and UEFI, the same menu, the same kernel. Made
# anew as a whole, so that nothing stays in it that is no part of it.
set(pxe_root ${CMAKE_BINARY_DIR}/pxe)
set(pxe_made ${CMAKE_BINARY_DIR}/pxe.made)
add_custom_command(OUTPUT ${pxe_made}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pxe_root}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pxe_root}/boot
    COMMAND ${MXK_MKNETDIR} --net-directory=${pxe_root} --subdir=boot/grub --locales= --fonts= --themes= --compress=gz
            --modules=gzio "--install-modules=${grub_modules}" > ${CMAKE_BINARY_DIR}/mknetdir.log 2>&1
    COMMAND ${CMAKE_COMMAND} -E copy ${packed_kernel} ${pxe_root}/boot/mxk.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${menu} ${pxe_root}/boot/grub/grub.cfg
    COMMAND ${CMAKE_COMMAND} -E touch ${pxe_made}
    DEPENDS ${packed_kernel} ${menu} VERBATIM)
add_custom_target(pxe DEPENDS ${pxe_made})
