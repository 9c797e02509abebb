; From the loader to 64 bit. Two doors: multiboot2 (GRUB; specification 2.0 section 3) and PVH (QEMU -kernel; Xen's
; x86/HVM direct boot ABI). Both hand over in 32-bit protected mode, paging off, ebx = physical address of their
; information. Leaves in long mode on the boot page tables, and calls start(protocol, information) in the higher half.
;
; The boot page tables map, and nothing of it is writable and executable (where the processor has no-execute pages):
;   identity        this code and its constants, to be executed; later the other cores' trampoline (boot_tables.cpp)
;   direct map      nothing; C++ adds of the first 4 GiB what it reads and what it makes page tables of
;   kernel_base     the image: code to be executed, constants to be read, data to be written

%include "boot/layout.inc"

multiboot2_header_magic equ 0xe85250d6
multiboot2_loader_magic equ 0x36d76289
pvh_start_magic         equ 0x336ec578

page_present            equ 1 << 0
page_writable           equ 1 << 1
boot_image_table_count  equ 8

; map_pages first, end, lower half of the entries, upper half: in the tables at edi.
%macro map_pages 4
    mov eax, %1
    mov ecx, %2
    mov ebx, %3
    mov edx, %4
    call fill_entries
%endmacro

; link_tables entries, first table, how many
%macro link_tables 3
    mov edi, %1
    mov eax, %2
    mov ecx, %3
    call fill_links
%endmacro

section .multiboot2 progbits alloc noexec nowrite align=8
multiboot2_header:
    dd multiboot2_header_magic
    dd 0                                        ; i386 protected mode
    dd multiboot2_header_end - multiboot2_header
    dd -(multiboot2_header_magic + (multiboot2_header_end - multiboot2_header)) & 0xffffffff
    ; information request: without the memory map there is nothing to run in
    dw 1, 0
    dd 12
    dd 6                                        ; memory map
    align 8, db 0
    ; and, where there is one (flag 1: optional), UEFI's
    dw 1, 1
    dd 12
    dd 17
    align 8, db 0
    ; a frame buffer, if there can be one (flag 1: optional), of any size and depth: UEFI has no text mode
    dw 5, 1
    dd 20
    dd 0, 0, 0
    align 8, db 0
    dw 0, 0                                     ; end
    dd 8
multiboot2_header_end:

section .note.pvh note alloc noexec nowrite align=4
    dd 4, 8, 18                                 ; name size, descriptor size, XEN_ELFNOTE_PHYS32_ENTRY
    db "Xen", 0
    dq entry_pvh

section .boot.text progbits alloc exec nowrite align=16
bits 32
global entry_multiboot2
extern start64
; linker.ld: physical addresses
extern image_start, boot_code_end, boot_tables_end, text_start_physical, text_end_physical, rodata_end_physical
extern image_end

entry_multiboot2:
    cmp eax, multiboot2_loader_magic
    jne wrong_loader
    mov edi, eax
    jmp enter_long_mode

entry_pvh:
    mov edi, pvh_start_magic

; edi: protocol; ebx: its information. esp is set to a stack that serves until start64.
enter_long_mode:
    cli
    cld
    mov esp, early_stack_top
    push ebx
    push edi

    mov eax, 0x80000000
    cpuid
    cmp eax, 0x80000001
    jb no_long_mode
    mov eax, 0x80000001
    cpuid
    bt edx, 29                                  ; long mode
    jnc no_long_mode
    and edx, 1 << 20                            ; no-execute
    shl edx, 11
    mov ebp, edx                                ; the upper half of an entry of what must not be executed

    mov edi, boot_low_table
    map_pages image_start, boot_code_end, page_present, 0
    mov edi, boot_image_tables
    map_pages image_start, boot_code_end, page_present, ebp
    map_pages boot_code_end, boot_tables_end, page_present | page_writable, ebp
    map_pages text_start_physical, text_end_physical, page_present, 0
    map_pages text_end_physical, rodata_end_physical, page_present, ebp
    map_pages rodata_end_physical, image_end, page_present | page_writable, ebp

    link_tables boot_low_directory, boot_low_table, 1
    link_tables boot_low_pointers, boot_low_directory, 1
    link_tables boot_direct_pointers, boot_direct_directories, 4
    link_tables boot_high_directory, boot_image_tables, boot_image_table_count
    link_tables boot_high_pointers + 510 * 8, boot_high_directory, 1
    link_tables boot_page_table, boot_low_pointers, 1
    link_tables boot_page_table + direct_map_slot * 8, boot_direct_pointers, 1
    link_tables boot_page_table + 511 * 8, boot_high_pointers, 1

    mov eax, cr4_at_entry
    mov cr4, eax
    mov eax, boot_page_table
    mov cr3, eax
    mov ecx, msr_efer
    rdmsr
    or eax, efer_long_mode
    test ebp, ebp
    jz .without_no_execute
    or eax, efer_no_execute
.without_no_execute:
    wrmsr
    pop edi
    pop esi
    mov eax, cr0_at_entry
    mov cr0, eax
    lgdt [boot_gdt_pointer]
    jmp 8:.in_long_mode

bits 64
.in_long_mode:
    mov ax, 16
    mov ds, ax
    mov es, ax
    mov ss, ax
    xor eax, eax
    mov fs, ax
    mov gs, ax
    mov rax, start64
    jmp rax

bits 32
; Frames from eax to below ecx into the page tables at edi, which begin with frame 0; lower half of an entry: ebx, upper
; half: edx. Changes eax and esi.
fill_entries:
    cmp eax, ecx
    jae .done
    mov esi, eax
    shr esi, 12 - 3
    or eax, ebx
    mov [edi + esi], eax
    mov [edi + esi + 4], edx
    and eax, -4096
    add eax, 4096
    jmp fill_entries
.done:
    ret

; As many tables from eax on into the entries at edi as ecx says.
fill_links:
    or eax, page_present | page_writable
.next:
    mov [edi], eax
    add eax, 4096
    add edi, 8
    loop .next
    ret

wrong_loader:
    mov esi, wrong_loader_text
    jmp say_and_halt
no_long_mode:
    mov esi, no_long_mode_text
; There is no console yet: straight to the first serial line, then for ever quiet.
say_and_halt:
    lodsb
    test al, al
    jz .halt
    mov dx, 0x3f8
    out dx, al
    mov ecx, 100000                             ; longer than one character at 115200 baud takes
.wait:
    pause
    loop .wait
    jmp say_and_halt
.halt:
    cli
    hlt
    jmp .halt

section .boot.data progbits alloc noexec nowrite align=8
wrong_loader_text: db "MXK: expected to be started by a multiboot2 loader (GRUB: 'multiboot2 /boot/mxk.elf')", 13, 10, 0
no_long_mode_text: db "MXK: expected a 64-bit processor (long mode)", 13, 10, 0

align 8
boot_gdt:
    dq 0
    dq gdt_code
    dq gdt_data
boot_gdt_pointer:
    dw boot_gdt_pointer - boot_gdt - 1
    dd boot_gdt

section .boot.bss nobits alloc noexec write align=4096
global boot_page_table, boot_low_table, boot_direct_directories
boot_page_table:         resb 4096              ; also what the other cores start on (trampoline.asm)
boot_low_pointers:       resb 4096
boot_low_directory:      resb 4096
boot_low_table:          resb 4096              ; identity, 0 to 2 MiB
boot_direct_pointers:    resb 4096
boot_direct_directories: resb 4 * 4096          ; direct map, 0 to 4 GiB
boot_high_pointers:      resb 4096
boot_high_directory:     resb 4096
boot_image_tables:       resb boot_image_table_count * 4096 ; kernel_base, 0 to 16 MiB (linker.ld checks)
                         resb 256
early_stack_top:
