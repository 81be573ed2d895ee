/* SPDX-License-Identifier: MIT
 * matmul_broadcast_dot.hpp: BROADCAST of elements of 8 bits: a word has four steps of k of a row of
 * A or of a column of B, and an instruction adds their products.
 */
#ifndef SUBWAVE_HIP_MATMUL_BROADCAST_DOT_HPP
#define SUBWAVE_HIP_MATMUL_BROADCAST_DOT_HPP

#include "matmul.hpp"

#include "unit/dot.hpp"

SUBWAVE_BEGIN

/* A work-item's Rows x Columns elements of C, side by side with those of the other lanes; the rows
 * are the wave's. Lane s loads word s of the wave's fragment of each row of A, and the wave receives
 * each in turn. Packed: a row of B is loaded by aligned accesses of Columns bytes. */
template <class T, int Rows, int Columns, bool Packed> class dot_tile {
    static constexpr int ahead = wave_loads_ahead ? 3 : 0; /* words whose loads are under way */
    struct fragment {
        std::uint32_t row[Rows];
    };
    /* A word of each column; of packed rows as loaded, the first row's Columns bytes first. */
    struct step {
        std::uint32_t word[Columns];
    };

    const matmul_problem<T> p_;
    lane_mask members_;
    std::int64_t i_, j_, j_wave_; /* the first element, the work-item's and the wave's */
    std::int64_t words_;          /* whole ones of k */

    static SUBWAVE_DEVICE std::int64_t least(std::int64_t x, std::int64_t y)
    {
        return x < y ? x : y;
    }
    static SUBWAVE_DEVICE std::uint32_t byte(T element, int place)
    {
        return std::uint32_t(static_cast<std::uint8_t>(element)) << 8 * place;
    }

    /* A's rows from step l of k on, `count` steps, or 0. At the edge all load what exists. */
    SUBWAVE_DEVICE fragment load_a(std::int64_t l, int count, bool exists) const
    {
        const T *from = &p_.a[l * p_.a_column];
        fragment loaded;
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            const T *row = &from[least(i_ + r, p_.m - 1) * p_.a_row];
            loaded.row[r] = 0;
            SUBWAVE_UNROLL
            for (int e = 0; e < 4; ++e)
                if (e < count)
                    loaded.row[r] |= byte(row[e * p_.a_column], e);
            loaded.row[r] = exists ? loaded.row[r] : 0;
        }
        return loaded;
    }
    /* The wave's fragment from a word on. Beyond the last whole word of k it is 0: what B has there
     * does not count then. */
    SUBWAVE_DEVICE fragment load_fragment(std::int64_t first) const
    {
        const std::int64_t word = first + wave_lane();
        return load_a(least(word, words_ - 1) * 4, 4, word < words_);
    }
    /* B's columns likewise. */
    SUBWAVE_DEVICE step load_b(std::int64_t l, int count) const
    {
        const T *from = &p_.b[l * p_.b_row + least(j_, p_.n - 1) * p_.b_column];
        step loaded = {};
        SUBWAVE_UNROLL
        for (int c = 0; c < Columns; ++c) {
            SUBWAVE_UNROLL
            for (int e = 0; e < 4; ++e)
                if (e < count)
                    loaded.word[c] |= byte(from[e * p_.b_row], e);
            from += j_ + c + 1 < p_.n ? p_.b_column : 0;
        }
        return loaded;
    }
    template <bool Inside> SUBWAVE_DEVICE step load_step(std::int64_t word) const
    {
        const std::int64_t l = word * 4;
        if constexpr (Inside) {
            /* The same in all lanes, so that AMD computes it in scalar registers. */
            const T *from = &p_.b[l * p_.b_row + j_wave_];
            const auto lane = static_cast<std::uint32_t>(wave_lane() * Columns);
            step loaded;
            struct __attribute__((__may_alias__, __aligned__(Columns))) pack {
                std::uint32_t word[Columns / 4];
            };
            SUBWAVE_UNROLL
            for (int e = 0; e < 4; ++e) {
                const pack now = *reinterpret_cast<const pack *>(&from[lane]);
                from += p_.b_row;
                SUBWAVE_UNROLL
                for (int w = 0; w < Columns / 4; ++w)
                    loaded.word[e * (Columns / 4) + w] = now.word[w];
            }
            return loaded;
        } else {
            return load_b(l, 4);
        }
    }
    template <bool Inside> static SUBWAVE_DEVICE step turned(const step &loaded)
    {
        step words = loaded;
        if constexpr (Inside) {
            SUBWAVE_UNROLL
            for (int w = 0; w < Columns / 4; ++w) {
                std::uint32_t four[4];
                SUBWAVE_UNROLL
                for (int e = 0; e < 4; ++e)
                    four[e] = loaded.word[e * (Columns / 4) + w];
                transpose_bytes(four);
                SUBWAVE_UNROLL
                for (int c = 0; c < 4; ++c)
                    words.word[4 * w + c] = four[c];
            }
        }
        return words;
    }

    using sums = std::uint32_t[Rows][Columns];
    static SUBWAVE_DEVICE void add_step(sums &cells, const fragment &received, const step &b)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                cells[r][c] = dot4<T>(received.row[r], b.word[c], cells[r][c]);
        }
    }

    template <bool Inside> SUBWAVE_DEVICE void add_words(sums &cells, site where) const
    {
        constexpr int ring = ahead + 1;
        fragment next = load_fragment(0);
        step b[ring];
        SUBWAVE_UNROLL
        for (int s = 0; s < ahead; ++s)
            b[s] = load_step<Inside>(least(s, words_ - 1));
        for (std::int64_t first = 0; first < words_; first += wave_size()) {
            const auto team = wave_publish(members_, next, where);
            const int left = static_cast<int>(least(words_ - first, 2 * wave_size())),
                      count = left < wave_size() ? left : wave_size();
            next = load_fragment(first + wave_size());
            for (int s = 0; s < count; s += ring) {
                SUBWAVE_UNROLL
                for (int e = 0; e < ring; ++e) {
                    const int coming = s + e + ahead;
                    b[(e + ahead) % ring] =
                        load_step<Inside>(first + (coming < left ? coming : left - 1));
                    add_step(cells, team.read(s + e), turned<Inside>(b[e]));
                    keep_order();
                }
            }
        }
    }

public:
    SUBWAVE_DEVICE dot_tile(const matmul_problem<T> &p, lane_mask members, std::int64_t i,
                            std::int64_t j)
        : p_(p), members_(members), i_(i), j_(j + wave_lane() * Columns), j_wave_(j),
          words_(p.k / 4)
    {
    }

    /* Inside: all of the wave's columns are columns of C, and packed. */
    template <bool Inside> SUBWAVE_DEVICE void multiply(site where)
    {
        sums cells = {};
        if (words_ > 0)
            add_words<Inside>(cells, where);
        if (p_.k % 4 != 0) {
            const int count = static_cast<int>(p_.k % 4);
            add_step(cells, load_a(words_ * 4, count, true), load_b(words_ * 4, count));
        }
        SUBWAVE_UNROLL
        for (int r = 0; r < Rows; ++r) {
            SUBWAVE_UNROLL
            for (int c = 0; c < Columns; ++c)
                if (i_ + r < p_.m && (Inside || j_ + c < p_.n))
                    p_.store(i_ + r, j_ + c, cells[r][c]);
        }
    }
};

template <class T, int Rows, int Columns, bool Packed>
SUBWAVE_KERNEL(4 * wave_size(), 1)
matmul_broadcast_dot(matmul_problem<T> p)
{
    sub_group sg = this_work_item::get_sub_group();
    const int groups = static_cast<int>(sg.get_group_linear_range());
    const int group = wave_uniform(static_cast<int>(sg.get_group_linear_id()));
    const block_tile at(blockIdx.x, p.m, Rows * groups);
    /* AMD's compilers divide in vector registers, where all that follows would stay. */
    const std::int64_t row = wave_uniform(static_cast<int>(at.row)),
                       column = wave_uniform(static_cast<int>(at.column));
    const std::int64_t i = (row * groups + group) * Rows, j = column * Columns * wave_size();
    if (i >= p.m)
        return;
    dot_tile<T, Rows, Columns, Packed> tile(p, sg.callers(), i, j);
    if (Packed && j + Columns * wave_size() <= p.n)
        tile.template multiply<Packed>(site::current());
    else
        tile.template multiply<false>(site::current());
}

SUBWAVE_END

#endif
