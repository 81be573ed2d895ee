/* SPDX-License-Identifier: MIT
 * candidates.cpp: the kernels that the library could launch for a product or a batch of them, each
 * a contender: what --tune times.
 */
#include "bench.hpp"

extern "C" {
#include "../src/tuning.h"
}

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

const subwave_variant variants[] = {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_VARIANT_##name,
    SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
};

struct batched_kernel {
    subwave_matmul_batched_launch launch;
    int side;
};

struct batched_collector : subwave_batched_candidates {
    std::vector<batched_kernel> kernels;

    static void keep(subwave_batched_candidates *self, const subwave_matmul_batched_launch *launch,
                     std::int32_t side)
    {
        static_cast<batched_collector *>(self)->kernels.push_back({*launch, side});
    }
};

struct collector : subwave_candidates {
    std::vector<subwave_matmul_kernel> kernels;

    static void keep(subwave_candidates *self, const subwave_matmul_kernel *kernel)
    {
        static_cast<collector *>(self)->kernels.push_back(*kernel);
    }
};

/* Row-major without gaps, as the problems of a bench are. */
subwave_matmul_product product_of(const measure_problem &p)
{
    subwave_matmul_product product = {};
    product.m = p.m;
    product.n = p.n;
    product.k = p.k;
    product.a_row = p.k;
    product.b_row = product.c_row = p.n;
    product.a_column = product.b_column = product.c_column = 1;
    product.alpha[0] = 1;
    return product;
}

std::string many(std::int64_t count, const char *thing)
{
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string area(int rows, int columns, bool turned)
{
    return std::to_string(turned ? columns : rows) + "x" + std::to_string(turned ? rows : columns);
}

/* What tells a kernel from the variant's others, in the words of docs/bench.md. */
std::string name_of(const subwave_matmul_kernel &kernel, subwave_dtype dtype, bool turned, int wave)
{
    std::string name = area(kernel.tile_rows, kernel.tile_columns, turned);
    if (kernel.variant == SUBWAVE_VARIANT_BROADCAST) {
        name += " by " + area(kernel.item_rows, kernel.item_columns, turned) + ", " +
                many(kernel.block_x / static_cast<unsigned>(wave), "wave");
        if (kernel.block_y > 1)
            name += ", " + many(kernel.block_y, "split");
    } else if (kernel.variant == SUBWAVE_VARIANT_MATRIX) {
        /* Another block may have as large a tile. Those of smaller elements are numbered apart. */
        if (kernel.of.matrix.shape >= SUBWAVE_MATRIX_THIN && subwave_dtype_size(dtype) >= 4)
            name += " thin";
        if (kernel.parts > 1)
            name += ", " + std::to_string(kernel.of.matrix.shared) + " in " +
                    many(kernel.of.matrix.shares, "share");
        name += ", bands of " + std::to_string(kernel.of.matrix.band);
    } else if (kernel.variant == SUBWAVE_VARIANT_SKINNY) {
        static const char *const shapes[] = {nullptr, "ACROSS", "NARROW", "DOWN",
#define SUBWAVE_X(name, ...) #name,
                                             SUBWAVE_SKINNY_STAGES(SUBWAVE_X)
                                                 SUBWAVE_SKINNY_UNITS(SUBWAVE_X)
#undef SUBWAVE_X
        };
        name += std::string(" ") + shapes[kernel.of.skinny.shape];
        if (kernel.parts > 1)
            name += ", " + many(kernel.parts, "part");
    }
    return name;
}

/* A batch in one array each, row-major without gaps. */
subwave_matmul_batched_launch batch_of(const measure_problem &p)
{
    subwave_matmul_batched_launch batch = {};
    batch.m = static_cast<std::int32_t>(p.m);
    batch.n = static_cast<std::int32_t>(p.n);
    batch.k = static_cast<std::int32_t>(p.k);
    batch.batch = p.batch;
    batch.a.ld = p.k;
    batch.b.ld = batch.c.ld = p.n;
    batch.a.stride = p.m * p.k;
    batch.b.stride = p.k * p.n;
    batch.c.stride = p.m * p.n;
    const double one[2] = {1, 0};
    measure_encode(p.dtype, 1, one, batch.alpha);
    return batch;
}

/* Lanes have tiles of C, and a block has all of it; in other kernels groups or waves have tiles. */
bool is_cells(const subwave_matmul_batched_launch &launch)
{
    return launch.tile == SUBWAVE_MATMUL_BATCHED_CELLS_3 ||
           launch.tile == SUBWAVE_MATMUL_BATCHED_CELLS_4;
}

std::string name_of(const batched_kernel &kernel)
{
    const subwave_matmul_batched_launch &launch = kernel.launch;
    const std::string tile = area(kernel.side, kernel.side, false);
    if (is_cells(launch))
        return area(launch.m, launch.n, false) + " by " + tile + " CELLS";
    return tile + (launch.tile == SUBWAVE_MATMUL_BATCHED_UNIT       ? " UNIT"
                   : launch.tile >= SUBWAVE_MATMUL_BATCHED_DENSE_24 ? " DENSE"
                                                                    : " GROUPS");
}

/* Where MATRIX has hundreds of splits, which differ by one share each: those whose shares grow by a
 * quarter. */
class splits_apart {
public:
    bool skips(const subwave_matmul_kernel &kernel)
    {
        const auto &split = kernel.of.matrix;
        if (kernel.variant != SUBWAVE_VARIANT_MATRIX || split.shares == 0)
            return false;
        const bool other = split.shape != last_.shape || split.shared != last_.shared;
        if (!other && 4 * std::uint64_t{split.shares} < 5 * std::uint64_t{last_.shares})
            return true;
        last_ = {split.shape, split.shared, split.shares};
        return false;
    }

private:
    struct {
        std::int32_t shape;
        std::uint32_t shared, shares;
    } last_ = {-1, 0, 0};
};

} // namespace

std::vector<contender> candidates_of(const device &on, const measure_problem &p)
{
    /* SKINNY reads all of B for each 16 rows of C. */
    constexpr std::int64_t most_rows_of_skinny = 64;
    const subwave_capabilities &known = on.context->capabilities;
    const subwave_tuning &tuning = *on.context->tuning;
    std::vector<contender> found;
    subwave_matmul_product asked = product_of(p);
    const subwave_matmul_kernel automatic =
        tuning.plan(&known, p.dtype, SUBWAVE_VARIANT_AUTO, &asked);
    const auto name = [&](const subwave_matmul_kernel &kernel, bool turned) {
        return name_of(kernel, p.dtype, turned, on.wave());
    };
    for (subwave_variant variant : variants) {
        if (variant == SUBWAVE_VARIANT_AUTO || !tuning.takes(&known, variant, p.dtype) ||
            (variant == SUBWAVE_VARIANT_SKINNY && std::min(p.m, p.n) > most_rows_of_skinny))
            continue;
        subwave_matmul_product product = product_of(p);
        const subwave_matmul_kernel planned = tuning.plan(&known, p.dtype, variant, &product);
        product = product_of(p);
        collector all = {};
        all.all = true;
        all.show = collector::keep;
        tuning.candidates(&known, p.dtype, variant, &product, &all);
        splits_apart splits;
        for (const subwave_matmul_kernel &kernel : all.kernels) {
            const bool turned = product.transposed;
            const bool is_planned = name(kernel, turned) == name(planned, turned);
            if (splits.skips(kernel) && !is_planned &&
                kernel.of.matrix.band == planned.of.matrix.band)
                continue;
            const double share = tuning.share(&known, &product, &kernel);
            candidate what;
            what.name = name(kernel, turned);
            what.tile_rows = turned ? kernel.tile_columns : kernel.tile_rows;
            what.tile_columns = turned ? kernel.tile_rows : kernel.tile_columns;
            what.parts = kernel.parts;
            what.splits =
                variant == SUBWAVE_VARIANT_BROADCAST ? static_cast<int>(kernel.block_y) : 1;
            what.band =
                variant == SUBWAVE_VARIANT_MATRIX ? static_cast<int>(kernel.of.matrix.band) : 0;
            what.planned = is_planned;
            what.automatic = is_planned && variant == automatic.variant;
            what.share = share > 0 ? share : NAN;
            what.time = planned.time > 0 ? kernel.time / planned.time : NAN;
            const auto call = [&on, &tuning, product, kernel, dtype = p.dtype](problem &on_data,
                                                                               int set) {
                const measure_data &data = static_cast<call_problem &>(on_data).data;
                const void *const a = measure_at(&data.a, set), *const b = measure_at(&data.b, set);
                subwave_matmul_launch launch = {product, kernel, nullptr};
                launch.product.a = product.transposed ? b : a;
                launch.product.b = product.transposed ? a : b;
                launch.product.c = measure_at(&data.c, set);
                on.expect(tuning.launch(on.context, dtype, &launch));
            };
            found.push_back(
                {"subwave", subwave_variant_name(variant), subwave_version(), call, what});
        }
    }
    return found;
}

std::vector<contender> batched_candidates_of(const device &on, const measure_problem &p)
{
    const subwave_capabilities &known = on.context->capabilities;
    const subwave_batched_tuning &tuning = *on.context->tuning->of_batches;
    if (std::max({p.m, p.n, p.k}) > SUBWAVE_MATMUL_BATCHED_MOST)
        return {};
    const subwave_matmul_batched_launch asked = batch_of(p);
    subwave_matmul_batched_launch planned = asked;
    tuning.plan(&known, p.dtype, &planned);
    batched_collector all = {};
    all.show = batched_collector::keep;
    tuning.candidates(&known, p.dtype, &asked, &all);
    std::vector<contender> found;
    for (const batched_kernel &kernel : all.kernels) {
        const bool whole = is_cells(kernel.launch);
        candidate what;
        what.name = name_of(kernel);
        what.tile_rows = whole ? kernel.launch.m : kernel.side;
        what.tile_columns = whole ? kernel.launch.n : kernel.side;
        what.parts = what.splits = 1;
        what.planned = what.automatic = kernel.launch.tile == planned.tile;
        const auto call = [&on, &tuning, launch = kernel.launch, dtype = p.dtype](problem &on_data,
                                                                                  int set) {
            const measure_data &data = static_cast<call_problem &>(on_data).data;
            subwave_matmul_batched_launch now = launch;
            now.a.first = measure_at(&data.a, set);
            now.b.first = measure_at(&data.b, set);
            now.c.first = measure_at(&data.c, set);
            on.expect(tuning.launch(on.context, dtype, &now));
        };
        found.push_back({"subwave", "strided", subwave_version(), call, what});
    }
    return found;
}

} // namespace bench
