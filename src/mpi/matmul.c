/* SPDX-License-Identifier: MIT
 * matmul.c: the matrix product over a grid, by SUMMA: for panels of k, every rank receives its rows
 * of the panel of A along its row of the grid, its columns of the panel of B along its column, and
 * multiplies them. While it multiplies one pair of panels, the next two are on their way.
 */
#include "grid.h"

/* --- panels ---------------------------------------------------------------------------------- */

/* Blocks of k whose numbers are equal modulo `classes` have the same owners, in A as in B. A panel
 * is a part of those of one class: `width` steps of k from the class's step `at` on. */
typedef struct panel {
    int64_t class, at, width;
} panel;

typedef struct summa {
    subwave_mpi *mpi;
    subwave_dtype dtype;
    int64_t element;
    subwave_mpi_matrix a, b, c; /* A and B as they are divided for the product */
    subwave_transpose_kind transpose_a, transpose_b;
    const subwave_mpi_axis *k_of_a, *k_of_b;
    int64_t m, n, k; /* of this rank's C; of all */
    int64_t classes;
    const void *alpha, *beta;
} summa;

static int64_t class_length(const summa *s, int64_t class)
{
    const int64_t block = s->k_of_a->block, blocks = s->k / block + (s->k % block != 0);
    if (class >= blocks)
        return 0;
    const int64_t own = (blocks - class - 1) / s->classes + 1;
    return (blocks - 1) % s->classes == class ? own * block - (blocks * block - s->k) : own * block;
}

/* The panel behind *p; false at the end. It begins with {0}. */
static bool next_panel(const summa *s, panel *p)
{
    const bool alone = s->mpi->size[ALL_RANKS] == 1;
    p->at += p->width;
    for (; p->class < s->classes; ++p->class, p->at = 0) {
        const int64_t rest = class_length(s, p->class) - p->at;
        if (rest > 0) {
            p->width = alone || rest < s->mpi->panel_width ? rest : s->mpi->panel_width;
            return true;
        }
    }
    return false;
}

static int owner(const subwave_mpi_axis *k, int64_t class)
{
    return (int)((class + k->first) % k->parts);
}

/* Copies what this rank has of an operand's panel into `to`, without gaps: `lines` rows or columns
 * of it, of which k is the direction along the columns' memory if `k_is_rows`. */
static void pack(const summa *s, const subwave_mpi_matrix *from, const subwave_mpi_axis *k,
                 bool k_is_rows, int64_t lines, const panel *p, char *to)
{
    subwave_context *const transfer = s->mpi->transfer;
    for (int64_t done = 0; done < p->width && !s->mpi->status;) {
        const int64_t step = p->at + done, block = p->class + step / k->block * s->classes;
        const int64_t inside = step % k->block, mine = block / k->parts * k->block + inside;
        int64_t length = p->width - done;
        /* Blocks of a class that lie beside one another here are copied as one. */
        if (s->classes > k->parts && length > k->block - inside)
            length = k->block - inside;
        const int64_t pitch = from->ld * s->element;
        subwave_mpi_try(
            s->mpi, transfer,
            k_is_rows ? subwave_copy_2d_async(transfer, to + done * s->element,
                                              p->width * s->element, from->data + mine * s->element,
                                              pitch, length * s->element, lines)
                      : subwave_copy_2d_async(transfer, to + done * lines * s->element,
                                              lines * s->element, from->data + mine * pitch, pitch,
                                              lines * s->element, length));
        done += length;
    }
}

/* Begins to send a pair of panels to the buffers of a slot. */
static void send(const summa *s, const panel *p, int slot)
{
    subwave_mpi *mpi = s->mpi;
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->transfer, subwave_event_wait(mpi->transfer, mpi->used[slot]));
    const int of_a = owner(s->k_of_a, p->class), of_b = owner(s->k_of_b, p->class);
    if (mpi->rank[ALONG_ROW] == of_a && s->m)
        pack(s, &s->a, s->k_of_a, s->transpose_a != SUBWAVE_TRANSPOSE_NONE, s->m, p,
             mpi->panel_a[slot].device);
    if (mpi->rank[ALONG_COLUMN] == of_b && s->n)
        pack(s, &s->b, s->k_of_b, s->transpose_b == SUBWAVE_TRANSPOSE_NONE, s->n, p,
             mpi->panel_b[slot].device);
    subwave_mpi_broadcast(mpi, slot, ALONG_ROW, of_a, &mpi->panel_a[slot],
                          s->m * p->width * s->element);
    subwave_mpi_broadcast(mpi, slot, ALONG_COLUMN, of_b, &mpi->panel_b[slot],
                          s->n * p->width * s->element);
}

static void multiply(const summa *s, int64_t k, const void *a, int64_t lda, const void *b,
                     int64_t ldb, const void *beta)
{
    if (s->m && s->n && !s->mpi->status)
        subwave_mpi_try(s->mpi, s->mpi->context,
                        subwave_matmul(s->mpi->context, SUBWAVE_VARIANT_AUTO, s->dtype,
                                       SUBWAVE_LAYOUT_COLUMN_MAJOR, s->transpose_a, s->transpose_b,
                                       s->m, s->n, k, s->alpha, a, lda, b, ldb, beta, s->c.data,
                                       s->c.ld));
}

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

/* Multiplies the pair of panels of a slot. */
static void multiply_panels(const summa *s, int64_t width, int slot, const void *beta)
{
    subwave_mpi *mpi = s->mpi;
    multiply(s, width, mpi->panel_a[slot].device,
             s->transpose_a == SUBWAVE_TRANSPOSE_NONE ? at_least_one(s->m) : width,
             mpi->panel_b[slot].device,
             s->transpose_b == SUBWAVE_TRANSPOSE_NONE ? width : at_least_one(s->n), beta);
    if (!mpi->status)
        subwave_mpi_try(mpi, mpi->context, subwave_event_record(mpi->context, mpi->used[slot]));
}

/* C = beta C + ..., then C += ... */
static void run(const summa *s)
{
    static const double one_f64[2] = {1, 0};
    static const float one_f32[2] = {1, 0};
    const void *const one = s->dtype == SUBWAVE_DTYPE_F64 || s->dtype == SUBWAVE_DTYPE_C64
                                ? (const void *)one_f64
                                : one_f32;
    subwave_mpi *mpi = s->mpi;
    const void *beta = s->beta;
    panel panels[SUBWAVE_MPI_SLOTS], next = {0};
    bool more = next_panel(s, &next);
    for (int64_t sent = 0, done = 0; (more || done < sent) && !mpi->lost;) {
        if (!more || sent - done == SUBWAVE_MPI_SLOTS - 1) {
            const int slot = (int)(done++ % SUBWAVE_MPI_SLOTS);
            subwave_mpi_finish(mpi, slot);
            subwave_mpi_order(mpi, mpi->transfer, mpi->ready[slot], mpi->context);
            multiply_panels(s, panels[slot].width, slot, beta);
            beta = one;
        }
        if (more) {
            const int slot = (int)(sent++ % SUBWAVE_MPI_SLOTS);
            panels[slot] = next;
            send(s, &next, slot);
            more = next_panel(s, &next);
        }
    }
}

/* --- operands -------------------------------------------------------------------------------- */

/* An operand as it is stored, and as the product wants it: divided as C in one direction, and so
 * that k goes along the other. */
typedef struct operand {
    subwave_mpi_matrix stored, wanted;
    bool k_is_rows, moves;
} operand;

static subwave_mpi_axis *k_of(subwave_mpi_matrix *matrix, bool k_is_rows)
{
    return k_is_rows ? &matrix->rows : &matrix->columns;
}
static subwave_mpi_axis *other_of(subwave_mpi_matrix *matrix, bool k_is_rows)
{
    return k_is_rows ? &matrix->columns : &matrix->rows;
}

/* Whether the operand is divided as the product wants it, but for the size of the blocks of k. */
static bool fits(const subwave_mpi *mpi, operand *x, const subwave_mpi_axis *of_c,
                 subwave_mpi_ranks along)
{
    const subwave_mpi_axis *const k = k_of(&x->stored, x->k_is_rows);
    return subwave_mpi_axis_equal(other_of(&x->stored, x->k_is_rows), of_c) &&
           (k->parts == 1 ? mpi->size[along] == 1 : k->along == along);
}

static void want(subwave_mpi *mpi, operand *x, const subwave_mpi_axis *of_c,
                 subwave_mpi_ranks along, int64_t block)
{
    subwave_mpi_axis *const k = k_of(&x->wanted, x->k_is_rows);
    x->wanted = x->stored;
    if (x->moves) {
        *other_of(&x->wanted, x->k_is_rows) = *of_c;
        *k = subwave_mpi_axis_of(mpi, k->n, block, 0, along);
    }
    k->block = block; /* an undivided one has any */
}

/* Decides which operands move, and the blocks of k. */
static void arrange(subwave_mpi *mpi, operand *a, operand *b, const subwave_mpi_matrix *c)
{
    const subwave_mpi_axis *const k_a = k_of(&a->stored, a->k_is_rows);
    const subwave_mpi_axis *const k_b = k_of(&b->stored, b->k_is_rows);
    a->moves = !fits(mpi, a, &c->rows, ALONG_ROW);
    b->moves = !fits(mpi, b, &c->columns, ALONG_COLUMN);
    const bool by_b = (a->moves || k_a->parts == 1) && !b->moves && k_b->parts > 1;
    const int64_t block = by_b ? k_b->block : k_a->block;
    b->moves = b->moves || (k_b->parts > 1 && k_b->block != block);
    want(mpi, a, &c->rows, ALONG_ROW, block);
    want(mpi, b, &c->columns, ALONG_COLUMN, block);
}

/* --- the call -------------------------------------------------------------------------------- */

static bool is_zero(subwave_dtype dtype, const void *scalar)
{
    const float *const f32 = scalar;
    const double *const f64 = scalar;
    switch (dtype) {
    case SUBWAVE_DTYPE_F32:
        return f32[0] == 0;
    case SUBWAVE_DTYPE_C32:
        return f32[0] == 0 && f32[1] == 0;
    case SUBWAVE_DTYPE_C64:
        return f64[0] == 0 && f64[1] == 0;
    default:
        return f64[0] == 0;
    }
}

static void check(subwave_mpi *mpi, subwave_dtype dtype, subwave_transpose_kind transpose_a,
                  subwave_transpose_kind transpose_b, const void *alpha, const void *beta)
{
    const double zero[2] = {0, 0};
    if (subwave_dtype_size(dtype) && dtype != SUBWAVE_DTYPE_F32 && dtype != SUBWAVE_DTYPE_F64 &&
        dtype != SUBWAVE_DTYPE_C32 && dtype != SUBWAVE_DTYPE_C64)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_UNSUPPORTED,
                         "dtype is %s; the product over ranks takes f32, f64, c32, c64",
                         subwave_dtype_name(dtype));
    else /* the enumerations, as a product without elements checks them */
        subwave_mpi_try(mpi, mpi->context,
                        subwave_matmul(mpi->context, SUBWAVE_VARIANT_AUTO, dtype,
                                       SUBWAVE_LAYOUT_COLUMN_MAJOR, transpose_a, transpose_b, 0, 0,
                                       0, zero, NULL, 1, NULL, 1, zero, NULL, 1));
    if (!alpha || !beta)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_POINTER, "%s is null",
                         alpha ? "beta" : "alpha");
}

subwave_status subwave_mpi_matmul(subwave_mpi *mpi, subwave_dtype dtype,
                                  subwave_transpose_kind transpose_a,
                                  subwave_transpose_kind transpose_b, const void *alpha,
                                  const subwave_mpi_layout *layout_a, const void *a,
                                  const subwave_mpi_layout *layout_b, const void *b,
                                  const void *beta, const subwave_mpi_layout *layout_c, void *c)
{
    subwave_status status;
    if (!subwave_mpi_begin(mpi, "subwave_mpi_matmul", &status))
        return status;
    const size_t element = subwave_dtype_size(dtype);
    check(mpi, dtype, transpose_a, transpose_b, alpha, beta);
    subwave_mpi_same(mpi, "dtype", dtype);
    subwave_mpi_same(mpi, "transpose_a", transpose_a);
    subwave_mpi_same(mpi, "transpose_b", transpose_b);
    subwave_mpi_same_bytes(mpi, "alpha", alpha, element);
    subwave_mpi_same_bytes(mpi, "beta", beta, element);
    const bool reads = !mpi->status && !is_zero(dtype, alpha);
    operand x = {.k_is_rows = transpose_a != SUBWAVE_TRANSPOSE_NONE},
            y = {.k_is_rows = transpose_b == SUBWAVE_TRANSPOSE_NONE};
    x.stored = subwave_mpi_matrix_of(mpi, "layout_a", layout_a, dtype, "a", a, reads);
    y.stored = subwave_mpi_matrix_of(mpi, "layout_b", layout_b, dtype, "b", b, reads);
    summa s = {.mpi = mpi,
               .dtype = dtype,
               .element = (int64_t)element,
               .transpose_a = transpose_a,
               .transpose_b = transpose_b,
               .alpha = alpha,
               .beta = beta};
    s.c = subwave_mpi_matrix_of(mpi, "layout_c", layout_c, dtype, "c", c, true);
    s.k = k_of(&x.stored, x.k_is_rows)->n;
    if (other_of(&x.stored, x.k_is_rows)->n != s.c.rows.n)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE, "layout_a: op(A) has other rows than C");
    else if (other_of(&y.stored, y.k_is_rows)->n != s.c.columns.n)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "layout_b: op(B) has other columns than C");
    else if (k_of(&y.stored, y.k_is_rows)->n != s.k)
        subwave_mpi_fail(mpi, SUBWAVE_STATUS_INVALID_SIZE,
                         "layout_b: op(B) has other rows than op(A) has columns");
    s.m = subwave_mpi_axis_local(mpi, &s.c.rows);
    s.n = subwave_mpi_axis_local(mpi, &s.c.columns);

    const bool alone = mpi->size[ALL_RANKS] == 1, scales = s.k == 0 || !reads;
    arrange(mpi, &x, &y, &s.c);
    if (x.moves && !scales)
        subwave_mpi_prepare_move(mpi, element, &x.stored, &x.wanted, &mpi->moved_a);
    if (y.moves && !scales)
        subwave_mpi_prepare_move(mpi, element, &y.stored, &y.wanted, &mpi->moved_b);
    s.a = x.wanted;
    s.b = y.wanted;
    s.k_of_a = k_of(&s.a, x.k_is_rows);
    s.k_of_b = k_of(&s.b, y.k_is_rows);
    s.classes = 1;
    while (s.classes % mpi->size[ALONG_ROW] || s.classes % mpi->size[ALONG_COLUMN])
        ++s.classes;
    const int64_t width = s.k < mpi->panel_width ? s.k : mpi->panel_width;
    for (int slot = 0; slot < SUBWAVE_MPI_SLOTS && !alone && !scales; ++slot) {
        subwave_mpi_reserve(mpi, &mpi->panel_a[slot], s.m * width * s.element, FOR_MESSAGES);
        subwave_mpi_reserve(mpi, &mpi->panel_b[slot], s.n * width * s.element, FOR_MESSAGES);
    }
    if (subwave_mpi_agree(mpi))
        return mpi->status;

    if (scales) {
        multiply(&s, 0, NULL, at_least_one(s.m), NULL, at_least_one(s.n), beta);
    } else if (alone) {
        multiply(&s, s.k, s.a.data, s.a.ld, s.b.data, s.b.ld, beta);
    } else {
        subwave_mpi_order(mpi, mpi->context, mpi->begun, mpi->transfer);
        if (x.moves)
            subwave_mpi_move(mpi, element, &x.stored, &x.wanted);
        if (y.moves)
            subwave_mpi_move(mpi, element, &y.stored, &y.wanted);
        run(&s);
    }
    return subwave_mpi_agree(mpi);
}
