/* SPDX-License-Identifier: MIT
 * unit/amd/matrix16.hpp: MFMA of gfx9 and WMMA of gfx11 and gfx12 on elements of 16 bits.
 */
#ifndef SUBWAVE_HIP_UNIT_AMD_MATRIX16_HPP
#define SUBWAVE_HIP_UNIT_AMD_MATRIX16_HPP

#include "../matrix_rows_panel.hpp"

SUBWAVE_BEGIN

/* Lane i has steps of k of line i % 16: on gfx11 all 16, else 8 of them, the next 8 being in the
 * next 16 lanes. MFMA takes 4 of a lane at a time and means them to be others, which changes
 * nothing but the order of the sum, as A and B are permuted alike. */
template <class Format> struct matrix_unit<small_float<Format>> {
    static constexpr matrix16_kind kind = SUBWAVE_MATRIX16;
    static constexpr bool exists = kind != matrix16_kind::none;
    static constexpr bool is_wmma =
        kind == matrix16_kind::wmma_gfx11 || kind == matrix16_kind::wmma_gfx12;
    static constexpr int rows = 16, depth = is_wmma ? 16 : 32;
    static constexpr int c_held = is_wmma ? 8 : 4;
    static constexpr bool holds_next = kind != matrix16_kind::wmma_gfx11;
    static constexpr int fewest_lanes = is_wmma ? 32 : 64;
    static constexpr __host__ __device__ int columns_of(int) { return 16; }
    static constexpr __host__ __device__ int columns() { return 16; }
    static SUBWAVE_DEVICE int a_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int b_line() { return wave_lane() % 16; }
    static SUBWAVE_DEVICE int a_k()
    {
        return kind == matrix16_kind::wmma_gfx11 ? 0 : wave_lane() / 16 * 8;
    }
    static SUBWAVE_DEVICE int b_k() { return a_k(); }
    static SUBWAVE_DEVICE int c_row(int e)
    {
        return kind == matrix16_kind::wmma_gfx11 ? 2 * e + wave_lane() / 16
                                                 : wave_lane() / 16 * c_held + e;
    }
    static SUBWAVE_DEVICE int c_column(int) { return wave_lane() % 16; }
    struct operand {
        matrix16_chunk chunk[kind == matrix16_kind::wmma_gfx11 ? 2 : 1];
    };

    struct sums {
        float of[c_held];
    };

    static SUBWAVE_DEVICE void multiply_add(lane_mask, sums &c, const operand &a, const operand &b,
                                            site)
    {
        vector_sums all = __builtin_bit_cast(vector_sums, c);
        if constexpr (kind == matrix16_kind::wmma_gfx11) {
            const auto x = parts<16>(a), y = parts<16>(b);
            if constexpr (is_half)
                all = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x.of[0], y.of[0], all);
            else
                all = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x.of[0], y.of[0], all);
        } else if constexpr (kind == matrix16_kind::wmma_gfx12) {
            const auto x = parts<8>(a), y = parts<8>(b);
            if constexpr (is_half)
                all = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x.of[0], y.of[0], all);
            else
                all = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(x.of[0], y.of[0], all);
        } else if constexpr (is_half) {
            const auto x = parts<4>(a), y = parts<4>(b);
            all = __builtin_amdgcn_mfma_f32_16x16x16f16(x.of[0], y.of[0], all, 0, 0, 0);
            all = __builtin_amdgcn_mfma_f32_16x16x16f16(x.of[1], y.of[1], all, 0, 0, 0);
        } else if constexpr (kind == matrix16_kind::mfma) {
            const auto x = parts<4>(a), y = parts<4>(b);
            all = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x.of[0], y.of[0], all, 0, 0, 0);
            all = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x.of[1], y.of[1], all, 0, 0, 0);
        } else {
            const auto x = parts<2>(a), y = parts<2>(b);
            SUBWAVE_UNROLL
            for (int i = 0; i < 4; ++i)
                all = __builtin_amdgcn_mfma_f32_16x16x8bf16(x.of[i], y.of[i], all, 0, 0, 0);
        }
        c = __builtin_bit_cast(sums, all);
    }

private:
    static constexpr bool is_half = std::is_same<small_float<Format>, float16>::value;
    typedef float vector_sums __attribute__((ext_vector_type(c_held)));
    template <int Count> struct vectors {
        typedef std::conditional_t<is_half, _Float16, short> vector
            __attribute__((ext_vector_type(Count)));
        vector of[sizeof(operand) / 2 / Count];
    };
    template <int Count> static SUBWAVE_DEVICE vectors<Count> parts(const operand &all)
    {
        return __builtin_bit_cast(vectors<Count>, all);
    }
};

/* Stages that a panel holds in registers: two, which cover the way from memory also where a compute
 * unit has few blocks. The largest blocks have no registers for them, and RDNA's are not asked to. */
constexpr int matrix16_held(int lines)
{
    return SUBWAVE_MATRIX16 != matrix16_kind::wmma_gfx11 &&
                   SUBWAVE_MATRIX16 != matrix16_kind::wmma_gfx12 && lines <= 128
               ? 2
               : 1;
}

/* A work-item copies one piece of a stage. Two lines in shared memory are a row of all banks, of
 * eight chunks. These are permuted so that neighbouring lanes find different banks, whether they
 * load the same chunk of 16 lines or store rows of pieces of either kind. */
template <class Format, int Stage, int Lines, int Waves, bool AlongK, bool Packed>
class matrix_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed>
    : public matrix_staged_panel<small_float<Format>, Stage, Lines, Waves, AlongK, Packed,
                                 Packed && !AlongK, matrix16_held(Lines)> {
    using T = small_float<Format>;
    using base = matrix_staged_panel<T, Stage, Lines, Waves, AlongK, Packed, Packed && !AlongK,
                                     matrix16_held(Lines)>;
    using operand = typename matrix_unit<T>::operand;
    using base::by_k_, base::by_line_, base::from_, base::held_, base::reads;
    using typename base::pack;
    static constexpr int depth = matrix_unit<T>::depth, loads = sizeof(operand) / 16;
    static_assert(Stage == 32 && base::share == 1 && Lines * Stage == 16 * base::items);

    /* In bytes: where this work-item's piece begins in global memory, where its rows are in shared
     * memory, and there what this lane loads. */
    std::uint32_t begin_;
    int place_[reads], loaded_[Stage / depth][loads];
    pack turned_[reads]; /* what was held, by lines */

public:
    SUBWAVE_DEVICE matrix_panel(const T *matrix, std::int64_t by_line, std::int64_t by_k, int lines,
                                std::int64_t existing, int line, int k)
        : base(matrix, by_line, by_k, lines, existing, line, k)
    {
        base::template each<false>([&](int, int first, int first_k) {
            begin_ = static_cast<std::uint32_t>(first * by_line + first_k * by_k) * sizeof(T);
            SUBWAVE_UNROLL
            for (int i = 0; i < reads; ++i)
                place_[i] = place(first + i, first_k);
        });
        SUBWAVE_UNROLL
        for (int i = 0; i < Stage / depth * loads; ++i)
            loaded_[i / loads][i % loads] = place(line, k + i / loads * depth + i % loads * 8);
    }

    /* Offsets of 32 bits lead to all of a stage. */
    SUBWAVE_DEVICE bool whole() const
    {
        const std::int64_t size = AlongK ? by_line_ * Lines : by_k_ * Stage;
        return base::whole() && static_cast<std::uint64_t>(size) < (1u << 31);
    }

    /* What was loaded is turned while its registers are loaded anew, or else stored before. Number:
     * of the stages that are held. */
    static constexpr int copy_steps = 2 * reads + !AlongK;
    template <int Number> SUBWAVE_DEVICE void copy_step(T *memory, int step)
    {
        if constexpr (AlongK) {
            if (step % 2 == 0)
                put<Number>(memory, place_[step / 2], step / 2);
            else
                get<Number>(step / 2);
        } else {
            if (step == 0)
                turn<Number>();
            else if (step <= reads)
                get<Number>(step - 1);
            else
                put<Number>(memory, place_[step - 1 - reads], step - 1 - reads);
        }
    }
    /* Computes the places anew, for which there are no registers during the loop. */
    template <int> SUBWAVE_DEVICE void end_copies(T *memory)
    {
        if constexpr (!AlongK)
            turn<0>();
        base::template each<false>([&](int, int line, int k) {
            SUBWAVE_UNROLL
            for (int i = 0; i < reads; ++i)
                put<0>(memory, place(line + i, k), i);
        });
    }
    /* `line` is a multiple of 16. */
    SUBWAVE_DEVICE operand load(const T *memory, int line, int k) const
    {
        operand all;
        SUBWAVE_UNROLL
        for (int i = 0; i < loads; ++i)
            all.chunk[i] = *reinterpret_cast<const matrix16_chunk *>(
                reinterpret_cast<const char *>(&memory[line * Stage]) + loaded_[k / depth][i]);
        return all;
    }

private:
    static SUBWAVE_DEVICE int place(int line, int k)
    {
        const int row = line / 2, turn = row % 4 + (row + row / 4) % 2 * 4;
        return row * 128 + ((line % 2 * 4 + k / 8) ^ turn) * 16 + k % 8 * 2;
    }
    /* What all lanes have in common of the address stays in scalar registers. Without the asm it
     * would be added up before the loop: vectors for all rows, or scalars for all of two stages. */
    template <int Number> SUBWAVE_DEVICE void get(int i)
    {
        asm volatile("" : "+v"(begin_));
        held_[Number][0][i] =
            *reinterpret_cast<const pack *>(reinterpret_cast<const char *>(from_) + begin_);
        const std::int64_t row = AlongK ? by_line_ : by_k_;
        std::int64_t next = i < reads - 1 ? row : Stage * by_k_ - (reads - 1) * row;
        asm volatile("" : "+s"(next));
        from_ += next;
    }
    template <int Number> SUBWAVE_DEVICE void put(T *memory, int place, int i) const
    {
        *reinterpret_cast<pack *>(reinterpret_cast<char *>(memory) + place) =
            AlongK ? held_[Number][0][i] : turned_[i];
    }
    template <int Number> SUBWAVE_DEVICE void turn()
    {
        pack(&piece)[reads] = held_[Number][0];
        SUBWAVE_UNROLL
        for (int i = 0; i < reads; ++i) {
            auto all = __builtin_bit_cast(std::uint64_t, piece[i]);
            asm volatile("" : "+v"(all)); /* or it would be turned, and waited for, at once */
            piece[i] = __builtin_bit_cast(pack, all);
        }
        SUBWAVE_UNROLL
        for (int i = 0; i < reads; ++i) {
            const int half = i % 2 == 0 ? 0x05040100 : 0x07060302;
            SUBWAVE_UNROLL
            for (int k = 0; k < reads / 2; ++k)
                turned_[i].word[k] = __builtin_amdgcn_perm(piece[2 * k + 1].word[i / 2],
                                                           piece[2 * k].word[i / 2], half);
        }
    }
};

inline constexpr bool matrix16_is_fast = SUBWAVE_FAST_MATRIX16;

template <bool Packed> SUBWAVE_DEVICE int matrix16_item()
{
    int item = block_item();
    if constexpr (Packed || shapes.matrix16[0].wide == 2) /* the others have registers enough */
        asm volatile("" : "+v"(item));
    return item;
}

SUBWAVE_END

#endif
