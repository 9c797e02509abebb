; Fills all registers, and looks again and again whether they are still the same: for tests of preemption.
bits 64

section .bss
global registers_may_change
registers_may_change: resb 1

section .text
general  equ 0                                  ; struct RegisterPattern in preemption_test.cpp, copied to the stack:
vectors  equ 128                                ; the stack pointer is the one register that is not filled
control  equ 640
rounds   equ 648
pattern_bytes equ 656
now      equ pattern_bytes                      ; the vector registers as they are
mxcsr_now equ now + 512
argument equ mxcsr_now + 8
mxcsr_before equ argument + 8
frame    equ mxcsr_before + 16

%macro each_general 1                           ; %1 REGISTER, NUMBER
    %1 rax, 0
    %1 rbx, 1
    %1 rcx, 2
    %1 rdx, 3
    %1 rsi, 4
    %1 rdi, 5
    %1 rbp, 6
    %1 r8, 8
    %1 r9, 9
    %1 r10, 10
    %1 r11, 11
    %1 r12, 12
    %1 r13, 13
    %1 r14, 14
    %1 r15, 15
%endmacro
%macro load_general 2
    mov %1, [rsp + general + 8 * %2]
%endmacro
%macro check_general 2
    cmp %1, [rsp + general + 8 * %2]
    jne %%wrong
    jmp %%right
%%wrong:
    mov eax, 1 + %2
    jmp .end
%%right:
%endmacro

; %1: function; %2: instruction to move; %3: xmm or ymm; %4: bytes of one. rdi: pattern. Returns 0, or what was wrong:
; 1 + the number of a general register, 100: a vector register, 200: MXCSR.
%macro define_keep 4
global %1
%1:
    push rbp
    push rbx
    push r12
    push r13
    push r14
    push r15
    sub rsp, frame
    mov [rsp + argument], rdi
    stmxcsr [rsp + mxcsr_before]
    mov rsi, rdi
    mov rdi, rsp
    mov ecx, pattern_bytes / 8
    rep movsq
    ldmxcsr [rsp + control]
%assign i 0
%rep 16
    %2 %3 %+ i, [rsp + vectors + %4 * i]
%assign i i + 1
%endrep
    each_general load_general
.again:
    each_general check_general
%assign i 0
%rep 16
    %2 [rsp + now + %4 * i], %3 %+ i
%assign i i + 1
%endrep
    stmxcsr [rsp + mxcsr_now]
    lea rsi, [rsp + vectors]
    lea rdi, [rsp + now]
    mov ecx, 16 * %4 / 8
    repe cmpsq
    mov eax, 100
    jne .end
    mov ecx, [rsp + mxcsr_now]
    cmp ecx, [rsp + control]
    mov eax, 200
    jne .end
    inc qword [rsp + rounds]
    each_general load_general
    cmp byte [rel registers_may_change], 0
    je .again
    xor eax, eax
.end:
    mov rdi, [rsp + argument]
    mov rcx, [rsp + rounds]
    mov [rdi + rounds], rcx
    ldmxcsr [rsp + mxcsr_before]
    add rsp, frame
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbx
    pop rbp
    ret
%endmacro

define_keep keep_sse_registers, movdqu, xmm, 16
define_keep keep_avx_registers, vmovdqu, ymm, 32
