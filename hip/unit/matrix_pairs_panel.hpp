/* SPDX-License-Identifier: MIT
 * matrix_pairs_panel.hpp: panels of f32 and f64 in shared memory, by pairs of elements.
 */
#ifndef SUBWAVE_HIP_UNIT_MATRIX_PAIRS_PANEL_HPP
#define SUBWAVE_HIP_UNIT_MATRIX_PAIRS_PANEL_HPP

SUBWAVE_BEGIN

/* Count copies of a pair from global to shared memory, by way of registers; a platform may have its
 * own.
 *
 *   fills                                whether zeros in place of a pair cost no branch
 *   begin(e, to, from, exists)           of from[0] and from[1], which are aligned, or of zeros
 *   begin(e, to, from, distance, count)  of from[0] and from[distance], of which the first `count`
 *                                        exist; the others are 0
 *   end(e, to)                           what remains to be done for either */
template <class T, int Count> struct pair_copy {
    static constexpr bool fills = false;
    T held[Count][2];

    SUBWAVE_DEVICE void begin(int e, T *, const T *from, bool exists)
    {
        const T *pair = static_cast<const T *>(__builtin_assume_aligned(from, sizeof held[e]));
        held[e][0] = exists ? pair[0] : T(0);
        held[e][1] = exists ? pair[1] : T(0);
    }
    SUBWAVE_DEVICE void begin(int e, T *, const T *from, std::int64_t distance, int count)
    {
        held[e][0] = count > 0 ? from[0] : T(0);
        held[e][1] = count > 1 ? from[distance] : T(0);
    }
    SUBWAVE_DEVICE void end(int e, T *to) const
    {
        to[0] = held[e][0];
        to[1] = held[e][1];
    }
};

/* A stage lies in rows of pairs: along k, a row per line, first the even ones; or of two lines, a
 * row per k. What are neighbours in the matrix should be pairs. Those of a row are permuted so that
 * lanes which load together find theirs in different banks. All sizes are powers of two. */
template <class T, int Stage, int Lines, int Waves, bool AlongK, bool Packed> class matrix_panel {
    static constexpr unsigned stage = Stage, pair_bytes = 2 * sizeof(T);
    static constexpr int share = /* pairs of a work-item */
        Lines * Stage / 2 / (Waves * matrix_unit<T>::fewest_lanes);
    static constexpr unsigned banks = /* of a pair each */
        matrix_banks_bytes < pair_bytes ? 1 : matrix_banks_bytes / pair_bytes;

    const T *from_; /* this work-item's first pair of the stage that is copied next */
    std::int64_t by_line_, by_k_;
    unsigned lines_;
    int existing_, line_, k_; /* of the lines; where that pair is in the stage */
    /* and in shared memory; where the lane's part of a stage begins there */
    int place_, part_;
    bool paired_;
    pair_copy<T, share> copies_[matrix_pairs_held];

public:
    static constexpr int held = matrix_pairs_held;

    SUBWAVE_DEVICE matrix_panel(const T *matrix, std::int64_t by_line, std::int64_t by_k, int lines,
                                std::int64_t existing, unsigned line, unsigned k)
        : by_line_(by_line), by_k_(by_k), lines_(lines),
          existing_(existing < lines ? static_cast<int>(existing) : lines),
          line_(line_of(block_item())), k_(k_of(block_item())), place_(place(block_item())),
          part_(AlongK ? (line / 2 * length() + permuted(line / 2, k / 2)) * 2
                       : (k * length() + permuted(k / 2, line / 2)) * 2)
    {
        from_ = matrix + line_ * by_line + k_ * by_k;
        paired_ = (AlongK ? by_k : by_line) == 1 && (AlongK ? by_line : by_k) % 2 == 0 &&
                  reinterpret_cast<std::uintptr_t>(matrix) % pair_bytes == 0;
    }

    SUBWAVE_DEVICE bool whole() const { return paired_ && existing_ == static_cast<int>(lines_); }

    template <bool Whole, int Number> SUBWAVE_DEVICE void begin_copies(T *memory, int depth)
    {
        if constexpr (!Whole) {
            SUBWAVE_UNROLL
            for (int h = 1; h < held; ++h)
                copies_[h - 1] = copies_[h];
        }
        auto &copies = copies_[Whole ? Number : held - 1];
        if constexpr (Whole) {
            each([&](int e, int place, int line, int k) {
                copies.begin(e, &memory[place], from_ + line * by_line_ + k * by_k_, true);
            });
        } else if (depth > 0) {
            constexpr bool fills = pair_copy<T, share>::fills;
            const bool by_pairs = fills ? paired_ && (AlongK ? depth : existing_) % 2 == 0
                                        : whole() && depth == static_cast<int>(stage);
            each([&](int e, int place, int line, int k) {
                const int lines = existing_ - line_ - line, ks = depth - k_ - k;
                const int along = AlongK ? ks : lines, other = AlongK ? lines : ks;
                const T *const from = from_ + line * by_line_ + k * by_k_;
                if (by_pairs)
                    copies.begin(e, &memory[place], from, !fills || (lines > 0 && ks > 0));
                else
                    copies.begin(e, &memory[place], from, AlongK ? by_k_ : by_line_,
                                 other > 0 ? along : 0);
            });
        }
        from_ += stage * by_k_;
    }
    template <int Number> SUBWAVE_DEVICE void end_copies(T *memory)
    {
        each([&](int e, int place, int, int) { copies_[Number].end(e, &memory[place]); });
    }

    SUBWAVE_DEVICE matrix_pairs<T> load(const T *memory, int line, int k) const
    {
        const T *from = AlongK ? &memory[(part_ ^ k) + line * length()]
                               : &memory[part_ + k * length() * 2 + line];
        T pairs[2][2];
        SUBWAVE_UNROLL
        for (int e = 0; e < 2; ++e) {
            const T *pair = static_cast<const T *>(
                __builtin_assume_aligned(from + e * (AlongK ? lines_ : 2) * length(), pair_bytes));
            pairs[e][0] = pair[0];
            pairs[e][1] = pair[1];
        }
        matrix_pairs<T> part;
        SUBWAVE_UNROLL
        for (int u = 0; u < 2; ++u) {
            SUBWAVE_UNROLL
            for (int h = 0; h < 2; ++h)
                part.of[u][h] = AlongK ? pairs[h][u] : pairs[u][h];
        }
        return part;
    }

private:
    SUBWAVE_DEVICE unsigned length() const { return (AlongK ? stage : lines_) / 2; }
    /* Where the n-th pair of a stage begins in it. */
    SUBWAVE_DEVICE int line_of(unsigned n) const
    {
        const unsigned row = n / length(), half = lines_ / 2;
        return AlongK ? row % half * 2 + row / half : n % length() * 2;
    }
    SUBWAVE_DEVICE int k_of(unsigned n) const { return AlongK ? n % length() * 2 : n / length(); }
    SUBWAVE_DEVICE int place(unsigned n) const
    {
        const unsigned row = n / length();
        return (row * length() + permuted(AlongK ? row : row / 2, n % length())) * 2;
    }
    /* Rows that follow one another, counted in pairs if pairs are of two lines. */
    static SUBWAVE_DEVICE unsigned permuted(unsigned row, unsigned pair)
    {
        constexpr unsigned deep = matrix_deep_lanes, along_k = stage / 2;
        if (!AlongK)
            return pair ^ row * (banks / deep) % banks;
        return along_k < banks ? pair ^ row / (banks / along_k) * deep % along_k
                               : pair ^ row * deep % banks;
    }

    /* Calls copy(e, place, line, k) for this work-item's pairs: the place in shared memory, and the
     * distance from its first pair. Bits of n are bits of these, some exchanged. */
    template <class F> SUBWAVE_DEVICE void each(F copy) const
    {
        const unsigned pairs = lines_ * stage / 2, row = 2 * length(), items = Waves * wave_size();
        /* else all work-items have as many */
        const unsigned first = items > pairs ? block_item() : 0;
        SUBWAVE_UNROLL
        for (int e = 0; e < share; ++e) {
            const unsigned n = e * items, there = place(n);
            if (first + n < pairs)
                copy(e, (place_ ^ there % row) + there / row * row, line_of(n), k_of(n));
        }
    }
};

SUBWAVE_END

#endif
