/* SPDX-License-Identifier: MIT
 * row_reduce.hip: the elements of each row of a matrix, combined; rows of at most a tile.
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
    const inverted_op inverted = invert_op<T>(p.op);
    subwave_row_reduce_launch launched = p;
    launched.op = inverted.op;
    launched.flip = inverted.flip;
    launched.to_truth = inverted.to_truth;
    return with_aligned_rows<T>(p.x, p.rows.ldx, [&](auto aligned) {
        return launch(row_reduce<element, aligned.value>, dim3(p.rows.blocks), dim3(array_block), 0,
                      stream, launched);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_row_reduce(SUBWAVE_DEFINE_LAUNCHER)
