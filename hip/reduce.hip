/* SPDX-License-Identifier: MIT
 * reduce.hip: all elements of an array, combined.
 */
#include "array.hpp"

SUBWAVE_BEGIN

template <class T, class Op, class As, bool Aligned> struct reduce_fold {
    using value = typename As::value;
    static constexpr int size = pack_size<T>, sums = size;
    struct pack {
        T element[size];
    };
    const T *x;
    Op join;
    As as;

    SUBWAVE_DEVICE value none() const { return filler<Op, value>::value(); }
    SUBWAVE_DEVICE void load(pack &to, std::uint64_t i) const
    {
        load_pack<Aligned>(to.element, x + i * size);
    }
    SUBWAVE_DEVICE void add(value (&sum)[size], const pack &from) const
    {
        SUBWAVE_UNROLL
        for (int e = 0; e < size; ++e)
            sum[e] = join(sum[e], as(from.element[e]));
    }
    SUBWAVE_DEVICE void add_element(value &sum, std::uint64_t i) const
    {
        sum = join(sum, as(x[i]));
    }
};

template <class T, bool Aligned> SUBWAVE_KERNEL(array_block) reduce(subwave_reduce_launch p)
{
    with_array_op<T>(p.op, [&](auto op, auto as) {
        using Op = decltype(op);
        using As = decltype(as);
        /* LLVM would compute what the operations have in common for all of them at the start, and
         * keep it in more scalar registers than there are. */
        p = argument_read_anew(p);
        const T *x = static_cast<const T *>(p.x);
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
        *static_cast<T *>(p.result) = result;
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
    return with_alignment(p.x, p.x, [&](auto aligned) {
        return launch(reduce<T, aligned.value>, dim3(p.array.tiles), dim3(array_block), 0, stream,
                      p);
    });
}

SUBWAVE_END

SUBWAVE_KERNELS_reduce(SUBWAVE_DEFINE_LAUNCHER)
