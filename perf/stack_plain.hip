/* SPDX-License-Identifier: MIT
 * stack_plain.hip: a stack of small products as DBCSR's libsmm_acc computes it: a block has 16 entries,
 * adds up the products of neighbours that have the same C, and adds each sum to C by atomic additions.
 */
#include "registry.hpp"

#include <subwave/subwave.hpp>

SUBWAVE_BEGIN
namespace {

constexpr int stack_items = 128, stack_entries = 16, stack_held = 8; /* elements of C per item */

template <class T>
SUBWAVE_KERNEL(stack_items)
stack_each(int m, int n, int k, std::int64_t entries, const std::int64_t *offsets, const T *a,
           const T *b, T *c)
{
    SUBWAVE_DYNAMIC_SHARED(T, local);
    const int item = static_cast<int>(threadIdx.x);
    T *const local_b = local + m * k;
    const std::int64_t first = std::int64_t(blockIdx.x) * stack_entries;
    const std::int64_t last = entries < first + stack_entries ? entries : first + stack_entries;
    T sum[stack_held] = {};
    for (std::int64_t e = first; e < last; ++e) {
        const std::int64_t *const offset = &offsets[3 * e];
        for (int i = item; i < m * k; i += stack_items)
            local[i] = a[offset[0] + i];
        for (int i = item; i < k * n; i += stack_items)
            local_b[i] = b[offset[1] + i];
        block_barrier(site::current());
        SUBWAVE_UNROLL
        for (int s = 0; s < stack_held; ++s) {
            const int at = item + s * stack_items;
            if (at < m * n)
                for (int l = 0; l < k; ++l)
                    sum[s] += local[at / n * k + l] * local_b[l * n + at % n];
        }
        if (e + 1 == last || offsets[3 * (e + 1) + 2] != offset[2]) {
            SUBWAVE_UNROLL
            for (int s = 0; s < stack_held; ++s) {
                if (item + s * stack_items < m * n)
                    add_to_global(&c[offset[2] + item + s * stack_items], sum[s]);
                sum[s] = 0;
            }
        }
        block_barrier(site::current());
    }
}

template <class T> bool takes(std::int64_t m, std::int64_t n, std::int64_t k)
{
    return m > 0 && n > 0 && k > 0 && m * n <= stack_items * stack_held &&
           (m * k + k * n) * std::int64_t(sizeof(T)) <= 32 << 10;
}

template <class T>
int run(void *stream, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t entries,
        const void *offsets, const void *a, const void *b, void *c)
{
    return launch(stack_each<T>,
                  dim3(static_cast<unsigned>((entries + stack_entries - 1) / stack_entries)),
                  dim3(stack_items), static_cast<std::size_t>(m * k + k * n) * sizeof(T), stream,
                  static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), entries,
                  static_cast<const std::int64_t *>(offsets), static_cast<const T *>(a),
                  static_cast<const T *>(b), static_cast<T *>(c));
}

const bench::enrolled<bench::stack_kernel> of_f32({SUBWAVE_DTYPE_F32, takes<float>, run<float>});
const bench::enrolled<bench::stack_kernel> of_f64({SUBWAVE_DTYPE_F64, takes<double>, run<double>});

} // namespace
SUBWAVE_END
