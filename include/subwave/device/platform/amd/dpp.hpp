/* SPDX-License-Identifier: MIT
 * platform/amd/dpp.hpp: a step of a ladder, x of another lane combined into x, as one instruction.
 *
 * LLVM makes most of these from a move and an operation. It does not for floating minima and
 * maxima, which it canonicalises first, for the upper half of 64-bit sums, and for floats where
 * only some lanes take part. These are spelled out, but not in whole-wave mode, whose registers
 * LLVM gives to no assembly.
 */
#ifndef SUBWAVE_DEVICE_PLATFORM_AMD_DPP_HPP
#define SUBWAVE_DEVICE_PLATFORM_AMD_DPP_HPP

#include <subwave/device/ops.hpp>

SUBWAVE_BEGIN

/* Op on floats, of which every result is rounded to bfloat16 and is a float again, so that exchange
 * and operation stay one instruction of 32 bits. */
template <class Op> struct rounded {
    Op op;
    static SUBWAVE_DEVICE float round(float x)
    {
        return bits_float(bfloat16_format::rounded_bits(x));
    }
    SUBWAVE_DEVICE float operator()(float a, float b) const { return round(op(a, b)); }
};
template <class Op, class T> struct filler<rounded<Op>, T> : filler<Op, T> {};

/* The lower is a half; what the upper is does not matter. */
using half_pair = _Float16 __attribute__((ext_vector_type(2)));
template <class U> struct filler<plus<U>, half_pair> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE half_pair value() { return static_cast<half_pair>(_Float16(-0.0f)); }
};
template <class U> struct filler<multiplies<U>, half_pair> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE half_pair value() { return static_cast<half_pair>(_Float16(1)); }
};

/* op as LLVM makes it. Rounding to bfloat16 compares what it rounds, and of two sums that are
 * compared LLVM 22 makes one packed addition, be one of them in whole-wave mode and the other, with
 * all that it is made of, not. The fence, which is no instruction, stands between; a value that is
 * the same in all lanes it must not have. */
template <class Op> struct unfolded {
    Op op;
    template <class T> SUBWAVE_DEVICE T operator()(const T &a, const T &b) const
    {
        return op(a, b);
    }
};
template <class Op> struct unfolded<rounded<Op>> {
    rounded<Op> op;
    SUBWAVE_DEVICE float operator()(float a, float b) const
    {
        return op.round(arithmetic_fence(op.op(a, b)));
    }
};
template <class Op, class T> struct filler<unfolded<Op>, T> : filler<Op, T> {};

#ifdef __GFX12__
#define SUBWAVE_NUMBER "_num" /* its name of IEEE minNum and maxNum */
#else
#define SUBWAVE_NUMBER ""
#endif

/* DPP reads a register two cycles after it was written at the earliest (gfx9), and v_readlane one.
 * LLVM sees to it, but does not look into assembly. */
#if SUBWAVE_ROWS_BY_BROADCAST
#define SUBWAVE_DPP_WAIT "s_nop 1\n\t"
#define SUBWAVE_ROW_READ "row_newbcast"
#else
#define SUBWAVE_DPP_WAIT ""
#define SUBWAVE_ROW_READ "row_share"
#endif

/* ASM(how) for the text of Control, with operands for its lanes and the masks of rows and fours. */
#define SUBWAVE_BY_CONTROL(ASM) \
    if constexpr (Control <= 0xff) \
        ASM("quad_perm:[%c[a],%c[b],%c[c],%c[d]]"); \
    else if constexpr (Control == dpp_mirror) \
        ASM("row_mirror"); \
    else if constexpr (Control == dpp_half_mirror) \
        ASM("row_half_mirror"); \
    else if constexpr (Control == dpp_row_bcast15) \
        ASM("row_bcast:15"); \
    else if constexpr (Control == dpp_row_bcast31) \
        ASM("row_bcast:31"); \
    else \
        ASM(SUBWAVE_ROW_READ ":%c[lane]")
#define SUBWAVE_LANES \
    [a] "i"(Control & 3), [b] "i"(Control >> 2 & 3), [c] "i"(Control >> 4 & 3), \
        [d] "i"(Control >> 6 & 3), [lane] "i"(Control & 0xf), [rows] "i"(Rows), [fours] "i"(Fours)
#define SUBWAVE_MASKS " row_mask:%c[rows] bank_mask:%c[fours]"

/* Op on T in assembly; `always`, or where only some lanes take part. */
template <class Op, class T> struct dpp_instruction {
    static constexpr bool exists = false, always = false;
};
template <class Op, class T, bool All>
inline constexpr bool is_spelled_out_v =
    dpp_instruction<Op, T>::always || (dpp_instruction<Op, T>::exists && !All);

#define SUBWAVE_FLOAT(op, instruction, is_always) \
    template <class U> struct dpp_instruction<op<U>, float> { \
        static constexpr bool exists = true, always = is_always; \
        template <int Control, int Rows, int Fours> \
        static SUBWAVE_DEVICE float of(float from, float x) \
        { \
            SUBWAVE_BY_CONTROL(SUBWAVE_ASM_##instruction); \
            return x; \
        } \
    };
#define SUBWAVE_ASM(instruction, how) \
    asm volatile(SUBWAVE_DPP_WAIT instruction " %[x], %[from], %[x] " how SUBWAVE_MASKS \
                 : [x] "+v"(x) \
                 : [from] "v"(from), SUBWAVE_LANES)
#define SUBWAVE_ASM_add(how) SUBWAVE_ASM("v_add_f32_dpp", how)
#define SUBWAVE_ASM_mul(how) SUBWAVE_ASM("v_mul_f32_dpp", how)
#define SUBWAVE_ASM_min(how) SUBWAVE_ASM("v_min" SUBWAVE_NUMBER "_f32_dpp", how)
#define SUBWAVE_ASM_max(how) SUBWAVE_ASM("v_max" SUBWAVE_NUMBER "_f32_dpp", how)
SUBWAVE_FLOAT(plus, add, false)
SUBWAVE_FLOAT(multiplies, mul, false)
SUBWAVE_FLOAT(minimum, min, true)
SUBWAVE_FLOAT(maximum, max, true)

/* Sums of 64 bits, made of words: LLVM takes a 64-bit value made of words of other lanes apart into
 * terms with a word that is 0, and may move its copies of that 0 out of whole-wave mode. */
using word_pair = word_array<2>;
struct plus_pairs {
    SUBWAVE_DEVICE word_pair operator()(word_pair a, word_pair b) const
    {
        word_pair sum;
        const bool carry = __builtin_add_overflow(a.word[0], b.word[0], &sum.word[0]);
        sum.word[1] = a.word[1] + b.word[1] + carry;
        return sum;
    }
};
template <> struct filler<plus_pairs, word_pair> {
    static constexpr bool exists = true;
    static SUBWAVE_DEVICE constexpr word_pair value() { return {{0, 0}}; }
};
template <> struct dpp_instruction<plus_pairs, word_pair> {
    static constexpr bool exists = SUBWAVE_ROWS_BY_BROADCAST, always = exists;
    template <int Control, int Rows, int Fours>
    static SUBWAVE_DEVICE word_pair of(word_pair, word_pair x) /* from is x */
    {
#define SUBWAVE_ASM_pair(how) \
    asm volatile(SUBWAVE_DPP_WAIT \
                 "v_add_co_u32_dpp %[low], vcc, %[low], %[low] " how SUBWAVE_MASKS \
                 "\n\tv_addc_co_u32_dpp %[high], vcc, %[high], %[high], vcc " how SUBWAVE_MASKS \
                 : [low] "+v"(x.word[0]), [high] "+v"(x.word[1]) \
                 : SUBWAVE_LANES \
                 : "vcc")
        SUBWAVE_BY_CONTROL(SUBWAVE_ASM_pair);
        return x;
    }
};

/* Whether moves of T may be folded into op: none of its instructions makes 64 bits of a word
 * (rows.hpp, apart). */
template <class Op, class T> inline constexpr bool may_fold_v = false;
template <template <class> class Op, class U, class T>
inline constexpr bool may_fold_v<Op<U>, T> =
    std::is_same<U, void>::value || std::is_same<U, T>::value;
template <class U, class T>
inline constexpr bool may_fold_v<multiplies<U>, T> =
    (std::is_same<U, void>::value || std::is_same<U, T>::value) &&
    !(is_integer_v<T> && sizeof(T) == 8);
template <class Op, class T> inline constexpr bool may_fold_v<unfolded<Op>, T> = may_fold_v<Op, T>;
template <class Op, class T> inline constexpr bool may_fold_v<rounded<Op>, T> = may_fold_v<Op, T>;
template <> inline constexpr bool may_fold_v<plus_pairs, word_pair> = true;
template <class Op, class T> SUBWAVE_DEVICE T moved_for(const T &moved)
{
    if constexpr (may_fold_v<Op, T> || __clang_major__ >= 24)
        return moved;
    else
        return apart_in_whole_wave(moved);
}

/* `from` of the lane that Control names enters x, in the rows and fours of the masks; others keep
 * theirs, and so do lanes whose source is not there, unless all sources are. `fill` is op's
 * filler. */
template <int Control, int Rows = 0xf, int Fours = 0xf, bool AllThere = true, class T, class Op>
SUBWAVE_DEVICE T dpp_step_from(T x, Op op, T from, T fill = filler<Op, T>::value())
{
    constexpr bool all = Rows == 0xf && Fours == 0xf && AllThere;
    if constexpr (is_spelled_out_v<Op, T, all> && std::is_same<T, float>::value) {
        in_place pin;
        return dpp_instruction<Op, T>::template of<Control, Rows, Fours>(from, x);
    } else if constexpr (all) {
        return op(Control == dpp_same ? from : moved_for<Op>(dpp<Control>(from)), x);
    } else {
        return op(moved_for<Op>(dpp_into<Control, Rows, Fours>(fill, from)), x);
    }
}
/* x of it. */
template <int Control, int Rows = 0xf, int Fours = 0xf, class T, class Op>
SUBWAVE_DEVICE T dpp_step(T x, Op op, T fill = filler<Op, T>::value())
{
    if constexpr (is_spelled_out_v < Op, T, Rows == 0xf && Fours == 0xf >) {
        in_place pin;
        return dpp_instruction<Op, T>::template of<Control, Rows, Fours>(x, x);
    } else {
        return dpp_step_from<Control, Rows, Fours>(x, op, x, fill);
    }
}

/* What takes no part is rounded already, and stays as it is. */
template <int Control, int Rows = 0xf, int Fours = 0xf, bool AllThere = true, class Op>
SUBWAVE_DEVICE float dpp_step_from(float x, rounded<Op> op, float from,
                                   float fill = filler<Op, float>::value())
{
    return op.round(dpp_step_from<Control, Rows, Fours, AllThere>(x, op.op, from, fill));
}
template <int Control, int Rows = 0xf, int Fours = 0xf, class Op>
SUBWAVE_DEVICE float dpp_step(float x, rounded<Op> op, float fill = filler<Op, float>::value())
{
    return op.round(dpp_step<Control, Rows, Fours>(x, op.op, fill));
}

/* Before and after a ladder that may have assembly in it. */
template <class Op, class T> SUBWAVE_DEVICE T dpp_begin(T x, Op)
{
    if constexpr (dpp_instruction<Op, T>::always && std::is_same<T, float>::value)
        return __builtin_canonicalizef(x); /* of a signalling NaN, too, numbers win */
    else
        return x;
}
template <bool SpelledOut, class T> SUBWAVE_DEVICE T dpp_end(T x)
{
    if constexpr (SpelledOut)
        return map_words(x, [](std::uint32_t word) {
            asm volatile(SUBWAVE_DPP_WAIT : "+v"(word));
            return word;
        });
    else
        return x;
}

SUBWAVE_END

#endif
