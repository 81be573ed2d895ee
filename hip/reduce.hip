/* SPDX-License-Identifier: MIT
 * reduce.hip: all elements of an array, combined.
 */
#include "reduce.hpp"

SUBWAVE_BEGIN

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) reduce(subwave_reduce_launch p)
{
    with_array_op<T>(p.op, [&](auto op, auto as) {
        using Op = decltype(op);
        using As = decltype(as);
        /* LLVM would compute what the operations have in common for all of them at the start, and
         * keep it in more scalar registers than there are. */
        p = argument_read_anew(p);
        const T *const x = static_cast<const T *>(p.x) + blockIdx.y * p.ldx;
        const array_tile<pack_size<T>> tile(p.array);
        typename As::value value;
        if (!fold_array(p.array, tile, reduce_fold<T, Op, As, Aligned>{x, op, as}, value) ||
            tile.item > 0)
            return;
        T result = as.result(value);
        if (p.has_init) {
            T init;
            memcpy(&init, p.init, sizeof init);
            result = as.result(op(as(init), value));
        } else if (p.array.n == 0) {
            result = result_of_nothing<T>(op, as);
        }
        if (p.to_truth)
            result = static_cast<T>(result != 0);
        static_cast<T *>(p.result)[blockIdx.y] = result;
    });
}

template <class T> int launch_reduce(const subwave_reduce_launch &p, void *stream)
{
    if (combines_as_unsigned<T>(p.op))
        return launch_reduce<typename unsigned_twin<T>::type>(p, stream);
    if (is_integer_v<T> && p.op != op_of_bits(p.op)) {
        subwave_reduce_launch of_bits = p;
        of_bits.op = op_of_bits(p.op);
        of_bits.to_truth = true;
        return launch_reduce<T>(of_bits, stream);
    }
    return with_aligned_rows<T>(p.x, p.ldx, [&](auto aligned) {
        return launch(reduce<T, aligned.value>, dim3(p.array.tiles, p.rows), dim3(array_block), 0,
                      stream, p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_reduce(SUBWAVE_DEFINE_LAUNCHER)
