; From the loader to 64 bit. Two doors: multiboot2 (GRUB; specification 2.0 section 3) and PVH (QEMU -kernel; Xen's
; x86/HVM direct boot ABI). Both hand over in 32-bit protected mode, paging off, ebx = physical address of their
; information. Leaves in long mode on the boot page tables: the first 4 GiB mapped three times with 2 MiB pages
; (identity, direct map, and the first GiB at kernel_base), and calls start(protocol, information) in the higher half.

%include "boot/layout.inc"

multiboot2_header_magic equ 0xe85250d6
multiboot2_loader_magic equ 0x36d76289
pvh_start_magic         equ 0x336ec578

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
    mov ebp, edx

    ; four page directories of 2 MiB pages: 0..4 GiB, present | writable | large
    mov edi, boot_directories
    mov eax, 0x83
    xor edx, edx
    mov ecx, 4 * 512
.fill:
    mov [edi], eax
    mov [edi + 4], edx
    add eax, 0x200000
    adc edx, 0
    add edi, 8
    loop .fill

    mov eax, boot_directories + 3
    mov edi, boot_pointers_low
    mov ecx, 4
.link:
    mov [edi], eax
    add eax, 0x1000
    add edi, 8
    loop .link
    mov dword [boot_pointers_high + 510 * 8], boot_directories + 3
    mov dword [boot_page_table + 0 * 8], boot_pointers_low + 3
    mov dword [boot_page_table + direct_map_slot * 8], boot_pointers_low + 3
    mov dword [boot_page_table + 511 * 8], boot_pointers_high + 3

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
global boot_page_table
boot_page_table:    resb 4096                   ; also what the other cores start on (trampoline.asm)
boot_pointers_low:  resb 4096
boot_pointers_high: resb 4096
boot_directories:   resb 4 * 4096
                    resb 256
early_stack_top:
