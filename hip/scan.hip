/* SPDX-License-Identifier: MIT
 * scan.hip: y[i] = x[0] op ... op x[i], or up to x[i - 1]: an array is read once and written once.
 *
 * A block scans a tile of SUBWAVE_ARRAY_ROWS rows (array.hpp); what stands before it comes from
 * other blocks (look_back.hpp). So the order depends on n alone. Rows of a matrix are arrays of their
 * own, the tiles of each of which follow those of the one before.
 */
#include "look_back.hpp"
#include "reduce.hpp"

SUBWAVE_BEGIN

/* A work-item's packs of a tile, one per row. */
template <class T> struct scan_packs {
    static constexpr int rows = SUBWAVE_ARRAY_ROWS, size = pack_size<T>;
    T element[rows][size];

    static SUBWAVE_DEVICE std::int64_t first_element(std::int64_t tile, int row)
    {
        return ((tile * rows + row) * array_block + static_cast<std::int64_t>(threadIdx.x)) * size;
    }
    /* Calls body(element, i) for those of the pack in which the array of n elements ends. */
    template <class Body> SUBWAVE_DEVICE void for_last(std::int64_t tile, std::int64_t n, Body body)
    {
        if ((tile + 1) * rows * array_block * size <= n) /* it ends elsewhere */
            return;
        SUBWAVE_ROLLED
        for (int r = 0; r < rows; ++r, turn_rows(element)) {
            const std::int64_t first = first_element(tile, r);
            if (first < n && n < first + size) {
                SUBWAVE_UNROLL
                for (int e = 0; e < size; ++e)
                    if (first + e < n)
                        body(element[0][e], first + e);
            }
        }
    }
    /* Those behind the array's end hold anything: nothing that is stored depends on them. */
    template <bool Aligned> SUBWAVE_DEVICE void load(const T *x, std::int64_t tile, std::int64_t n)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (const std::int64_t first = first_element(tile, r); first + size <= n)
                load_pack<Aligned>(element[r], x + first);
        for_last(tile, n, [&](T &to, std::int64_t i) { to = x[i]; });
    }
    template <bool Aligned> SUBWAVE_DEVICE void store(T *y, std::int64_t tile, std::int64_t n)
    {
        SUBWAVE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (const std::int64_t first = first_element(tile, r); first + size <= n)
                store_pack<Aligned>(y + first, element[r]);
        for_last(tile, n, [&](T &from, std::int64_t i) { y[i] = from; });
    }
};

/* Replaces x, the work-item's packs of the tile, by the results; `t` are the tiles of its row. */
template <class T, class Op, class As>
SUBWAVE_DEVICE void scan_tile(const subwave_scan_launch &p, const subwave_tiles &t,
                              std::uint32_t tile, scan_packs<T> &x, Op op, As as)
{
    using value = typename As::value;
    constexpr int rows = scan_packs<T>::rows, size = scan_packs<T>::size, run = SUBWAVE_SCAN_RUN,
                  runs = array_block / run, elements = block_scan_elements<array_block>;
    static_assert(rows * runs == run, "a tile's runs are scanned as one");
    SUBWAVE_SHARED(value, shared, rows * elements);
    SUBWAVE_SHARED(value, totals, run);
    SUBWAVE_SHARED(value, starts, run + 1);
    const int item = static_cast<int>(threadIdx.x), place = item % run;

    value before[rows][1] = {};
    SUBWAVE_ROLLED
    for (int r = 0; r < rows; ++r, turn_rows(x.element), turn_rows(before)) {
        value sum = as(x.element[0][0]);
        SUBWAVE_UNROLL
        for (int e = 1; e < size; ++e)
            sum = op(sum, as(x.element[0][e]));
        const scanned<value> packs =
            block_scan_runs<array_block, run>(sum, op, &shared[r * elements]);
        before[0][0] = packs.before;
        if (place == run - 1)
            totals[r * runs + item / run] = packs.upto;
    }
    block_barrier(site::current());
    const scanned<value> all = block_scan_runs<array_block, run>(totals[place], op, shared);
    if (item < run)
        starts[item] = all.before;
    if (item == run - 1)
        starts[run] = all.upto;
    block_barrier(site::current());

    const bool is_first = t.first == 0 && tile == 0;
    value start = filler<Op, value>::value();
    if (t.first > 0) {
        start = *tiles_carry<value>(t, t.first);
    } else if (p.has_init) {
        T init;
        memcpy(&init, p.init, sizeof init);
        start = as(init);
    }
    if (t.count > 1)
        start = value_before_tile(t.states, t.count, tile, starts[run], start, op, shared);
    if (tile == t.count - 1 && item == 0 && t.first + t.count < t.all)
        *tiles_carry<value>(t, t.first + SUBWAVE_SCAN_TILES) = op(start, starts[run]);
    SUBWAVE_ROLLED
    for (int r = 0; r < rows; ++r, turn_rows(x.element), turn_rows(before)) {
        value upto = op(op(start, starts[r * runs + item / run]), before[0][0]);
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e) {
            const value with = op(upto, as(x.element[0][e]));
            x.element[0][e] = as.result(p.scan == SUBWAVE_SCAN_INCLUSIVE ? with : upto);
            upto = with;
        }
    }
    if (is_first && item == 0 && p.scan == SUBWAVE_SCAN_EXCLUSIVE && !p.has_init)
        x.element[0][0] = result_of_nothing<T>(op, as);
}

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) scan(subwave_scan_launch p)
{
    subwave_tiles t = p.tiles;
    const std::uint32_t all = t.count * p.rows,
                        next = t.count > 1 ? next_tile(t.counter, all) : blockIdx.x,
                        row = p.rows > 1 ? next / t.count : 0, tile = next - row * t.count;
    t.states += row * static_cast<std::int64_t>(SUBWAVE_SCAN_STATES(t.count));
    scan_packs<T> x = {};
    x.template load<Aligned>(static_cast<const T *>(p.x) + row * p.ldx, t.first + tile, t.n);
    with_array_op<T>(p.op, [&](auto op, auto as) { scan_tile(p, t, tile, x, op, as); });
    if (p.to_truth) {
        SUBWAVE_UNROLL
        for (int r = 0; r < scan_packs<T>::rows; ++r) {
            SUBWAVE_UNROLL
            for (int e = 0; e < scan_packs<T>::size; ++e)
                x.element[r][e] = static_cast<T>(x.element[r][e] != T(0));
        }
    }
    x.template store<Aligned>(static_cast<T *>(p.y) + row * p.ldy, t.first + tile, t.n);
}

template <class T> int launch_scan(const subwave_scan_launch &p, void *stream)
{
    if (combines_as_unsigned<T>(p.op))
        return launch_scan<typename unsigned_twin<T>::type>(p, stream);
    subwave_scan_launch part = p;
    if constexpr (is_integer_v<T>) {
        part.op = op_of_bits(p.op);
        part.to_truth = part.op != p.op;
    }
    return launch_tiles(part.tiles, part.rows, stream, [&] {
        return with_aligned_rows<T>(p.x, p.ldx, p.y, p.ldy, [&](auto aligned) {
            return launch(scan<T, aligned.value>, dim3(part.tiles.count * part.rows),
                          dim3(array_block), 0, stream, part);
        });
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_scan(SUBWAVE_DEFINE_LAUNCHER)
