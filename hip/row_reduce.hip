/* SPDX-License-Identifier: MIT
 * row_reduce.hip: the elements of each row of a matrix, combined; rows of a few tiles at most.
 */
#include "reduce.hpp"
#include "rows.hpp"

SUBWAVE_BEGIN

template <class T, bool Aligned>
SUBWAVE_KERNEL(array_block, 4)
row_reduce(subwave_row_reduce_launch p)
{
    const T *const x = static_cast<const T *>(p.x);
    const auto with_fold = [&](auto body) {
        with_array_op<T, true>(p.op, [&](auto op, auto as) {
            using fold = reduce_fold<T, decltype(op), decltype(as), Aligned>;
            body(fold{x, op, as}, [&](std::int64_t row, typename fold::value value) {
                T result = p.rows.length == 0 ? result_of_nothing<T>(op, as) : as.result(value);
                if (is_inverted_v<T, decltype(op)>)
                    result = flipped_element(result, p.flip);
                if (is_integer_v<T> && p.to_truth)
                    result = static_cast<T>(result != 0);
                static_cast<T *>(p.y)[row] = result;
            });
        });
    };
    using kept = unsigned_of<combined_t<T>>;
    /* The op is chosen once; on AMD at each step, so that all ops share the code that loads. Scalar
     * branches cost little there, and code is held for many architectures. */
    if constexpr (lines_share_ladder)
        with_fold([&](const auto &fold, auto finish) {
            const bool inverts = is_inverted_v<T, std::decay_t<decltype(fold.join)>>;
            fold_rows<Aligned, kept>(p.rows, x, inverts ? p.flip : 0,
                                     [&](auto body) { body(fold, finish); });
        });
    else
        fold_rows<Aligned, kept>(p.rows, x, p.flip, with_fold);
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
