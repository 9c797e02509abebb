; 256 entry stubs of 16 bytes each, and the common part that saves the general registers. SSE registers are not saved:
; handlers that return are compiled without them (metal.cmake).
bits 64

section .text
global interrupt_stubs
extern dispatch_interrupt

; Exceptions with an error code of their own: SDM vol. 3A table 6-1.
%define has_error_code(vector) ((vector) == 8 || ((vector) >= 10 && (vector) <= 14) || (vector) == 17 || (vector) == 21 || (vector) == 29 || (vector) == 30)

align 16
interrupt_stubs:
%assign vector 0
%rep 256
    align 16
%if !has_error_code(vector)
    push qword 0
%endif
    push qword vector
    jmp interrupt_common
%assign vector vector + 1
%endrep

interrupt_common:                               ; struct InterruptFrame in interrupts.hpp
    push rax
    push rbx
    push rcx
    push rdx
    push rsi
    push rdi
    push rbp
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
    cld
    mov rdi, rsp                                ; 22 words on a stack the CPU aligned: aligned for the call
    call dispatch_interrupt
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
    pop r9
    pop r8
    pop rbp
    pop rdi
    pop rsi
    pop rdx
    pop rcx
    pop rbx
    pop rax
    add rsp, 16
    iretq
