/* SPDX-License-Identifier: MIT
 * fiber.hpp: a suspended flow of control, and the switch from one to another. */
#ifndef SUBWAVE_CPU_FIBER_HPP
#define SUBWAVE_CPU_FIBER_HPP

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(SUBWAVE_CPU_UCONTEXT)
#define SUBWAVE_CPU_UCONTEXT
#endif
#if defined(SUBWAVE_CPU_UCONTEXT)
#include <ucontext.h>
#endif

#define SUBWAVE_SIMT_INLINE inline __attribute__((always_inline))

namespace subwave::simt {

#if defined(SUBWAVE_CPU_UCONTEXT)

/* Two system calls a switch; for processors without a switch of their own. */
struct context {
    ucontext_t state;
};

inline void prepare_context(context &fiber, void *stack, std::size_t bytes, void (*entry)())
{
    getcontext(&fiber.state);
    fiber.state.uc_stack.ss_sp = stack;
    fiber.state.uc_stack.ss_size = bytes;
    fiber.state.uc_link = nullptr;
    makecontext(&fiber.state, entry, 0);
}

inline void switch_context(context &from, context &to) { swapcontext(&from.state, &to.state); }

#else

/* The registers that an asm statement cannot name as clobbered; the compiler
 * saves what it needs of all others. Nothing is pushed, so a red zone is safe. */
struct context {
    void *stack;
    void *frame;
    void *base;
    void *resume;
};

/* `entry` must not return. */
inline void prepare_context(context &fiber, void *stack, std::size_t bytes, void (*entry)())
{
    auto top = (reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{15};
#if defined(__x86_64__)
    top -= 24; /* as if called: 16-byte alignment less the return address */
    *reinterpret_cast<void **>(top) = nullptr;
#endif
    fiber = {reinterpret_cast<void *>(top), nullptr, nullptr, reinterpret_cast<void *>(entry)};
}

/* Inlined on purpose: a called switch returns to another caller than the return
 * predictor expects, here and in every frame below. */
SUBWAVE_SIMT_INLINE void switch_context(context &from, context &to)
{
    context *save = &from, *load = &to;
#if defined(__x86_64__)
    __asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rsp, 0(%0)\n\t"
                     "movq %%rbp, 8(%0)\n\t"
                     "movq %%rbx, 16(%0)\n\t"
                     "movq %%rax, 24(%0)\n\t"
                     "movq 0(%1), %%rsp\n\t"
                     "movq 8(%1), %%rbp\n\t"
                     "movq 16(%1), %%rbx\n\t"
                     "jmpq *24(%1)\n\t"
                     "1:"
                     : "+D"(save), "+S"(load)
                     :
                     : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
#if defined(__AVX512F__)
                       "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
                       "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0",
                       "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
                       "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc",
                       "memory");
#else
    __asm__ volatile("adr x9, 1f\n\t"
                     "mov x10, sp\n\t"
                     "stp x10, x29, [%0]\n\t"
                     "stp x19, x9, [%0, #16]\n\t"
                     "mov x11, %1\n\t" /* which may be x19 or x29 */
                     "ldp x10, x29, [x11]\n\t"
                     "ldp x19, x9, [x11, #16]\n\t"
                     "mov sp, x10\n\t"
                     "br x9\n\t"
                     "1: hint #36" /* a landing pad where branch targets are checked */
                     : "+r"(save), "+r"(load)
                     :
                     : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                       "x14", "x15", "x16", "x17",
#if defined(__linux__)
                       "x18", /* elsewhere it is the platform's */
#endif
                       "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0",
                       "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
                       "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
                       "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
#if defined(__ARM_FEATURE_SVE)
                       "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11",
                       "p12", "p13", "p14", "p15",
#endif
                       "cc", "memory");
#endif
}

#endif

} // namespace subwave::simt
#endif
