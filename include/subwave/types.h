/* SPDX-License-Identifier: MIT
 * types.h: the types that the C interface speaks in: status, element types, matrix options,
 * devices.
 *
 * Each list below is written once; the enum, the names and the texts all come from it. Values are
 * part of the ABI: they never change, and 0 is never a valid choice, so an unset argument is
 * caught.
 */
#ifndef SUBWAVE_TYPES_H
#define SUBWAVE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUBWAVE_VERSION_MAJOR 0
#define SUBWAVE_VERSION_MINOR 1
#define SUBWAVE_VERSION_PATCH 0
#define SUBWAVE_VERSION_STRING "0.1.0"
#define SUBWAVE_VERSION_AT_LEAST(major, minor, patch) \
    (SUBWAVE_VERSION_MAJOR * 1000000 + SUBWAVE_VERSION_MINOR * 1000 + SUBWAVE_VERSION_PATCH >= \
     (major) * 1000000 + (minor) * 1000 + (patch))

#if defined(SUBWAVE_STATIC) || defined(SUBWAVE_CPU_DEVICE)
#define SUBWAVE_API
#else
#define SUBWAVE_API __attribute__((visibility("default")))
#endif

/* X(name, value, text) */
#define SUBWAVE_STATUS_LIST(X) \
    X(SUCCESS, 0, "success") \
    X(INVALID_CONTEXT, 1, "the context is null") \
    X(INVALID_POINTER, 2, "a pointer that must point to memory is null or misaligned") \
    X(INVALID_SIZE, 3, "a size is negative or too large") \
    X(INVALID_STRIDE, 4, "a leading dimension is smaller than the row or column it must hold") \
    X(INVALID_VALUE, 5, "an argument is outside its list of values") \
    X(UNSUPPORTED, 6, "the device or the build lacks what was asked for") \
    X(NO_DEVICE, 7, "there is no such device") \
    X(ARCHITECTURE_MISMATCH, 8, "the library holds no code for this device's architecture") \
    X(OUT_OF_MEMORY, 9, "memory could not be allocated") \
    X(DEVICE_ERROR, 10, "the device's runtime reported an error") \
    X(KERNEL_ERROR, 11, \
      "a kernel is wrong: the CPU device found an error in it, or it was not built") \
    X(WORKSPACE_TOO_SMALL, 12, "the call needs a larger workspace than the context has") \
    X(COMMUNICATION_ERROR, 13, "MPI or the GPUs' collectives failed, or a rank is lost")

typedef enum subwave_status {
#define SUBWAVE_X(name, value, text) SUBWAVE_STATUS_##name = value,
    SUBWAVE_STATUS_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_status;

/* X(name, value, bytes, spelling, class, sums, product, parts, fraction): products are summed in the
 * type `sums`, which their scalars have too, and the matrix that they make up has the type
 * `product`; a complex number is two of the type `parts`, any other one is itself; `fraction` is how
 * many bits of a part hold its fraction, 0 of an integer. */
#define SUBWAVE_DTYPE_LIST(X) \
    X(I8, 1, 1, "i8", SIGNED, I32, I32, I8, 0) \
    X(I16, 2, 2, "i16", SIGNED, I16, I16, I16, 0) \
    X(I32, 3, 4, "i32", SIGNED, I32, I32, I32, 0) \
    X(I64, 4, 8, "i64", SIGNED, I64, I64, I64, 0) \
    X(U8, 5, 1, "u8", UNSIGNED, U8, U8, U8, 0) \
    X(U16, 6, 2, "u16", UNSIGNED, U16, U16, U16, 0) \
    X(U32, 7, 4, "u32", UNSIGNED, U32, U32, U32, 0) \
    X(U64, 8, 8, "u64", UNSIGNED, U64, U64, U64, 0) \
    X(F16, 9, 2, "f16", FLOAT, F32, F16, F16, 10) \
    X(BF16, 10, 2, "bf16", FLOAT, F32, BF16, BF16, 7) \
    X(F32, 11, 4, "f32", FLOAT, F32, F32, F32, 23) \
    X(F64, 12, 8, "f64", FLOAT, F64, F64, F64, 52) \
    X(C32, 13, 8, "c32", COMPLEX, C32, C32, F32, 23) \
    X(C64, 14, 16, "c64", COMPLEX, C64, C64, F64, 52)

typedef enum subwave_dtype {
#define SUBWAVE_X(name, value, ...) SUBWAVE_DTYPE_##name = value,
    SUBWAVE_DTYPE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_dtype;

/* How element (i, j) of a matrix with leading dimension ld is addressed. */
typedef enum subwave_layout {
    SUBWAVE_LAYOUT_ROW_MAJOR = 1,    /* x[i * ld + j], ld >= columns */
    SUBWAVE_LAYOUT_COLUMN_MAJOR = 2, /* x[i + j * ld], ld >= rows    */
} subwave_layout;

typedef enum subwave_transpose_kind {
    SUBWAVE_TRANSPOSE_NONE = 1,      /* op(X) = X   */
    SUBWAVE_TRANSPOSE_YES = 2,       /* op(X) = X^T */
    SUBWAVE_TRANSPOSE_CONJUGATE = 3, /* op(X) = X^H, which of real matrices is X^T */
} subwave_transpose_kind;

/* How a matrix product is computed. X(name, value, spelling) */
#define SUBWAVE_VARIANT_LIST(X) \
    X(AUTO, 1, "auto")   /* the fastest that the device has */ \
    X(NAIVE, 2, "naive") /* one element of C per work-item, global loads only */ \
    X(LOCAL, 3, "local") /* a row of A goes through local memory, two barriers a tile */ \
    X(BROADCAST, 4, \
      "broadcast") /* tiles in registers, A is broadcast in sub-groups, no barrier in the loop */ \
    X(TUTORIAL, 5, "tutorial") /* the same with one element per work-item, as tutorials have it */ \
    X(MATRIX, 6, "matrix")     /* the device's matrix units; not every device has them */ \
    X(SKINNY, 7, "skinny")     /* for few rows or columns of C: k is split among the work-groups */

typedef enum subwave_variant {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_VARIANT_##name = value,
    SUBWAVE_VARIANT_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_variant;

/* How a matrix product will be computed. */
typedef struct subwave_matmul_plan_info {
    subwave_variant variant;         /* never AUTO */
    int32_t item_rows, item_columns; /* elements of C that a work-item computes at a time */
    int32_t tile_rows, tile_columns; /* and a work-group */
    int32_t block[2];                /* work-items of a work-group */
    /* work-groups; each walks over further tiles if there are more */
    int64_t blocks;
    int64_t shared_bytes; /* local memory of a work-group */
    /* Into how many parts k is split at most, each summed by another work-group; 1 except with
     * SKINNY and MATRIX. */
    int32_t parts;
    int64_t workspace_bytes; /* of the workspace: for parts, packed i8 or complex A; or 0 */
    /* Of the peak of the device's matrix units in this dtype, 0 to 1, for large k: predicted from
     * machine code and from the rounds of work-groups on the compute units, not measured. 0: no
     * prediction (all but MATRIX on gfx9, of which gfx908 has gfx90a's; f16, bf16 and i8 in rows that
     * are not read by 16 bytes). */
    double predicted_share;
    int32_t reserved[10];
} subwave_matmul_plan_info;

/* What values are combined with. X(name, value, spelling, for floating types too) */
#define SUBWAVE_OP_LIST(X) \
    X(PLUS, 1, "plus", true) \
    X(MULTIPLIES, 2, "multiplies", true) \
    X(MINIMUM, 3, "minimum", true) /* a number wins over NaN; -0 < +0 */ \
    X(MAXIMUM, 4, "maximum", true) \
    X(BIT_AND, 5, "bit_and", false) \
    X(BIT_OR, 6, "bit_or", false) \
    X(BIT_XOR, 7, "bit_xor", false) \
    X(LOGICAL_AND, 8, "logical_and", true) \
    X(LOGICAL_OR, 9, "logical_or", true)

typedef enum subwave_op {
#define SUBWAVE_X(name, value, spelling, floating) SUBWAVE_OP_##name = value,
    SUBWAVE_OP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_op;

/* What an element of a scan combines. X(name, value, spelling) */
#define SUBWAVE_SCAN_LIST(X) \
    X(INCLUSIVE, 1, "inclusive") /* y[i] = x[0] op ... op x[i] */ \
    X(EXCLUSIVE, 2, "exclusive") /* y[i] = x[0] op ... op x[i - 1], y[0] = init or op's identity */

typedef enum subwave_scan_kind {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_SCAN_##name = value,
    SUBWAVE_SCAN_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_scan_kind;

/* In what order the elements of an array are combined, where that decides the bits of a float.
 * X(name, value, spelling) */
#define SUBWAVE_ORDER_LIST(X) \
    X(FIXED, 1, "fixed")   /* one that the call's arguments alone decide: equal on every device */ \
    X(DEVICE, 2, "device") /* one that suits the device: equal from run to run */ \
    X(ANY, 3, "any") /* the fastest: floats are added in any order, so that the last bits may \
                        differ from run to run; the same as DEVICE but for sums in cells and bins */

typedef enum subwave_order {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_ORDER_##name = value,
    SUBWAVE_ORDER_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_order;

/* Which factor of a dot product is conjugated, if it is complex. X(name, value, spelling) */
#define SUBWAVE_CONJUGATION_LIST(X) \
    X(NONE, 1, "none") \
    X(FIRST, 2, "first") /* the scalar product of complex vectors */

typedef enum subwave_conjugation {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_CONJUGATION_##name = value,
    SUBWAVE_CONJUGATION_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_conjugation;

/* How an element stands to a scalar, as IEEE compares: of a NaN only NOT_EQUAL is true, and -0 equals
 * +0. X(name, value, spelling) */
#define SUBWAVE_COMPARISON_LIST(X) \
    X(EQUAL, 1, "equal") \
    X(NOT_EQUAL, 2, "not_equal") \
    X(LESS, 3, "less") \
    X(LESS_EQUAL, 4, "less_equal") \
    X(GREATER, 5, "greater") \
    X(GREATER_EQUAL, 6, "greater_equal")

typedef enum subwave_comparison {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_COMPARISON_##name = value,
    SUBWAVE_COMPARISON_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_comparison;

/* Where the result of a call is written to. X(name, value, spelling) */
#define SUBWAVE_PLACE_LIST(X) \
    X(DEVICE, 1, "device") /* device memory, in stream order */ \
    X(HOST, 2, "host")     /* host memory; the call waits for it */

typedef enum subwave_place {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_PLACE_##name = value,
    SUBWAVE_PLACE_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_place;

/* Whose work a device takes up first where streams compete. X(name, value, spelling) */
#define SUBWAVE_PRIORITY_LIST(X) \
    X(LOW, 1, "low") /* the device's least; on NVIDIA the same as NORMAL */ \
    X(NORMAL, 2, "normal") \
    X(HIGH, 3, "high") /* the device's greatest */

typedef enum subwave_priority {
#define SUBWAVE_X(name, value, spelling) SUBWAVE_PRIORITY_##name = value,
    SUBWAVE_PRIORITY_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_priority;

typedef enum subwave_shift {
    SUBWAVE_SHIFT_LEFT = 1,  /* the value of local id + delta */
    SUBWAVE_SHIFT_RIGHT = 2, /* the value of local id - delta */
} subwave_shift;

typedef enum subwave_vote {
    SUBWAVE_VOTE_ANY = 1,
    SUBWAVE_VOTE_ALL = 2,
    SUBWAVE_VOTE_NONE = 3,
} subwave_vote;

/* X(name, value, spelling, subwave_aspect that a device needs for it, or 0) */
#define SUBWAVE_GROUP_LIST(X) \
    X(SUB_GROUP, 1, "sub_group", 0) \
    X(BALLOT, 2, "ballot", SUBWAVE_ASPECT_BALLOT_GROUP) \
    X(FIXED_SIZE, 3, "fixed_size", SUBWAVE_ASPECT_FIXED_SIZE_GROUP) \
    X(TANGLE, 4, "tangle", SUBWAVE_ASPECT_TANGLE_GROUP) \
    X(OPPORTUNISTIC, 5, "opportunistic", SUBWAVE_ASPECT_OPPORTUNISTIC_GROUP)

typedef enum subwave_group_kind {
#define SUBWAVE_X(name, value, ...) SUBWAVE_GROUP_##name = value,
    SUBWAVE_GROUP_LIST(SUBWAVE_X)
#undef SUBWAVE_X
} subwave_group_kind;

/* How the work-items of a subwave_group_* call form groups. Element i of every array belongs to
 * work-item i; work-groups are block[0] x block[1] x block[2] work-items, the first index running
 * fastest, and n elements make n / (block[0] block[1] block[2]) of them. */
typedef struct subwave_group {
    subwave_group_kind kind;
    int32_t block[3]; /* each >= 1, their product at most the device's max_block_size */
    /* FIXED_SIZE: members of a group, a power of two that divides every sub-group. */
    int32_t fixed_size;
    /* TANGLE, OPPORTUNISTIC: the branches of the control flow, 1 to 64. */
    int32_t branches;
    /* BALLOT [in, device]: n predicates, 0 or not. */
    const uint8_t *predicate;
    /* TANGLE, OPPORTUNISTIC [in, device]: n branch numbers. Work-items with equal keys take the
     * same branch; one whose key is outside 0 .. branches - 1 takes none, and its results are not
     * written. */
    const int32_t *key;
    /* [out, device, or null]: the members of each work-item's group, a bit per lane. */
    uint64_t *members;
} subwave_group;

/* What subwave_group_info writes for a work-item. */
typedef struct subwave_group_item {
    uint32_t group_id, group_range, local_id, local_range, leader;
    uint32_t sub_group_id, sub_group_range, lane;
} subwave_group_item;

/* What a device can do, as bits of subwave_device_properties.aspects. */
typedef enum subwave_aspect {
    SUBWAVE_ASPECT_BALLOT_GROUP = 1 << 0,
    SUBWAVE_ASPECT_FIXED_SIZE_GROUP = 1 << 1,
    SUBWAVE_ASPECT_TANGLE_GROUP = 1 << 2,
    SUBWAVE_ASPECT_OPPORTUNISTIC_GROUP = 1 << 3,
    SUBWAVE_ASPECT_NON_UNIFORM_GROUPS = 1 << 4, /* all four kinds */
    SUBWAVE_ASPECT_FP16 = 1 << 5,
    SUBWAVE_ASPECT_FP64 = 1 << 6,
} subwave_aspect;

typedef struct subwave_device_properties {
    char name[128];             /* "AMD Instinct MI250X", "CPU device, 64-lane waves" */
    char id[16];                /* what subwave_context_create takes: "gpu:0", "cpu:64" */
    char backend[16];           /* "hip-amd", "hip-nvidia", "cpu" */
    char architecture[64];      /* "gfx90a", "sm_90", "x86_64" */
    int64_t memory_bytes;       /* global memory */
    int32_t sub_group_sizes[8]; /* work-items a sub-group can have, ascending; rest 0 */
    int32_t sub_group_size_count;
    int32_t compute_units;  /* multiprocessors; on the CPU device processors online */
    int32_t max_block_size; /* work-items */
    int32_t aspects;        /* bits of subwave_aspect */
    int32_t built_for;      /* 1 if this library holds code for the architecture */
    int32_t reserved[15];
} subwave_device_properties;

#endif
