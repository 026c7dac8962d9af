/* The exported symbols: each is one jump to the address in its slot.

   A slot first points at a stub. The stub saves every register that may hold an argument, calls starling_resolve
   (resolve.cpp), which sets the slot's address, and jumps there. So the decision is made at the first call, when the
   MPI library is certainly loaded, and the prototypes need not be known. */

#define SLOT_BYTES 8

#if defined(__x86_64__)

#define SYMBOL(slot, name)                \
    .globl name;                          \
    .type name, @function;                \
    .p2align 4;                           \
name:                                     \
    endbr64;                              \
    jmp *starling_slots + SLOT_BYTES * (slot)(%rip); \
    .size name, . - name;

    .text
#include "generated/symbols.inc"

    /* The slot's number is on the stack; the target's address then replaces it. */
    .p2align 4
resolve_and_go:
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    subq $128, %rsp
    movups %xmm0, 0(%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq 192(%rsp), %rdi
    call starling_resolve
    movq %rax, 192(%rsp)
    movups 0(%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %r11
    jmp *%r11

#define STUB_ALIGNMENT 4
    .p2align STUB_ALIGNMENT
stubs:
    .set slot, 0
    .rept STARLING_ENTRIES
    .p2align STUB_ALIGNMENT
    endbr64
    pushq $slot
    jmp resolve_and_go
    .set slot, slot + 1
    .endr

#elif defined(__aarch64__)

#define SYMBOL(slot, name)                                             \
    .globl name;                                                       \
    .type name, %function;                                             \
    .p2align 4;                                                        \
name:                                                                  \
    hint #34; /* bti c */                                              \
    adrp x16, starling_slots + SLOT_BYTES * (slot);                    \
    ldr x16, [x16, #:lo12:starling_slots + SLOT_BYTES * (slot)];       \
    br x16;                                                            \
    .size name, . - name;

    .text
#include "generated/symbols.inc"

    /* The slot's number is in x17. */
    .p2align 4
resolve_and_go:
    stp x29, x30, [sp, #-224]!
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, x17
    bl starling_resolve
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    br x16

#define STUB_ALIGNMENT 4
    .p2align STUB_ALIGNMENT
stubs:
    .set slot, 0
    .rept STARLING_ENTRIES
    .p2align STUB_ALIGNMENT
    hint #36 /* bti j */
    mov x17, #slot
    b resolve_and_go
    .set slot, slot + 1
    .endr

#else
#error "Starling's entry points are written for x86-64 and aarch64; another architecture needs its own in trampolines.S"
#endif

    .section .data.rel, "aw"
    .globl starling_slots
    .hidden starling_slots
    .p2align 3
starling_slots:
    .set slot, 0
    .rept STARLING_ENTRIES
    .quad stubs + (slot << STUB_ALIGNMENT)
    .set slot, slot + 1
    .endr

    .section .note.GNU-stack, "", %progbits
