/* SPDX-License-Identifier: MIT
 * case_matmul_batched.cpp: many small products in one call, evenly spaced and by pointers, beside the batched
 * calls of every BLAS. Up to about 32 x 32 they are bound by memory, so their rate is in bytes.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace bench {
namespace {

const std::vector<subwave_dtype> all_dtypes = {
#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
    SUBWAVE_KERNELS_matmul_batched(SUBWAVE_X)
#undef SUBWAVE_X
};

class batched_problem : public problem {
public:
    batched_problem(const device &on, subwave_dtype dtype, const shape &size, int count)
        : a(on, bytes(dtype, size.m * size.k * size.batch), count),
          b(on, bytes(dtype, size.k * size.n * size.batch), count),
          c(on, bytes(dtype, size.m * size.n * size.batch), count),
          pointers(on, 3 * sizeof(void *) * static_cast<std::size_t>(size.batch), count),
          dtype_(dtype), size_(size),
          a_values_(random_values(dtype, size.m * size.k * size.batch, 0x9e3779b97f4a7c15)),
          b_values_(random_values(dtype, size.k * size.n * size.batch, 0xd1b54a32d192ed03))
    {
        sets = count;
        a.fill(encode(dtype, a_values_).data());
        b.fill(encode(dtype, b_values_).data());
        for (int set = 0; set < sets; ++set)
            pointers.write(set, addresses(set).data());
        bound = static_cast<double>(2 * size.k + 2) * epsilon(dtype);
    }
    void poison() override { c.poison(sets - 1); }

    /* The largest |C - sum| / sum |a b| of cells all over the batch, a million multiplications. */
    double error() override
    {
        const std::vector<double> found = decode(dtype_, c.read(sets - 1));
        const std::int64_t m = size_.m, n = size_.n, k = size_.k, cells = m * n * size_.batch;
        const std::int64_t step = 1 + cells * k / 1000000;
        double worst = 0;
        for (std::int64_t cell = 0; cell < cells; cell += step) {
            const std::int64_t entry = cell / (m * n), i = cell / n % m, j = cell % n;
            std::complex<double> sum = 0;
            double magnitude = 0;
            for (std::int64_t l = 0; l < k; ++l) {
                const auto term =
                    at(a_values_, (entry * m + i) * k + l) * at(b_values_, (entry * k + l) * n + j);
                sum += term;
                magnitude += std::abs(term);
            }
            const double off = std::abs(at(found, cell) - sum) / magnitude;
            worst = std::isnan(off) ? INFINITY : std::max(worst, off); /* a NaN must not hide */
        }
        return worst;
    }

    rotating_array a, b, c, pointers;

private:
    static std::size_t bytes(subwave_dtype dtype, std::int64_t elements)
    {
        return static_cast<std::size_t>(elements) * subwave_dtype_size(dtype);
    }
    std::complex<double> at(const std::vector<double> &values, std::int64_t element) const
    {
        const auto i = static_cast<std::size_t>(element);
        return part_of(dtype_) == dtype_ ? std::complex<double>(values[i])
                                         : std::complex<double>(values[2 * i], values[2 * i + 1]);
    }
    /* Of all A, of all B, of all C. */
    std::vector<const char *> addresses(int set) const
    {
        std::vector<const char *> list;
        const auto add = [&](const rotating_array &x, std::int64_t elements) {
            for (std::int64_t i = 0; i < size_.batch; ++i)
                list.push_back(static_cast<const char *>(x[set]) + bytes(dtype_, i * elements));
        };
        add(a, size_.m * size_.k);
        add(b, size_.k * size_.n);
        add(c, size_.m * size_.n);
        return list;
    }

    subwave_dtype dtype_;
    shape size_;
    std::vector<double> a_values_, b_values_;
};

contender strided(const device &on, subwave_dtype dtype, const shape &s)
{
    return {"subwave", "strided", subwave_version(),
            [&on, dtype, s, constants = scalars(dtype)](problem &p, int set) {
                const auto &mm = static_cast<batched_problem &>(p);
                on.expect(subwave_matmul_strided_batched(
                    on.context, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                    SUBWAVE_TRANSPOSE_NONE, s.m, s.n, s.k, constants.one.data(), mm.a[set], s.k,
                    s.m * s.k, mm.b[set], s.n, s.k * s.n, constants.zero.data(), mm.c[set], s.n,
                    s.m * s.n, s.batch));
            }};
}

contender by_pointers(const device &on, subwave_dtype dtype, const shape &s)
{
    return {"subwave", "pointers", subwave_version(),
            [&on, dtype, s, constants = scalars(dtype)](problem &p, int set) {
                const auto &mm = static_cast<batched_problem &>(p);
                void **list = static_cast<void **>(mm.pointers[set]);
                on.expect(subwave_matmul_batched(
                    on.context, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                    SUBWAVE_TRANSPOSE_NONE, s.m, s.n, s.k, constants.one.data(), list, s.k,
                    list + s.batch, s.n, constants.zero.data(), list + 2 * s.batch, s.n, s.batch));
            }};
}

contender theirs(device &on, const blas &peer, subwave_dtype dtype, const shape &size)
{
    return {peer.name, "", peer.version(), [&on, &peer, dtype, size](problem &p, int set) {
                const auto &mm = static_cast<batched_problem &>(p);
                peer.gemm(on, dtype, size, mm.a[set], mm.b[set], mm.c[set]);
            }};
}

} // namespace

void matmul_batched_cases(session &s)
{
    if (!s.wants("matmul_batched"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n : {2, 4, 8, 16, 24, 32, 48, 64})
        usual.push_back({n, n, n});
    usual.push_back({29, 23, 31});
    const double usual_bytes = s.on.is_gpu() ? 8e8 : 4e5;
    for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
        for (shape size : s.sizes(usual))
            for (cache state : s.wishes.caches) {
                if (!size.m)
                    size.m = size.k = size.n;
                const double m = static_cast<double>(size.m), n = static_cast<double>(size.n),
                             k = static_cast<double>(size.k);
                const double each =
                    (m * k + k * n + m * n) * static_cast<double>(subwave_dtype_size(dtype));
                size.batch = s.wishes.batch
                                 ? s.wishes.batch
                                 : std::max<std::int64_t>(1, std::llround(usual_bytes / each));
                const double batch = static_cast<double>(size.batch), bytes = each * batch;
                const int sets = s.sets(state, bytes);
                if (!sets)
                    continue;
                std::vector<contender> contenders = {strided(s.on, dtype, size),
                                                     by_pointers(s.on, dtype, size)};
                for (const blas &peer : registry<blas>())
                    if (peer.on_gpu == s.on.is_gpu())
                        contenders.push_back(theirs(s.on, peer, dtype, size));
                const double flops = (part_of(dtype) == dtype ? 2 : 8) * m * n * k * batch;
                s.run({"matmul_batched", dtype, size, state}, {flops, bytes, "GB/s"}, contenders,
                      [&] { return std::make_unique<batched_problem>(s.on, dtype, size, sets); });
            }
}

} // namespace bench
