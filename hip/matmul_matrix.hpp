/* SPDX-License-Identifier: MIT
 * matmul_matrix.hpp: C = alpha A B + beta C by the matrix units, from panels of A and B in shared
 * memory.
 */
#ifndef SUBWAVE_HIP_MATMUL_MATRIX_HPP
#define SUBWAVE_HIP_MATMUL_MATRIX_HPP

#include "matmul_matrix_parts.hpp"

#include "unit/matrix.hpp"

SUBWAVE_BEGIN

/* The tile of C that a block computes: `down` x `across` waves, each with `tall` x `wide` tiles of
 * the matrix unit. While waves multiply one stage of k, later ones are copied into shared memory,
 * and the next step's operands from there into registers. */
template <class T, int Shape, bool Packed, bool AAlongK, bool BAlongK> class matrix_tile {
public:
    static constexpr subwave_block_shape shape = matrix_shape<T>(Shape);

private:
    static constexpr int tall = shape.tall, wide = shape.wide, stage = shape.stage;

    using unit = matrix_unit<T>;
    static_assert(is_unit(unit::rows, unit::columns_of(unit::fewest_lanes), unit::c_held,
                          matrix_unit_shape<T>()));
    static constexpr int steps = stage / unit::depth;
    /* Whether copies, and loads of the next stage's operands, are spread over the tiles. */
    static constexpr bool in_steps = matrix_splits_stages && is_small_float<T>::value && steps == 1;
    /* Whether one tile has all of C's few rows or columns. */
    static constexpr bool is_thin = !matrix_by_rows<T> && Shape >= SUBWAVE_MATRIX_THIN;
    /* Whether stages that need no checks have a loop of their own. */
    static constexpr bool has_main_loop = matrix_splits_stages || !matrix_by_rows<T>;
    /* Whether registers suffice for the next step's operands beside those at hand. */
    static constexpr bool ahead = in_steps || (unit::holds_next && tall * wide <= 16);
    /* The unit's tiles, and how many of them are multiplied before what was copied is stored. */
    static constexpr int tiles = tall * wide, early = !matrix_splits_stages ? 0
                                                      : ahead               ? tiles / 2
                                                                            : tiles;

    static constexpr int rows_ = shape.down * tall * unit::rows;
    static constexpr __host__ __device__ int columns_of(int lanes)
    {
        return shape.across * wide * unit::columns_of(lanes);
    }
    static constexpr int waves = shape.down * shape.across;

    struct operands {
        typename unit::operand a[tall], b[wide];
    };

    const matmul_problem<T> p_;
    lane_mask members_;
    int i_wave_, j_wave_; /* the wave's first element in the tile */
    std::int64_t i_, j_;  /* the tile's first element in C */
    std::int64_t left_;   /* of k, after the stages whose copies have begun */
    /* Lines of panels are powers of two, of which a tile has all or most. */
    static constexpr int panel_rows = shape.down * subwave_power_of_two(tall) * unit::rows,
                         panel_across = shape.across * subwave_power_of_two(wide);
    static constexpr __host__ __device__ int panel_columns_of(int lanes)
    {
        return panel_across * unit::columns_of(lanes);
    }
    static SUBWAVE_DEVICE int panel_columns() { return panel_columns_of(wave_size()); }
    matrix_panel<T, stage, panel_rows, waves, AAlongK, Packed> a_;
    matrix_panel<T, stage, panel_columns_of(unit::fewest_lanes), waves, BAlongK, Packed> b_;
    typename unit::sums sum_[tall][wide];

    /* Stages that are on their way in registers, of which two in a row have different ones. */
    static constexpr int held_stages = decltype(a_)::held;
    static_assert(held_stages <= 2 && held_stages == decltype(b_)::held);

public:
    static SUBWAVE_DEVICE int rows() { return rows_; }
    static SUBWAVE_DEVICE int columns() { return columns_of(wave_size()); }

    /* Row i and column j of C are the tile's first. */
    SUBWAVE_DEVICE matrix_tile(const matmul_problem<T> &p, std::int64_t i, std::int64_t j,
                               sub_group sg)
        : matrix_tile(p, i, j, sg, sg.get_group_linear_id() % shape.down * tall * unit::rows,
                      sg.get_group_linear_id() / shape.down * wide * unit::columns())
    {
    }

    /* Computes the tile's sums over all k. `memory`: shape.stages stages of the panels'
     * elements of each k. */
    SUBWAVE_DEVICE void multiply(T *memory, site where)
    {
        operands x[2];
        T *now = memory; /* the stage that is multiplied */
        fill(x[0], memory, where);
        std::int64_t l = 0;
        if constexpr (has_main_loop) {
            if (a_.whole() && b_.whole()) {
                SUBWAVE_ROLLED
                for (; left_ >= 2 * stage; l += 2 * stage) {
                    multiply_stage<true>(x[0], x[1], now, memory, where);
                    if constexpr (steps % 2 != 0)
                        multiply_stage<true, 1>(x[1], x[0], now, memory, where);
                    else
                        multiply_stage<true, 1>(x[0], x[1], now, memory, where);
                }
            }
        }
        for (; l < p_.k; l += stage) {
            multiply_stage<false>(x[0], x[1], now, memory, where);
            if constexpr (ahead && steps % 2 != 0)
                x[0] = x[1];
        }
    }

    /* `memory` is that of multiply(). */
    SUBWAVE_DEVICE void store(T *memory, site where) const
    {
        if constexpr (matrix_by_rows<T>) {
            store_bands(memory, where);
        } else {
            SUBWAVE_UNROLL
            for (int r = 0; r < tall; ++r)
                store_row(i_ + i_wave_ + r * unit::rows, j_ + j_wave_, sum_[r]);
        }
    }

    SUBWAVE_DEVICE void clear_sums()
    {
        SUBWAVE_UNROLL
        for (int t = 0; t < tiles; ++t)
            sum_[t / wide][t % wide] = {};
    }
    /* The sums lie in memory by packs of 16 bytes, those of all work-items beside one another. */
    SUBWAVE_DEVICE void put_sums(matmul_sum<T> *to) const
    {
        SUBWAVE_UNROLL
        for (int t = 0; t < tiles; ++t) {
            SUBWAVE_UNROLL
            for (int e = 0; e < packs; ++e) {
                pack now;
                SUBWAVE_UNROLL
                for (int i = 0; i < pack_size; ++i)
                    now.of[i] = sum_[t / wide][t % wide].of[e * pack_size + i];
                reinterpret_cast<pack *>(to)[(t * packs + e) * block_size() + block_item()] = now;
            }
        }
    }
    SUBWAVE_DEVICE void add_sums(const matmul_sum<T> *from)
    {
        SUBWAVE_UNROLL
        for (int t = 0; t < tiles; ++t) {
            SUBWAVE_UNROLL
            for (int e = 0; e < packs; ++e) {
                const pack more = reinterpret_cast<const pack *>(
                    from)[(t * packs + e) * block_size() + block_item()];
                SUBWAVE_UNROLL
                for (int i = 0; i < pack_size; ++i)
                    sum_[t / wide][t % wide].of[e * pack_size + i] += more.of[i];
            }
            if ((t + 1) * packs % 8 == 0)
                matrix_keep_order(); /* or more would be read at a time than registers hold */
        }
    }

private:
    static constexpr int pack_size = 16 / sizeof(matmul_sum<T>), packs = unit::c_held / pack_size;
    struct alignas(16) pack {
        matmul_sum<T> of[pack_size];
    };

    SUBWAVE_DEVICE matrix_tile(const matmul_problem<T> &p, std::int64_t i, std::int64_t j,
                               sub_group sg, int i_wave, int j_wave)
        : p_(p), members_(sg.callers()), i_wave_(i_wave), j_wave_(j_wave), i_(i), j_(j), left_(p.k),
          a_(p.a + i * p.a_row, p.a_row, p.a_column, panel_rows, p.m - i, i_wave + unit::a_line(),
             unit::a_k()),
          b_(p.b + j * p.b_column, p.b_column, p.b_row, panel_columns(), p.n - j,
             j_wave + unit::b_line(), unit::b_k())
    {
    }

    static SUBWAVE_DEVICE int stage_size() { return stage * (panel_rows + panel_columns()); }

    /* Begins the copies of the first stages, and loads the first operands. */
    SUBWAVE_DEVICE void fill(operands &first, T *memory, site where)
    {
        clear_sums();
        begin_copies<false>(memory);
        if constexpr (held_stages == 2)
            begin_copies<false>(memory);
        end_copies(memory);
        SUBWAVE_ROLLED /* its code is run once, and fetched from memory for it */
        for (int s = 1; s < shape.stages; ++s)
            begin_copies<false>(memory + s * stage_size());
        copies_to_local_wait<shape.stages - 2>();
        block_barrier(where);
        if (ahead)
            load(first, memory, 0);
    }

    /* Multiplies a stage, whose first operands are in `held`, and turns to the next one. */
    template <bool Whole, int Turn = 0>
    SUBWAVE_DEVICE void multiply_stage(operands &held, operands &coming, T *&now, T *memory,
                                       site where)
    {
        if constexpr (in_steps) {
            multiply_in_steps<Whole, Turn>(held, coming, now, memory, where);
            return;
        }
        SUBWAVE_UNROLL
        for (int step = 1; step < steps; ++step) {
            operands &here = step % 2 != 0 || !ahead ? held : coming;
            load(ahead ? (step % 2 != 0 ? coming : held) : here, now,
                 (step - !ahead) * unit::depth);
            multiply_add(here, 0, tiles, where);
            if (!ahead)
                keep_order();
        }
        operands &here = steps % 2 != 0 || !ahead ? held : coming;
        if (!ahead)
            load(here, now, (steps - 1) * unit::depth);
        T *const read = now;
        now = now == memory + (shape.stages - 1) * stage_size() ? memory : now + stage_size();
        multiply_add(here, 0, early / 2, where);
        matrix_keep_order();
        constexpr int number = Turn % held_stages;
        a_.template end_copies<number>(now);
        multiply_add(here, early / 2, early, where);
        matrix_keep_order();
        b_.template end_copies<number>(now + panel_rows * stage);
        copies_to_local_wait<shape.stages - 2>();
        /* all copies have arrived; nobody reads `read` any more */
        if constexpr (held_stages > 1)
            matrix_barrier(where);
        else
            block_barrier(where);
        if (ahead)
            load(steps % 2 != 0 ? coming : held, now, 0);
        begin_copies<Whole, number>(read);
        matrix_keep_order();
        multiply_add(here, early, tiles, where);
    }

    /* The same, where each stage is one step. Between any two tiles there is little else to do, so
     * that the unit never waits for it: first what was copied is stored, and more is loaded. After
     * the barrier the next operands are loaded, of A each as soon as its row of tiles is done, for
     * there are no registers for two of it. */
    template <bool Whole, int Turn>
    SUBWAVE_DEVICE void multiply_in_steps(operands &held, operands &coming, T *&now, T *memory,
                                          site where)
    {
        constexpr int copied = tiles / 4 + 1, first_load = copied + 1, last = tiles - 1;
        static_assert(shape.stages == 2 && first_load + wide <= last); /* all of B is loaded */
        now = now == memory ? memory + stage_size() : memory;
        for_each<tiles>([&](auto tile) {
            constexpr int t = tile;
            multiply_add(held, t, t + 1, where);
            if constexpr (Whole)
                copy_steps<t, copied, Turn % held_stages>(now);
            else if constexpr (t == 0)
                end_copies(now);
            if constexpr (t == first_load) {
                /* all copies have arrived; nobody reads the stage before any more */
                matrix_barrier(where);
                if constexpr (!Whole)
                    begin_copies<false>(now);
            }
            constexpr int c = t - first_load - (t > first_load);
            if constexpr (t >= first_load && t != first_load + 1 && c < wide)
                coming.b[c] = b_.load(now + panel_rows * stage, c * unit::columns(), 0);
            constexpr int r_first = rows_loaded(first_load, t);
            for_each<rows_loaded(first_load, t + 1) - r_first>([&](auto r) {
                coming.a[r_first + r] = a_.load(now, (r_first + r) * unit::rows, 0);
            });
            matrix_keep_order();
        });
    }
    /* Rows of tiles of which A's next operand is loaded before tile number t: each after its last
     * tile, the first one beside B's, the others after them. Of few tiles the last has several. */
    static constexpr int rows_loaded(int first_load, int t)
    {
        int r = 0;
        for (; r < tall; ++r) {
            const int soon = first_load + 1 + (r > 0 ? wide - 1 + r : 0), done = (r + 1) * wide - 1;
            const int then = soon > done ? soon : done;
            if ((then < tiles - 1 ? then : tiles - 1) >= t)
                break;
        }
        return r;
    }
    static constexpr int steps_before(int tile, int tiles, int all)
    {
        const int steps = (tile * all + tiles - 1) / tiles;
        return steps < all ? steps : all;
    }
    /* Of a whole stage, those after one of the tiles over which they are spread. */
    template <int Tile, int Tiles, int Number> SUBWAVE_DEVICE void copy_steps(T *memory)
    {
        constexpr int a_steps = decltype(a_)::copy_steps, b_steps = decltype(b_)::copy_steps;
        constexpr int all = a_steps + b_steps, first = steps_before(Tile, Tiles, all);
        for_each<steps_before(Tile + 1, Tiles, all) - first>([&](auto number) {
            constexpr int s = first + number;
            if constexpr (s < a_steps)
                a_.template copy_step<Number>(memory, s);
            else
                b_.template copy_step<Number>(memory + panel_rows * stage, s - a_steps);
        });
        if (Tile == 0)
            left_ -= stage;
    }
    /* Calls f with each of these numbers, a constant. */
    template <int Count, class F> static SUBWAVE_DEVICE void for_each(F f)
    {
        for_each(f, std::make_integer_sequence<int, Count>());
    }
    template <class F, int... Numbers>
    static SUBWAVE_DEVICE void for_each([[maybe_unused]] F f,
                                        std::integer_sequence<int, Numbers...>)
    {
        (f(std::integral_constant<int, Numbers>()), ...);
    }

    /* What a stage has beyond k is 0; one that begins there need not be copied. */
    template <bool Whole, int Number = 0> SUBWAVE_DEVICE void begin_copies(T *memory)
    {
        const int depth = Whole || left_ >= stage ? stage : static_cast<int>(left_);
        a_.template begin_copies<Whole, Number>(memory, depth);
        b_.template begin_copies<Whole, Number>(memory + panel_rows * stage, depth);
        copies_to_local_begun();
        left_ -= depth;
    }
    SUBWAVE_DEVICE void end_copies(T *memory)
    {
        a_.template end_copies<0>(memory);
        b_.template end_copies<0>(memory + panel_rows * stage);
    }

    SUBWAVE_DEVICE void load(operands &x, const T *now, int k) const
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < tall; ++r)
            x.a[r] = a_.load(now, r * unit::rows, k);
        SUBWAVE_UNROLL
        for (int c = 0; c < wide; ++c)
            x.b[c] = b_.load(now + panel_rows * stage, c * unit::columns(), k);
    }
    /* The unit's tiles with these numbers, row after row. */
    SUBWAVE_DEVICE void multiply_add(const operands &x, int from, int to, site where)
    {
        SUBWAVE_UNROLL
        for (int t = from; t < to; ++t)
            unit::multiply_add(members_, sum_[t / wide][t % wide], x.a[t / wide], x.b[t % wide],
                               where);
    }

    /* Through shared memory, a band of each wave's tile at a time, as high as the unit's: so
     * neighbours in a row of C are stored together, and the code is short, which is fetched from
     * memory to be run once. Rows are apart by four sums more, so that different rows of the unit's
     * lie in different banks. */
    static constexpr __host__ __device__ int band_pitch(int columns) { return columns + 4; }
    static_assert(!matrix_by_rows<T> ||
                      waves * unit::rows * band_pitch(wide * unit::columns_of(unit::fewest_lanes)) *
                              int(sizeof(matmul_sum<T>)) <=
                          shape.stages * stage *
                              (panel_rows + panel_columns_of(unit::fewest_lanes)) * int(sizeof(T)),
                  "a band of all waves fits into the stages' memory");
    SUBWAVE_DEVICE void store_bands(T *memory, site where) const
    {
        const int width = wide * unit::columns(), pitch = band_pitch(width);
        const int wave = j_wave_ / width * shape.down + i_wave_ / (tall * unit::rows);
        auto *const band = reinterpret_cast<matmul_sum<T> *>(memory) + wave * unit::rows * pitch;
        constexpr int count = 16 / sizeof(*p_.c);
        const bool packed = p_.c_column == 1 && p_.c_row % count == 0 &&
                            reinterpret_cast<std::uintptr_t>(p_.c) % 16 == 0;
        SUBWAVE_ROLLED
        for (int r = 0; r < tall && i_ + r * unit::rows < p_.m; ++r) {
            block_barrier(where); /* what was there has been read */
            for_each<tall>([&](auto index) {
                constexpr int number = decltype(index)::value;
                if (number == r) {
                    put_band(band, pitch, sum_[number]);
                    /* Or the code would be one for all bands, with the sums in memory. */
                    asm volatile("" : : "n"(number) : "memory");
                }
            });
            block_barrier(where);
            if (packed)
                store_band<count>(band, r, width);
            else
                store_band<1>(band, r, width);
        }
    }
    /* Count elements of a row at a time; of each row as many packs as C has, or a few more, for a
     * power of two. */
    template <int Count>
    SUBWAVE_DEVICE void store_band(const matmul_sum<T> *band, int r, int width) const
    {
        static_assert((wide & (wide - 1)) == 0, "no more than the band has");
        constexpr int bytes = Count * sizeof(matmul_sum<T>);
        struct alignas(bytes < 16 ? bytes : 16) pack_of_sums {
            matmul_sum<T> of[Count];
        };
        const std::int64_t i_band = i_ + i_wave_ + r * unit::rows, j_band = j_ + j_wave_;
        if (j_band >= p_.n)
            return;
        int shift = 0;
        while (Count << shift < width && Count << shift < p_.n - j_band)
            ++shift;
        SUBWAVE_ROLLED
        for (int at = wave_lane(); at < unit::rows << shift; at += wave_size()) {
            const int row = at >> shift, column = (at - (row << shift)) * Count;
            const matmul_sum<T> *const from = &band[row * band_pitch(width) + column];
            const std::int64_t i = i_band + row, j = j_band + column;
            if (i >= p_.m || j >= p_.n)
                continue;
            if (Count > 1 && j + Count <= p_.n) {
                const pack_of_sums sums = *reinterpret_cast<const pack_of_sums *>(from);
                p_.store_together(i * p_.c_row + j, sums.of);
            } else {
                SUBWAVE_ROLLED
                for (int e = 0; e < Count && j + e < p_.n; ++e)
                    p_.store(i, j + e, from[e]);
            }
        }
    }
    static SUBWAVE_DEVICE void put_band(matmul_sum<T> *band, int pitch,
                                        const typename unit::sums (&sum)[wide])
    {
        SUBWAVE_UNROLL
        for (int c = 0; c < wide; ++c) {
            SUBWAVE_UNROLL
            for (int e = 0; e < unit::c_held; ++e)
                band[unit::c_row(e) * pitch + c * unit::columns() + unit::c_column(e)] =
                    sum[c].of[e];
        }
    }

    /* A row of the unit's tiles: inside of C by pairs of a column of C or of a row, whichever are
     * neighbours in memory, for lanes have 2 x 2 neighbours. Of thin tiles also at C's end, which most
     * of them are at; the last of an odd number has no neighbour. */
    SUBWAVE_DEVICE void store_row(std::int64_t i, std::int64_t j,
                                  const typename unit::sums (&sum)[wide]) const
    {
        const bool down = p_.c_row == 1;
        const bool paired = (down || p_.c_column == 1) &&
                            (down ? p_.c_column : p_.c_row) % 2 == 0 &&
                            reinterpret_cast<std::uintptr_t>(p_.c) % (2 * sizeof(T)) == 0;
        if (paired && i + unit::rows <= p_.m && j + wide * unit::columns() <= p_.n) {
            store_pairs<true>(i, j, down, sum);
            return;
        }
        const bool by_pairs = is_thin && paired;
        if (by_pairs)
            store_pairs<false>(i, j, down, sum);
        if (by_pairs && (down ? p_.m : p_.n) % 2 == 0)
            return;
        SUBWAVE_UNROLL
        for (int e = 0; e < wide * unit::c_held; ++e) {
            const int c = e / unit::c_held, of_c = e % unit::c_held;
            const std::int64_t i_e = i + unit::c_row(of_c),
                               j_e = j + c * unit::columns() + unit::c_column(of_c);
            const bool is_left = !by_pairs || (down ? i_e + 1 == p_.m : j_e + 1 == p_.n);
            if (is_left && i_e < p_.m && j_e < p_.n)
                p_.store(i_e, j_e, sum[c].of[of_c]);
        }
    }
    /* Inside: C has them all. */
    template <bool Inside>
    SUBWAVE_DEVICE void store_pairs(std::int64_t i, std::int64_t j, bool down,
                                    const typename unit::sums (&sum)[wide]) const
    {
        constexpr int below = unit::c_below, right = unit::c_right, pairs = wide * below * 2;
        /* Where in C the pair with this number is, or -1. */
        const auto offset = [&](int number) -> std::int64_t {
            const int c = number / 2 / below, e = number / 2 % below, second = number % 2;
            const std::int64_t row = i + unit::c_row(e) + (down ? 0 : second),
                               column = j + c * unit::columns() + unit::c_column(e) +
                                        (down ? second : 0);
            return Inside || (row + down < p_.m && column + !down < p_.n)
                       ? row * p_.c_row + column * p_.c_column
                       : -1;
        };
        /* What C had is loaded first, of as many pairs as there are registers for: a load behind a
         * store would wait for it. */
        constexpr int together = sizeof(T) == 8 ? pairs : pairs / 2;
        SUBWAVE_UNROLL
        for (int from = 0; from < pairs; from += together) {
            typename matmul_problem<T>::template cells<2> old[together];
            if (!is_zero(p_.beta)) {
                SUBWAVE_UNROLL
                for (int l = 0; l < together; ++l)
                    if (Inside || offset(from + l) >= 0)
                        old[l] = p_.template cells_at<2>(offset(from + l));
            }
            SUBWAVE_UNROLL
            for (int l = 0; l < together; ++l) {
                const int number = from + l, e = number / 2 % below;
                const auto &of = sum[number / 2 / below].of;
                const T first = of[e], next = of[e + below], beside = of[e + right];
                const T last = of[e + below + right];
                const T neighbours[2] = {number % 2 == 0 ? first
                                         : down          ? beside
                                                         : next,
                                         number % 2 != 0 ? last
                                         : down          ? next
                                                         : beside};
                if (Inside || offset(number) >= 0)
                    p_.store_together(offset(number), neighbours, old[l]);
            }
        }
    }
};

/* The tile of a block. Those that run together are in a band of so many rows of tiles, so that they
 * share panels of A and of B in the cache. */
SUBWAVE_DEVICE block_tile matrix_block(std::uint32_t block, std::int64_t m, std::int64_t n,
                                       int rows, int columns, std::uint32_t most)
{
    const auto down = static_cast<std::uint32_t>((m + rows - 1) / rows);
    const auto across = static_cast<std::uint32_t>((n + columns - 1) / columns);
    const std::uint32_t band = down < most ? down : most, first = block / (band * across) * band;
    block_tile tile(block - first * across, (down - first < band ? down - first : band), 1);
    tile.row += first;
    return tile;
}

/* The product of these stages of k alone. */
template <class T>
SUBWAVE_DEVICE matmul_problem<T> product_of(const matrix_problem<T> &p, const matrix_part &part,
                                            int stage)
{
    matmul_problem<T> product = p.whole;
    const std::int64_t l = std::int64_t(part.first) * stage;
    product.a += l * product.a_column;
    product.b += l * product.b_row;
    /* Arithmetic, since LLVM 15 chooses between numbers of 64 bits in vector registers. */
    const std::uint32_t after = p.stages - part.first - part.count;
    product.k -= l + std::int64_t(after) * stage - (after > 0 ? p.missing : 0);
    return product;
}

/* A block computes a tile of C, or where k is split a part of one. Packed: neighbours of A are read along k or along its rows as AAlongK says, of B likewise, by
 * aligned accesses; otherwise in any order. */
template <class T, int Shape, bool Packed, bool AAlongK, bool BAlongK>
SUBWAVE_TWO_WAVES
SUBWAVE_KERNEL(matrix_shape<T>(Shape).down *matrix_shape<T>(Shape).across *max_wave_size(),
               matrix_blocks<T>(Shape)) matmul_matrix(matrix_problem<T> p)
{
    if constexpr (!matrix_unit<T>::exists ||
                  (matrix_by_rows<T> && Shape != 0 && !matrix16_is_fast)) {
        trap(); /* no plan asks for it on this architecture */
    } else {
        SUBWAVE_DYNAMIC_SHARED(T, memory);
        using tile = matrix_tile<T, Shape, Packed, AAlongK, BAlongK>;
        const auto tile_of = [&](const matmul_problem<T> &part, std::uint32_t number) {
            const block_tile at =
                matrix_block(number, part.m, part.n, tile::rows(), tile::columns(), p.band);
            return tile(part, at.row * tile::rows(), at.column * tile::columns(),
                        this_work_item::get_sub_group());
        };
        if constexpr (!tile::shape.splits_k) {
            tile mine = tile_of(p.whole, blockIdx.x);
            mine.multiply(memory, site::current());
            mine.store(memory, site::current());
        } else {
            const matrix_part part(p, blockIdx.x);
            if (part.count == 0)
                return;
            tile mine = tile_of(product_of(p, part, tile::shape.stage), part.tile);
            mine.multiply(memory, site::current());
            if (part.is_whole(p) || add_parts(p, part, mine, memory))
                mine.store(memory, site::current());
        }
    }
}

SUBWAVE_END

#endif
