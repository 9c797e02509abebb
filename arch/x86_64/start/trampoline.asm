; Where another core begins: real mode, at a page below 1 MiB to which core_start.cpp copies this code (SDM vol. 3A
; section 9.4). Goes to long mode in one step, on the boot page tables, and on to core_start64. The fields at the end
; are filled in by the boot core; all addresses in 16-bit code count from the page's start, which is ds:0.
%include "boot/layout.inc"

section .rodata
global trampoline_begin, trampoline_end, trampoline_fields
extern core_start64, boot_page_table

%define local(symbol) (symbol - trampoline_begin)

bits 16
trampoline_begin:
    cli
    cld
    mov ax, cs
    mov ds, ax
    mov eax, cr4_at_entry
    mov cr4, eax
    mov eax, [local(field_page_table)]
    mov cr3, eax
    mov ecx, msr_efer
    mov eax, [local(field_efer)]
    xor edx, edx
    wrmsr
    o32 lgdt [local(gdt_pointer)]
    mov eax, cr0_at_entry
    mov cr0, eax
    jmp dword far [local(field_entry64)]

bits 64
in_long_mode:
    mov ax, 16
    mov ds, ax
    mov es, ax
    mov ss, ax
    xor eax, eax
    mov fs, ax
    mov gs, ax
    mov rax, core_start64
    jmp rax

align 8
gdt:
    dq 0
    dq gdt_code
    dq gdt_data
gdt_pointer:
    dw gdt_pointer - gdt - 1
    dd 0                                        ; field: physical address of gdt

align 8
trampoline_fields:                              ; struct TrampolineFields in core_start.cpp
    dd local(gdt)                               ; where things stand, for the boot core
    dd local(gdt_pointer) + 2
    dd local(in_long_mode)
field_page_table: dd 0
field_efer:       dd 0
field_entry64:    dd 0                          ; physical address of in_long_mode
                  dw 8
                  dw 0
trampoline_end:
