; From one stack to another, and where a new one begins. What the ABI lets a function change is not saved: to the
; compiler this is a call (System V ABI, section 3.2.1).
bits 64

section .text
global switch_stack, begin_execution

; rdi: where to note this stack's pointer, rsi: the other one's. Interrupts off.
switch_stack:
    push rbp
    push rbx
    push r12
    push r13
    push r14
    push r15
    sub rsp, 8
    stmxcsr [rsp]                               ; control bits belong to the caller, too
    fnstcw [rsp + 4]
    mov [rdi], rsp
    mov rsp, rsi
    ldmxcsr [rsp]
    fldcw [rsp + 4]
    add rsp, 8
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbx
    pop rbp
    ret

; The first switch to a new stack comes here; execution.cpp has put the function into r13, its argument into r12.
begin_execution:
    sti
    mov rdi, r12
    call r13
    ud2
