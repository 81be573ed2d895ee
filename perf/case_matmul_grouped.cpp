/* SPDX-License-Identifier: MIT
 * case_matmul_grouped.cpp: products of any sizes in one call, beside one call each, ours and every
 * BLAS's.
 */
#include "../hip/kernels.def"
#include "bench.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

#define SUBWAVE_X(operation, dtype, type) SUBWAVE_DTYPE_##dtype,
const std::vector<subwave_dtype> all_dtypes = {SUBWAVE_KERNELS_matmul_grouped(SUBWAVE_X)};
#undef SUBWAVE_X

enum { A, B, C, OPERANDS };

/* Sizes of 1 to those of a shape, evenly spread. */
std::vector<shape> sizes_up_to(const shape &most)
{
    std::vector<shape> sizes(static_cast<std::size_t>(most.batch));
    std::uint64_t state = 1;
    const auto next = [&state](std::int64_t upto) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return 1 + static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(upto));
    };
    for (shape &size : sizes) {
        size.m = next(most.m);
        size.n = next(most.n);
        size.k = next(most.k);
    }
    return sizes;
}

/* The matrices of all problems one after the other, by rows without gaps. */
class grouped_problem : public problem {
public:
    grouped_problem(const device &on, subwave_dtype dtype, const std::vector<shape> &sizes,
                    int count)
        : sizes(sizes), on_(on), dtype_(dtype)
    {
        sets = count;
        std::int64_t deepest = 0;
        for (const shape &s : sizes) {
            const std::int64_t elements[] = {s.m * s.k, s.k * s.n, s.m * s.n};
            for (int which = 0; which < OPERANDS; ++which) {
                first[which].push_back(all_[which]);
                all_[which] += elements[which];
            }
            deepest = std::max(deepest, s.k);
        }
        bound = 2 * static_cast<double>(deepest + 6) * measure_epsilon(dtype);
        for (int which = 0; which < OPERANDS; ++which) {
            matrices_.push_back(std::make_unique<rotating_array>(on, bytes(which), count));
            numbers_[which].resize(static_cast<std::size_t>(all_[which] * parts()));
            if (which == C)
                continue;
            measure_random(part(), all_[which] * parts(), which + 1, numbers_[which].data());
            std::vector<unsigned char> contents(bytes(which));
            measure_encode(part(), all_[which] * parts(), numbers_[which].data(), contents.data());
            matrices_[which]->fill(contents.data());
        }
        make_lists();
    }
    void poison() override { matrices_[C]->poison(sets - 1); }

    /* Of some elements of each problem. */
    double error() override
    {
        const std::vector<unsigned char> result = matrices_[C]->read(sets - 1);
        measure_decode(part(), all_[C] * parts(), result.data(), numbers_[C].data());
        double worst = 0;
        for (std::size_t p = 0; p < sizes.size(); ++p)
            for (std::int64_t e = 0; e < sizes[p].m * sizes[p].n;
                 e += 1 + sizes[p].m * sizes[p].n / 16) {
                const double off = off_by(p, e / sizes[p].n, e % sizes[p].n);
                worst = std::isnan(off) ? INFINITY : std::max(worst, off);
            }
        return worst;
    }

    void *at(int which, std::size_t p, int set) const
    {
        return static_cast<char *>((*matrices_[which])[set]) +
               first[which][p] * static_cast<std::int64_t>(subwave_dtype_size(dtype_));
    }
    /* Element i of list number `list`: m, n, k, which are leading dimensions too, addresses of A, B
     * and C. */
    const std::int64_t *list(int number, int set) const
    {
        return static_cast<const std::int64_t *>((*lists_)[set]) +
               static_cast<std::size_t>(number) * sizes.size();
    }

    const gemm_group &group(int set) const { return groups_[static_cast<std::size_t>(set)]; }

    const std::vector<shape> sizes;
    std::vector<std::int64_t> first[OPERANDS];

private:
    int parts() const { return measure_part(dtype_) == dtype_ ? 1 : 2; }
    subwave_dtype part() const { return measure_part(dtype_); }
    std::size_t bytes(int which) const
    {
        return static_cast<std::size_t>(all_[which]) * subwave_dtype_size(dtype_);
    }
    void make_lists()
    {
        const std::size_t count = sizes.size();
        lists_ = std::make_unique<rotating_array>(on_, 6 * count * sizeof(std::int64_t), sets);
        for (int set = 0; set < sets; ++set) {
            std::vector<std::int64_t> numbers(6 * count);
            for (std::size_t p = 0; p < count; ++p) {
                numbers[p] = sizes[p].m;
                numbers[count + p] = sizes[p].n;
                numbers[2 * count + p] = sizes[p].k;
                for (int which = 0; which < OPERANDS; ++which)
                    numbers[(3 + static_cast<std::size_t>(which)) * count + p] =
                        reinterpret_cast<std::intptr_t>(at(which, p, set));
            }
            on_.expect(subwave_copy(on_.context, (*lists_)[set], numbers.data(),
                                    static_cast<std::int64_t>(numbers.size() * sizeof numbers[0])));
            const auto addresses = [&](int which) {
                return reinterpret_cast<const void *const *>(list(3 + which, set));
            };
            groups_.push_back(
                {{}, {}, {}, addresses(A), addresses(B), const_cast<void *const *>(addresses(C))});
            for (const shape &s : sizes) {
                groups_.back().m.push_back(static_cast<int>(s.m));
                groups_.back().n.push_back(static_cast<int>(s.n));
                groups_.back().k.push_back(static_cast<int>(s.k));
            }
        }
    }
    double off_by(std::size_t p, std::int64_t i, std::int64_t j) const
    {
        const shape &s = sizes[p];
        const auto number = [&](int which, std::int64_t e, int of) {
            return numbers_[which][static_cast<std::size_t>((first[which][p] + e) * parts() + of)];
        };
        double real = 0, imaginary = 0, size = 0;
        for (std::int64_t l = 0; l < s.k; ++l) {
            const std::int64_t a = i * s.k + l, b = l * s.n + j;
            const double ar = number(A, a, 0), br = number(B, b, 0),
                         ai = parts() == 2 ? number(A, a, 1) : 0,
                         bi = parts() == 2 ? number(B, b, 1) : 0;
            real += ar * br - ai * bi;
            imaginary += ar * bi + ai * br;
            size += (std::fabs(ar) + std::fabs(ai)) * (std::fabs(br) + std::fabs(bi));
        }
        const std::int64_t c = i * s.n + j;
        const double off = std::fabs(number(C, c, 0) - real) +
                           (parts() == 2 ? std::fabs(number(C, c, 1) - imaginary) : 0);
        return off / size;
    }

    const device &on_;
    subwave_dtype dtype_;
    std::int64_t all_[OPERANDS] = {};
    std::vector<double> numbers_[OPERANDS];
    std::vector<std::unique_ptr<rotating_array>> matrices_;
    std::unique_ptr<rotating_array> lists_;
    std::vector<gemm_group> groups_;
};

/* One and zero of any type that these products have. */
struct scalars {
    explicit scalars(subwave_dtype dtype)
    {
        static const double f64[] = {1, 0, 0};
        static const float f32[] = {1, 0, 0};
        const bool wide = measure_part(dtype) == SUBWAVE_DTYPE_F64;
        one = wide ? static_cast<const void *>(f64) : f32;
        zero = wide ? static_cast<const void *>(f64 + 1) : f32 + 1;
    }
    const void *one, *zero;
};

contender grouped(device &on, subwave_dtype dtype)
{
    return {"subwave", "grouped", subwave_version(), [&on, dtype](problem &p, int set) {
                const auto &g = static_cast<grouped_problem &>(p);
                const scalars of(dtype);
                const auto addresses = [&](int which) {
                    return reinterpret_cast<const void *const *>(g.list(3 + which, set));
                };
                const std::int64_t *m = g.list(0, set), *n = g.list(1, set), *k = g.list(2, set);
                on.expect(subwave_matmul_grouped(
                    on.context, dtype, SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE,
                    SUBWAVE_TRANSPOSE_NONE, m, n, k, of.one, addresses(A), k, addresses(B), n,
                    of.zero, reinterpret_cast<void *const *>(g.list(3 + C, set)), n,
                    static_cast<std::int64_t>(g.sizes.size())));
            }};
}

contender one_by_one(device &on, subwave_dtype dtype)
{
    return {"subwave", "one by one", subwave_version(), [&on, dtype](problem &p, int set) {
                const auto &g = static_cast<grouped_problem &>(p);
                const scalars of(dtype);
                for (std::size_t i = 0; i < g.sizes.size(); ++i) {
                    const shape &s = g.sizes[i];
                    on.expect(subwave_matmul(
                        on.context, SUBWAVE_VARIANT_AUTO, dtype, SUBWAVE_LAYOUT_ROW_MAJOR,
                        SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, s.m, s.n, s.k, of.one,
                        g.at(A, i, set), s.k, g.at(B, i, set), s.n, of.zero, g.at(C, i, set), s.n));
                }
            }};
}

contender peer_grouped(device &on, const blas &peer, subwave_dtype dtype)
{
    return {peer.name, "grouped", peer.version(), [&on, &peer, dtype](problem &p, int set) {
                peer.gemm_grouped(on, dtype, static_cast<grouped_problem &>(p).group(set));
            }};
}

contender peer_one_by_one(device &on, const blas &peer, subwave_dtype dtype)
{
    return {peer.name, "", peer.version(), [&on, &peer, dtype](problem &p, int set) {
                const auto &g = static_cast<grouped_problem &>(p);
                for (std::size_t i = 0; i < g.sizes.size(); ++i)
                    peer.gemm(on, dtype, g.sizes[i], g.at(A, i, set), g.at(B, i, set),
                              g.at(C, i, set));
            }};
}

} // namespace

void matmul_grouped_cases(session &s)
{
    if (!s.wants("matmul_grouped"))
        return;
    std::vector<shape> usual;
    for (std::int64_t n : s.on.is_gpu() ? std::vector<std::int64_t>{8, 16, 32, 64, 256}
                                        : std::vector<std::int64_t>{8, 16, 32})
        usual.push_back({n, n, n});
    for (shape most : s.sizes(usual))
        for (subwave_dtype dtype : s.dtypes(all_dtypes, {SUBWAVE_DTYPE_F64})) {
            if (!most.m)
                most.m = most.k = most.n;
            most.batch = s.wishes.batch ? s.wishes.batch : s.on.is_gpu() ? 1000 : 40;
            const std::vector<shape> sizes = sizes_up_to(most);
            double products = 0, elements = 0;
            for (const shape &p : sizes) {
                products += static_cast<double>(p.m * p.n) * static_cast<double>(p.k);
                elements += static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n);
            }
            const double bytes = elements * static_cast<double>(subwave_dtype_size(dtype)),
                         flops = products * (measure_part(dtype) == dtype ? 2 : 8);
            std::vector<contender> all = {grouped(s.on, dtype), one_by_one(s.on, dtype)};
            for (const blas &peer : registry<blas>())
                if (peer.on_gpu == s.on.is_gpu()) {
                    if (peer.gemm_grouped)
                        all.push_back(peer_grouped(s.on, peer, dtype));
                    all.push_back(peer_one_by_one(s.on, peer, dtype));
                }
            for (cache state : s.caches(bytes))
                if (const int sets = s.sets(state, bytes))
                    s.run({"matmul_grouped", dtype, most, state, "", ""}, {flops, bytes, "GFLOP/s"},
                          all, [&s, dtype, sizes, sets] {
                              return std::make_unique<grouped_problem>(s.on, dtype, sizes, sets);
                          });
        }
}

} // namespace bench
