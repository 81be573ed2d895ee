/* SPDX-License-Identifier: MIT
 * options.h: a command's options as a table, from which both the parser and --help work.
 */
#ifndef SUBWAVE_TOOL_OPTIONS_H
#define SUBWAVE_TOOL_OPTIONS_H

#include <measure.h>

enum { LIST_SIZE = 64 };

typedef struct option {
    const char *name;  /* "--output" */
    const char *value; /* what --help calls its value; null for an option without one */
    /* one line; if it is the usual value in brackets, the names that the option takes stand before
     * it */
    const char *help;
    /* Stores the value; returns null, or what the option takes instead. */
    const char *(*take)(const char *value, void *target);
    void *target;
    char letter;  /* 'o' for -o, or 0 */
    bool repeats; /* may be given more than once */
    bool given;   /* set by parse_options */
} option;

typedef struct command {
    const char *name;  /* "bench matmul" */
    const char *usage; /* "A.npy B.npy -o C.npy [OPTION]..." */
    const char *about; /* paragraphs for --help */
    option *options;
    int option_count;
    const char *const *operand_names; /* required, in order */
    int operand_count;
} command;

/* Fills the options' targets and `operands`. Returns false when the command must end now, having
 * printed its help or a usage error: `*exit_code` is then set. */
bool parse_options(command *c, int argc, char **argv, const char **operands, int *exit_code);

/* A usage error, with a pointer to the help. Returns EXIT_USAGE. */
int usage_error(const char *command_name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- what options take, as option.take; the target's type stands beside each ----------------- */

typedef struct text_list {
    int count;
    const char *item[LIST_SIZE];
} text_list;

typedef struct variant_list {
    int count;
    subwave_variant item[LIST_SIZE];
} variant_list;

typedef struct dtype_list {
    int count;
    subwave_dtype item[LIST_SIZE];
} dtype_list;

typedef struct shape {
    int64_t m, n, k;
} shape;

typedef struct shape_list {
    int count;
    shape item[LIST_SIZE];
} shape_list;

const char *take_flag(const char *value, void *target);     /* bool */
const char *take_text(const char *value, void *target);     /* const char * */
const char *take_texts(const char *value, void *target);    /* text_list */
const char *take_number(const char *value, void *target);   /* double, finite */
const char *take_seconds(const char *value, void *target);  /* double, >= 0 */
const char *take_count(const char *value, void *target);    /* int, 1 to 1000 */
const char *take_variant(const char *value, void *target);  /* subwave_variant */
const char *take_variants(const char *value, void *target); /* variant_list */
const char *take_dtypes(const char *value, void *target);   /* dtype_list of what a product takes */
const char *take_batched_dtypes(const char *value, void *target); /* of what a batch takes */
const char *take_dot_dtypes(const char *value, void *target);     /* of what dot and norm2 take */
const char *take_number_dtypes(const char *value, void *target);  /* of what can be combined */
const char *take_scatter_dtypes(const char *value, void *target); /* of what can be combined */
const char *take_all_dtypes(const char *value, void *target);
const char *take_layout(const char *value, void *target);   /* subwave_layout */
const char *take_shapes(const char *value, void *target);   /* shape_list, from N or MxNxK */
const char *take_matrices(const char *value, void *target); /* shape_list, from N or MxN */
const char *take_sizes(const char *value, void *target);    /* shape_list, from N */
const char *take_size(const char *value, void *target);     /* int64_t, >= 0 */
const char *take_three(const char *value, void *target);    /* int64_t[3], from A,B,C */
const char *take_pair(const char *value,
                      void *target); /* int64_t[3], from X,Y, which are A and C */
const char *take_block(const char *value, void *target);        /* int32_t[3], from XxYxZ */
const char *take_scalar(const char *value, void *target);       /* double[2], from X or RE,IM */
const char *take_range(const char *value, void *target);        /* double[2], from LOWER,UPPER */
const char *take_int(const char *value, void *target);          /* int32_t, >= 0 */
const char *take_unsigned(const char *value, void *target);     /* uint32_t */
const char *take_kind(const char *value, void *target);         /* subwave_group_kind */
const char *take_op(const char *value, void *target);           /* subwave_op */
const char *take_order(const char *value, void *target);        /* subwave_order */
const char *take_minmax(const char *value, void *target);       /* subwave_op, one of the two */
const char *take_conjugation(const char *value, void *target);  /* subwave_conjugation */
const char *take_comparison(const char *value, void *target);   /* subwave_comparison */
const char *take_lengths(const char *value, void *target);      /* measure_lengths */
const char *take_offset_dtype(const char *value, void *target); /* subwave_dtype, one of the two */
const char *take_scan(const char *value, void *target);         /* subwave_scan_kind */
const char *take_shift(const char *value, void *target);        /* subwave_shift */
const char *take_vote(const char *value, void *target);         /* subwave_vote */

#endif
