/* SPDX-License-Identifier: MIT
 * case_matmul.cpp: matrix products: every variant of subwave_matmul beside every BLAS.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

extern "C" {
#include "../src/tool/plain.h"
}

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

const std::vector<subwave_dtype> all_dtypes = {
#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
    SUBWAVE_KERNELS_matmul(SUBWAVE_X)
#undef SUBWAVE_X
};
const std::vector<subwave_variant> all_variants = {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_VARIANT_##name,
    SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
};

std::size_t bytes_of(subwave_dtype dtype, std::int64_t elements)
{
    return static_cast<std::size_t>(elements) * subwave_dtype_size(dtype);
}

/* C = A B, row-major. */
class matmul_problem : public problem {
public:
    matmul_problem(const device &on, subwave_dtype dtype, const shape &size, int count)
        : a(on, bytes_of(dtype, size.m * size.k), count),
          b(on, bytes_of(dtype, size.k * size.n), count),
          c(on, bytes_of(dtype, size.m * size.n), count), dtype_(dtype), size_(size),
          a_values_(random_values(dtype, size.m * size.k, 0x9e3779b97f4a7c15)),
          b_values_(random_values(dtype, size.k * size.n, 0xd1b54a32d192ed03))
    {
        sets = count;
        a.fill(encode(dtype, a_values_).data());
        b.fill(encode(dtype, b_values_).data());
        /* Two roundings a term, in f32 at least, and one of the result. */
        bound = static_cast<double>(size.k) * std::min(epsilon(dtype), epsilon(SUBWAVE_DTYPE_F32)) +
                epsilon(dtype);
    }
    void poison() override { c.poison(sets - 1); }

    /* The largest |C - sum| / sum |a b|, sums in f64, of whole rows and single cells: so many that it
     * stays under a second. The first row and the last are always among them. */
    double error() override
    {
        const std::vector<double> found = decode(dtype_, c.read(sets - 1));
        const std::int64_t m = size_.m, n = size_.n, k = size_.k;
        const double row_cost = static_cast<double>(n) * static_cast<double>(k);
        const auto rows = std::clamp(static_cast<std::int64_t>(3e8 / row_cost), std::int64_t(2), m);
        const std::int64_t cells = rows == m ? 0 : 1000;
        std::vector<double> sum(static_cast<std::size_t>(n)), magnitude(sum);
        double worst = 0;
        const auto compare = [&](std::int64_t i, std::int64_t j, double right, double scale) {
            const double off =
                std::fabs(found[static_cast<std::size_t>(i * n + j)] - right) / scale;
            worst = std::isnan(off) ? INFINITY : std::max(worst, off); /* a NaN must not hide */
        };
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int64_t i = rows > 1 ? r * (m - 1) / (rows - 1) : 0;
            plain_row(SUBWAVE_DTYPE_F64, i, n, k, a_values_.data(), b_values_.data(), sum.data(),
                      magnitude.data());
            for (std::int64_t j = 0; j < n; ++j)
                compare(i, j, sum[static_cast<std::size_t>(j)],
                        magnitude[static_cast<std::size_t>(j)]);
        }
        for (std::int64_t x = 0; x < cells; ++x) {
            const std::int64_t at =
                static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15 %
                                          static_cast<std::uint64_t>(m * n));
            double right, scale;
            plain_cell(SUBWAVE_DTYPE_F64, at / n, at % n, n, k, a_values_.data(), b_values_.data(),
                       &right, &scale);
            compare(at / n, at % n, right, scale);
        }
        return worst;
    }

    rotating_array a, b, c;

private:
    subwave_dtype dtype_;
    shape size_;
    std::vector<double> a_values_, b_values_;
};

contender ours(const device &on, subwave_variant variant, subwave_dtype dtype, const shape &size)
{
    return {"subwave", subwave_variant_name(variant), subwave_version(),
            [&on, variant, dtype, size, constants = scalars(dtype)](problem &p, int set) {
                const auto &mm = static_cast<matmul_problem &>(p);
                on.expect(subwave_matmul(
                    on.context, variant, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                    SUBWAVE_TRANSPOSE_NONE, size.m, size.n, size.k, constants.one.data(), mm.a[set],
                    size.k, mm.b[set], size.n, constants.zero.data(), mm.c[set], size.n));
            }};
}

contender theirs(device &on, const blas &peer, subwave_dtype dtype, const shape &size)
{
    return {peer.name, "", peer.version(), [&on, &peer, dtype, size](problem &p, int set) {
                const auto &mm = static_cast<matmul_problem &>(p);
                peer.gemm(on, dtype, size, mm.a[set], mm.b[set], mm.c[set]);
            }};
}

} // namespace

void matmul_cases(session &s)
{
    if (!s.wants("matmul"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n : s.on.is_gpu()
                              ? std::vector<std::int64_t>{256, 512, 1024, 2048, 4096, 8192}
                              : std::vector<std::int64_t>{64, 128, 256, 512})
        usual.push_back({n, n, n});
    const std::int64_t wide = s.on.is_gpu() ? 4096 : 256;
    for (std::int64_t thin : {1, 16}) {
        usual.push_back({thin, wide, wide});
        usual.push_back({wide, thin, wide});
        usual.push_back({thin, thin, 16 * wide});
    }
    for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F32, SUBWAVE_DTYPE_F64}))
        for (shape size : s.sizes(usual))
            for (cache state : s.wishes.caches) {
                if (!size.m)
                    size.m = size.k = size.n;
                const double m = static_cast<double>(size.m), n = static_cast<double>(size.n),
                             k = static_cast<double>(size.k);
                const double bytes =
                    (m * k + k * n + m * n) * static_cast<double>(subwave_dtype_size(dtype));
                const int sets = s.sets(state, bytes);
                if (!sets)
                    continue;
                std::vector<contender> contenders;
                for (subwave_variant variant : all_variants)
                    contenders.push_back(ours(s.on, variant, dtype, size));
                for (const blas &peer : registry<blas>())
                    if (peer.on_gpu == s.on.is_gpu())
                        contenders.push_back(theirs(s.on, peer, dtype, size));
                s.run({"matmul", dtype, size, state}, {2 * m * n * k, bytes, "GFLOP/s"}, contenders,
                      [&] { return std::make_unique<matmul_problem>(s.on, dtype, size, sets); });
            }
}

} // namespace bench
