/* SPDX-License-Identifier: MIT
 * row_reduce.hip: the elements of each row of a matrix, combined; rows of at most a tile.
 *
 * With some of their bits inverted, integers with a sign are ordered as those without, the greatest
 * number is the least, and "or" is "and". So fewer ops and types need code.
 */
#include "reduce.hpp"
#include "rows.hpp"

SUBWAVE_BEGIN

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) row_reduce(subwave_row_reduce_launch p)
{
    const T *const x = static_cast<const T *>(p.x);
    fold_rows<Aligned, unsigned_of<combined_t<T>>>(p.rows, x, p.flip, [&](auto body) {
        with_array_op<T, true>(p.op, [&](auto op, auto as) {
            using fold = reduce_fold<T, decltype(op), decltype(as), Aligned>;
            body(fold{x, op, as}, [&](std::int64_t row, typename fold::value value) {
                const T result = flipped(
                    p.rows.length == 0 ? result_of_nothing<T>(op, as) : as.result(value), p.flip);
                static_cast<T *>(p.y)[row] = p.to_truth ? static_cast<T>(result != 0) : result;
            });
        });
    });
}

template <class T> int launch_row_reduce(const subwave_row_reduce_launch &p, void *stream)
{
    using element = typename unsigned_twin<T>::type;
    subwave_row_reduce_launch launched = p;
    constexpr std::uint64_t all = ~std::uint64_t(0),
                            signs = all / ((std::uint64_t(1) << (8 * sizeof(T) - 1)) * 2 - 1)
                                    << (8 * sizeof(T) - 1);
    const bool is_greatest = p.op == SUBWAVE_OP_MAXIMUM;
    if constexpr (is_integer_v<T>) {
        launched.op = op_of_bits(p.op);
        launched.to_truth = launched.op != p.op;
        if (p.op == SUBWAVE_OP_MINIMUM || is_greatest)
            launched.flip = std::is_signed<T>::value ? signs : 0;
        if (is_greatest || launched.op == SUBWAVE_OP_BIT_OR)
            launched.flip ^= all;
        if (launched.op == SUBWAVE_OP_BIT_OR)
            launched.op = SUBWAVE_OP_BIT_AND;
    } else if (is_greatest) {
        launched.flip = signs;
    }
    if (is_greatest)
        launched.op = SUBWAVE_OP_MINIMUM;
    return with_aligned_rows<T>(p.x, p.rows.ldx, [&](auto aligned) {
        return launch(row_reduce<element, aligned.value>, dim3(p.rows.blocks), dim3(array_block), 0,
                      stream, launched);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_reduce(SUBWAVE_DEFINE_LAUNCHER)
