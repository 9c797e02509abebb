# The kernel. Linked twice: the first link gives the addresses of all functions, from which the symbol table for
# backtraces is made; the second adds it behind the code, so that no function moves.
enable_language(ASM_NASM)
find_program(MXK_NM NAMES x86_64-elf-nm x86_64-linux-gnu-nm nm REQUIRED)
find_file(MXK_FONT ascii.pf2 PATHS /usr/share/grub /usr/share/grub2 NO_CACHE REQUIRED) # Debian: grub-common
find_program(MXK_MKRESCUE grub-mkrescue REQUIRED)
find_program(MXK_MKNETDIR grub-mknetdir REQUIRED)
find_program(MXK_MKIMAGE grub-mkimage REQUIRED)
find_program(MXK_XZ xz REQUIRED) # Debian: xz-utils
find_file(MXK_BOOT_SECTOR boot.img PATHS /usr/lib/grub/i386-pc /usr/lib/grub2/i386-pc NO_CACHE REQUIRED) # Debian: grub-pc-bin

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
list(FILTER metal_sources EXCLUDE REGEX "/main/(linux|library|mpi|cluster|preload)/")
file(GLOB assembly_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/boot/*.asm ${CMAKE_SOURCE_DIR}/arch/x86_64/*/*.asm)
# CMake does not see what NASM includes.
set_source_files_properties(${assembly_sources} PROPERTIES OBJECT_DEPENDS ${CMAKE_SOURCE_DIR}/boot/layout.inc)
room_sources(inner_test_sources tests/kernel)
file(GLOB inner_test_assembly CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/kernel/metal/*.asm)
set(font ${CMAKE_BINARY_DIR}/font.asm)
add_custom_command(OUTPUT ${font}
    COMMAND python3 -I ${CMAKE_SOURCE_DIR}/tools/font.py ${MXK_FONT} > ${font}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/font.py ${MXK_FONT} VERBATIM)

# But for what no freestanding library has; for what handlers of interrupts run, which is compiled without SSE; and for
# what defines functions of <cstring> itself.
list(REMOVE_ITEM common_headers <vector>)
set_source_files_properties(${interrupt_sources} ${CMAKE_SOURCE_DIR}/arch/x86_64/c_library.cpp PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON)

add_library(mxk-rooms OBJECT ${kernel_sources} ${rooms_sources} ${metal_sources} ${assembly_sources} ${font})
set(all_objects mxk-rooms)
foreach(subject IN LISTS subjects)
    add_library(mxk-bench-${subject} OBJECT ${${subject}_sources})
    list(APPEND all_objects mxk-bench-${subject})
endforeach()
foreach(target IN LISTS all_objects)
    get_target_property(sources ${target} SOURCES)
    compile_cold_together(cold ${sources})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    precompile(${target} "-O2" ${common_headers})
endforeach()
# Linked last: what is optimised more comes first.
room_sources(soak_sources tests/soak) # `soak`, `crash` and `hang` are commands of users, too
add_library(mxk-soak OBJECT ${soak_sources})
add_library(mxk-inner-tests OBJECT ${inner_test_sources} ${inner_test_assembly})
foreach(target mxk-soak mxk-inner-tests)
    set_target_properties(${target} PROPERTIES ${tests_together})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
    precompile(${target} "-O1" ${common_headers})
endforeach()

describe_build("-O2")
foreach(target IN LISTS all_objects)
    add_dependencies(${target} build-description)
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endforeach()

set(linker_script ${CMAKE_SOURCE_DIR}/boot/linker.ld)
add_link_options(-nostdlib -static -no-pie -T${linker_script} -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--build-id=none
                 -Wl,--fatal-warnings -Wl,--orphan-handling=error)

# kernel_image(NAME TARGETS...): NAME.elf of these objects.
function(kernel_image name)
    set(objects)
    foreach(target IN LISTS ARGN)
        list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endforeach()
    add_executable(${name}-unnamed.elf ${objects})
    set(symbols ${CMAKE_BINARY_DIR}/${name}-symbols.asm)
    add_custom_command(OUTPUT ${symbols}
        COMMAND ${MXK_NM} --demangle --defined-only --numeric-sort $<TARGET_FILE:${name}-unnamed.elf>
                | python3 -I ${CMAKE_SOURCE_DIR}/tools/symbols.py > ${symbols}
        DEPENDS ${name}-unnamed.elf ${CMAKE_SOURCE_DIR}/tools/symbols.py VERBATIM)
    # The kernel as a debugger reads it, and as a machine boots it: the same less what no loader maps, a tenth of the size.
    # The link in it tells a debugger where the rest is.
    add_executable(${name}.elf.debug ${objects} ${symbols})
    set_target_properties(${name}-unnamed.elf ${name}.elf.debug PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS ${linker_script})
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${name}.elf
        COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=${name}.elf.debug $<TARGET_FILE:${name}.elf.debug>
                ${CMAKE_BINARY_DIR}/${name}.elf
        DEPENDS ${name}.elf.debug WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${name}.elf.gz
        COMMAND gzip -9 --no-name --stdout ${CMAKE_BINARY_DIR}/${name}.elf > ${CMAKE_BINARY_DIR}/${name}.elf.gz
        DEPENDS ${CMAKE_BINARY_DIR}/${name}.elf VERBATIM)
    # --check=none: GRUB would need one more module for a check sum. The dictionary lies in GRUB's heap.
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${name}.elf.xz
        COMMAND ${MXK_XZ} --check=none --x86 --lzma2=preset=9e,dict=1MiB --stdout ${CMAKE_BINARY_DIR}/${name}.elf
                > ${CMAKE_BINARY_DIR}/${name}.elf.xz
        DEPENDS ${CMAKE_BINARY_DIR}/${name}.elf VERBATIM)
    add_custom_target(image-of-${name} DEPENDS ${CMAKE_BINARY_DIR}/${name}.elf)
endfunction()
kernel_image(mxk ${all_objects} mxk-soak)
kernel_image(mxk-test ${all_objects} mxk-soak mxk-inner-tests) # with the tests that run inside
list(TRANSFORM overview_subjects PREPEND mxk-bench- OUTPUT_VARIABLE overview_objects)
kernel_image(mxk-overview mxk-rooms ${overview_objects}) # what `make bench` boots
add_custom_target(elf ALL DEPENDS ${CMAKE_BINARY_DIR}/mxk.elf)

# One ISO for BIOS and UEFI. Its kernels, without tests and with them, are compressed, and so are GRUB's modules: GRUB expands
# them as it reads. For PXE by gzip: before GRUB expands xz, it reads the end of the file, which TFTP brings only after the rest.
set(menu ${CMAKE_SOURCE_DIR}/boot/grub.cfg)
set(grub_modules "multiboot2 normal configfile test serial terminal echo sleep reboot halt all_video")
# What has to go along with the kernel, in one text.
set(notice_texts ${CMAKE_SOURCE_DIR}/NOTICE ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/LICENSES/OFL-1.1.txt)
set(notices ${CMAKE_BINARY_DIR}/licences.txt.gz)
add_custom_command(OUTPUT ${notices}
    COMMAND cat ${notice_texts} | gzip -9 --no-name > ${notices}
    DEPENDS ${notice_texts} VERBATIM)
set(packed_kernels ${CMAKE_BINARY_DIR}/mxk.elf.xz ${CMAKE_BINARY_DIR}/mxk-test.elf.xz)
set(served_kernels ${CMAKE_BINARY_DIR}/mxk.elf.gz ${CMAKE_BINARY_DIR}/mxk-test.elf.gz)

set(of_absent_modules /boot/grub/i386-pc/efiemu32.o /boot/grub/i386-pc/efiemu64.o # and what only installers read
    /boot/grub/i386-pc/parttool.lst /boot/grub/x86_64-efi/parttool.lst
    /boot/grub/i386-pc/partmap.lst /boot/grub/x86_64-efi/partmap.lst /System/Library/CoreServices/.disk_label)
foreach(name moddep.lst modinfo.sh video.lst crypto.lst) # of crypto.lst only menus with passwords ask
    list(APPEND of_absent_modules /boot/grub/i386-pc/${name} /boot/grub/x86_64-efi/${name})
endforeach()
# Of those that GRUB's images have inside, it asks once more for its partitions' on UEFI only.
foreach(name acorn amiga apple bsd dfly dvh gpt msdos plan sun sunpc)
    list(APPEND of_absent_modules /boot/grub/i386-pc/part_${name}.mod)
endforeach()
foreach(name iso9660 fshelp)
    list(APPEND of_absent_modules /boot/grub/i386-pc/${name}.mod /boot/grub/x86_64-efi/${name}.mod)
endforeach()
set(iso_root ${CMAKE_BINARY_DIR}/iso)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/mxk.iso
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${iso_root}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${iso_root}/boot/grub
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/mxk.elf.xz ${iso_root}/boot/mxk.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/mxk-test.elf.xz ${iso_root}/boot/mxk-test.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${menu} ${iso_root}/boot/grub/grub.cfg
    COMMAND ${CMAKE_COMMAND} -E copy ${notices} ${iso_root}
    COMMAND ${MXK_MKRESCUE} -o ${CMAKE_BINARY_DIR}/mxk.iso --locales= --fonts= --themes= --compress=xz --modules=xzio
            "--install-modules=${grub_modules} part_acorn part_amiga part_apple part_bsd part_dfly part_dvh part_gpt part_msdos part_plan part_sun part_sunpc iso9660"
            ${iso_root} -- -rm ${of_absent_modules} --
            > ${CMAKE_BINARY_DIR}/mkrescue.log 2>&1
    DEPENDS ${packed_kernels} ${menu} ${notices} VERBATIM)
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
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/mxk.elf.gz ${pxe_root}/boot/mxk.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/mxk-test.elf.gz ${pxe_root}/boot/mxk-test.elf
    COMMAND ${CMAKE_COMMAND} -E copy ${menu} ${pxe_root}/boot/grub/grub.cfg
    COMMAND ${CMAKE_COMMAND} -E copy ${notices} ${pxe_root}
    COMMAND chmod -R a+rX ${pxe_root} # TFTP servers are other users; what is compressed is its maker's alone
    COMMAND ${CMAKE_COMMAND} -E touch ${pxe_made}
    DEPENDS ${served_kernels} ${menu} ${notices} VERBATIM)
add_custom_target(pxe DEPENDS ${pxe_made})

# A disk for BIOS and UEFI: the same menu, the same kernels, on one file system for both. GRUB has all that it needs inside,
# and takes for $root the second partition of the disk that it came from.
separate_arguments(disk_modules UNIX_COMMAND "${grub_modules} xzio part_gpt fat")
set(bios_core ${CMAKE_BINARY_DIR}/disk-bios.img)
set(uefi_core ${CMAKE_BINARY_DIR}/disk-uefi.efi)
add_custom_command(OUTPUT ${bios_core} ${uefi_core}
    COMMAND ${MXK_MKIMAGE} --format=i386-pc "--prefix=(,gpt2)/boot/grub" --output=${bios_core} ${disk_modules} biosdisk
    COMMAND ${MXK_MKIMAGE} --format=x86_64-efi "--prefix=(,gpt2)/boot/grub" --output=${uefi_core} ${disk_modules}
    DEPENDS ${MXK_BOOT_SECTOR} VERBATIM)
set(disk ${CMAKE_BINARY_DIR}/mxk.img ${CMAKE_BINARY_DIR}/mxk.qcow2) # the second where qemu-img is: each build says if not
add_custom_command(OUTPUT ${disk}
    COMMAND python3 -I ${CMAKE_SOURCE_DIR}/tools/disk_image.py ${CMAKE_BINARY_DIR}/mxk.img --qcow2 ${CMAKE_BINARY_DIR}/mxk.qcow2
            --boot ${MXK_BOOT_SECTOR} --core ${bios_core} EFI/BOOT/BOOTX64.EFI=${uefi_core} boot/grub/grub.cfg=${menu}
            boot/mxk.elf=${CMAKE_BINARY_DIR}/mxk.elf.xz boot/mxk-test.elf=${CMAKE_BINARY_DIR}/mxk-test.elf.xz
            licences.txt.gz=${notices}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/disk_image.py ${MXK_BOOT_SECTOR} ${bios_core} ${uefi_core} ${packed_kernels} ${menu} ${notices}
    VERBATIM)
add_custom_target(image DEPENDS ${disk})
