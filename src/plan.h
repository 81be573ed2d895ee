/* SPDX-License-Identifier: MIT
 * plan.h: which kernel computes a product, and its grid: pure arithmetic on the product and the
 * device's capabilities, so that it is tested on any machine.
 */
#ifndef SUBWAVE_PLAN_H
#define SUBWAVE_PLAN_H

#include "../hip/kernels.h"
#include "capabilities.h"

#include <stddef.h>

static inline int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }
/* Saturates: a plan can be asked for with any sizes. */
static inline int64_t round_up(int64_t a, int64_t step)
{
    return a > INT64_MAX - step ? INT64_MAX : ceil_divide(a, step) * step;
}
static inline int64_t lesser_of(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t greater_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Whether `elements` at a time can be read from a row of a matrix by one aligned access. */
bool subwave_reads_together(const void *matrix, int64_t row, int64_t column, int64_t elements,
                            subwave_dtype dtype);

/* --- a product: plan_matmul.c ---------------------------------------------------------------- */

/* The operation that launches a variant's kernel. */
subwave_operation subwave_operation_of(subwave_variant variant);

/* Whether a variant takes the type on the device: its operation does, and MATRIX has a unit. */
bool subwave_variant_takes(const subwave_capabilities *device, subwave_variant variant,
                           subwave_dtype dtype);

/* Makes a product the transposed one, C^T = B^T A^T. A planner does so at most once. */
void subwave_transpose_product(subwave_matmul_product *product);

/* Transposes a product whose C lies by columns. */
void subwave_lay_c_by_rows(subwave_matmul_product *product);

/* Rows or columns of a complex C up to which SKINNY is ahead everywhere: BROADCAST has tiles of more. */
enum { SUBWAVE_SKINNY_COMPLEX = 4 };

/* A variant's kernels for a product, shown one after the other. Of those that a planner shows, the
 * plan is the one of the least time, the first of equals. `all`: it also shows those that its rules
 * leave out, but which would compute the product as well. */
typedef struct subwave_candidates {
    bool all;
    void (*show)(struct subwave_candidates *self, const subwave_matmul_kernel *kernel);
} subwave_candidates;

/* Shows the kernels of a variant other than AUTO, m, n >= 1; the product may be transposed. */
void subwave_plan_candidates(const subwave_capabilities *device, subwave_dtype dtype,
                             subwave_variant variant, subwave_matmul_product *product,
                             subwave_candidates *candidates);

/* Plans a product, m, n >= 1: AUTO is replaced by the variant that is expected to be fastest, and
 * the product may be transposed. */
subwave_matmul_kernel subwave_plan_matmul(const subwave_capabilities *device, subwave_dtype dtype,
                                          subwave_variant variant, subwave_matmul_product *product);

/* Tiles of so many rows and columns in C; saturates at 2^31 - 1. */
int64_t subwave_count_tiles(const subwave_matmul_product *product, int64_t rows, int64_t columns);

/* Sets the tile of a block, and as many blocks as there are tiles. Kernels walk over tiles by the
 * grid's size, so a grid may be smaller than the work. */
void subwave_set_tile(const subwave_matmul_product *product, int64_t rows, int64_t columns,
                      subwave_matmul_kernel *kernel);

/* --- a variant each: plan_<variant>.c. They show kernels that begin as `kernel`, which has what is
 * of every variant ---------------------------------------------------------------------------- */

void subwave_plan_broadcast(const subwave_capabilities *device, subwave_dtype dtype,
                            subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                            subwave_candidates *candidates);
void subwave_plan_matrix(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates);
void subwave_plan_skinny(const subwave_capabilities *device, subwave_dtype dtype,
                         subwave_matmul_product *product, subwave_matmul_kernel *kernel,
                         subwave_candidates *candidates);

/* The most bytes of workspace (workspace.h) that a product needs: for the sums of parts by SKINNY
 * and by MATRIX, for operands that MATRIX does not take as they are (i8, complex), of which they need
 * not be all, and in all by any variant. */
size_t subwave_skinny_workspace(const subwave_capabilities *device);
size_t subwave_matrix_workspace(const subwave_capabilities *device);
size_t subwave_packed_workspace(const subwave_capabilities *device);
/* Where such operands begin: behind the counters and the sums of parts. */
int64_t subwave_packed_workspace_begin(const subwave_capabilities *device);
size_t subwave_plan_workspace(const subwave_capabilities *device);

/* --- a batch: plan_batched.c ----------------------------------------------------------------- */

/* Completes a launch whose problem is set: picks the tile, the block and the grid. m, n, batch >=
 * 1. */
void subwave_plan_matmul_batched(const subwave_capabilities *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch);

/* The same for a stack, whose lists are at most `batch`: also sets the number of blocks. */
void subwave_plan_matmul_stacked(const subwave_capabilities *device, subwave_dtype dtype,
                                 subwave_matmul_batched_launch *launch);

/* The same for problems of any sizes: a launch for each class of them (SUBWAVE_GROUPED_CLASSES at
 * most), by the side of its tiles. Returns their number. */
int32_t subwave_plan_matmul_grouped(const subwave_capabilities *device, subwave_dtype dtype,
                                    const subwave_matmul_batched_launch *problem,
                                    subwave_matmul_batched_launch *launches, int32_t *sides);

/* A batch's kernels, shown one after the other. `side`: of the tile of C that a group, a team of
 * them or a wave computes; of CELLS a lane. */
typedef struct subwave_batched_candidates {
    void (*show)(struct subwave_batched_candidates *self,
                 const subwave_matmul_batched_launch *launch, int32_t side);
} subwave_batched_candidates;

/* Shows a launch by every kernel that would compute the problem, of which the plan is one. */
void subwave_plan_batched_candidates(const subwave_capabilities *device, subwave_dtype dtype,
                                     const subwave_matmul_batched_launch *problem,
                                     subwave_batched_candidates *candidates);

#endif
