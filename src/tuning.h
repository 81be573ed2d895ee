/* SPDX-License-Identifier: MIT
 * tuning.h: what `subwave-bench --tune` calls to time kernels that no plan chooses. A context
 * points to it, so that the library exports nothing for it.
 */
#ifndef SUBWAVE_TUNING_H
#define SUBWAVE_TUNING_H

#include "backend.h"
#include "plan.h"

typedef struct subwave_batched_tuning {
    void (*plan)(const subwave_capabilities *device, subwave_dtype dtype,
                 subwave_matmul_batched_launch *launch);
    void (*candidates)(const subwave_capabilities *device, subwave_dtype dtype,
                       const subwave_matmul_batched_launch *problem,
                       subwave_batched_candidates *candidates);
    subwave_status (*launch)(subwave_context *context, subwave_dtype dtype,
                             subwave_matmul_batched_launch *launch);
} subwave_batched_tuning;

typedef struct subwave_tuning {
    bool (*takes)(const subwave_capabilities *device, subwave_variant variant, subwave_dtype dtype);
    subwave_matmul_kernel (*plan)(const subwave_capabilities *device, subwave_dtype dtype,
                                  subwave_variant variant, subwave_matmul_product *product);
    void (*candidates)(const subwave_capabilities *device, subwave_dtype dtype,
                       subwave_variant variant, subwave_matmul_product *product,
                       subwave_candidates *candidates);
    double (*share)(const subwave_capabilities *device, const subwave_matmul_product *product,
                    const subwave_matmul_kernel *kernel);
    /* Queues the kernel with the context's workspace. */
    subwave_status (*launch)(subwave_context *context, subwave_dtype dtype,
                             subwave_matmul_launch *launch);
    const subwave_batched_tuning *of_batches;
} subwave_tuning;

extern const subwave_tuning subwave_tuning_of_products;        /* matmul.c */
extern const subwave_batched_tuning subwave_tuning_of_batches; /* matmul_batched.c */

#endif
