; The first instructions in the higher half: the boot core's (start64) and every other core's (core_start64).
bits 64

section .text
global start64, core_start64
extern start, start_core, kernel_page_table, core_slots, core_slot_count, core_apic_registers

; edi: boot protocol, esi: physical address of its information.
start64:
    mov rsp, boot_stack_top
    xor ebp, ebp                                ; the end of every backtrace
    mov edi, edi
    mov esi, esi
    call start
    ud2

; From the trampoline, on the boot page tables, without a stack. Finds the slot with its own APIC id (see
; core_start.cpp), claims it, and takes the slot's stack. A core that nobody waits for any more halts for good.
slot_apic_id equ 0
slot_state   equ 4
slot_stack   equ 8
slot_bytes   equ 24

core_start64:
    mov rax, [kernel_page_table]
    mov cr3, rax
    ; By its APIC register, which the MADT names; CPUID keeps the number of the reset where firmware gave another one.
    mov rbx, [core_apic_registers]
    test rbx, rbx
    jz .x2apic
    mov edx, [rbx + 0x20]                       ; SDM vol. 3A 11.4.6: the id is bits 24 to 31
    shr edx, 24
    jmp .have_id
.x2apic:                                        ; on by way of xAPIC mode: SDM vol. 3A figure 11-27
    mov ecx, 0x1b                               ; IA32_APIC_BASE
    rdmsr
    or eax, 1 << 11
    wrmsr
    or eax, 1 << 10
    wrmsr
    mov ecx, 0x802                              ; x2APIC id
    rdmsr
    mov edx, eax
.have_id:
    mov rdi, [core_slots]
    mov rcx, [core_slot_count]
.search:
    test rcx, rcx
    jz .nobody_waits
    cmp [rdi + slot_apic_id], edx
    je .found
    add rdi, slot_bytes
    dec rcx
    jmp .search
.found:
    xor eax, eax                                ; SlotState::Waiting
    mov ecx, 1                                  ; SlotState::Started
    lock cmpxchg [rdi + slot_state], ecx
    jne .nobody_waits
    mov rsp, [rdi + slot_stack]
    xor ebp, ebp
    call start_core
.nobody_waits:
    cli
    hlt
    jmp .nobody_waits

section .bss nobits alloc noexec write align=4096
; The boot core's stacks (boot_stacks.cpp), each above a page that is never mapped once the kernel's own page tables are
; on: that of its tasks, then those that interrupts switch to.
global boot_stack_guard, boot_stack_top, boot_interrupt_stacks, boot_interrupt_stacks_end
boot_stack_guard: resb 4096
                  resb 64 * 1024
boot_stack_top:
boot_interrupt_stacks:
                  resb 4 * (4096 + 16 * 1024)
boot_interrupt_stacks_end:
