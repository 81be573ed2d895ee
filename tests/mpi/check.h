/* SPDX-License-Identifier: MIT
 * check.h: what the tests of libsubwave_mpi share: checks that every rank makes, a program of
 * ranks, and where an element of a divided matrix is, by ScaLAPACK's formulas.
 */
#ifndef SUBWAVE_TESTS_MPI_CHECK_H
#define SUBWAVE_TESTS_MPI_CHECK_H

#include "../numbers.h"

#include <subwave/mpi.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_size, check_rank, check_failures;

/* Notes a failure, of which the first ones are printed. */
#define CHECK(condition, ...) \
    do { \
        if (!(condition) && ++check_failures <= 5) { \
            fprintf(stderr, "%s:%d: rank %d of %d: ", __FILE__, __LINE__, check_rank, check_size); \
            fprintf(stderr, __VA_ARGS__); \
            fprintf(stderr, "\n"); \
        } \
    } while (0)
#define CHECK_OK(mpi, call) \
    do { \
        const subwave_status check_status = (call); \
        CHECK(check_status == SUBWAVE_STATUS_SUCCESS, "%s: %s: %s", #call, \
              subwave_status_name(check_status), subwave_mpi_last_error(mpi)); \
    } while (0)
/* Whether a call has failed as it should: with this status, and a text that begins so at rank
 * `guilty`, or at all if that is negative, and at the others with that rank. */
#define CHECK_FAILS(mpi, call, expected, guilty, begins) \
    do { \
        const subwave_status check_status = (call); \
        char check_prefix[20] = "", check_text[400]; \
        if ((guilty) >= 0 && (guilty) != check_rank) \
            snprintf(check_prefix, sizeof check_prefix, "rank %d: ", (guilty)); \
        snprintf(check_text, sizeof check_text, "%s%s", check_prefix, begins); \
        CHECK(check_status == (expected), "%s: %s instead of %s: %s", #call, \
              subwave_status_name(check_status), subwave_status_name(expected), \
              subwave_mpi_last_error(mpi)); \
        CHECK(strncmp(subwave_mpi_last_error(mpi), check_text, strlen(check_text)) == 0, \
              "%s: \"%s\" does not begin with \"%s\"", #call, subwave_mpi_last_error(mpi), \
              check_text); \
    } while (0)

/* Random numbers, the same on all ranks. */
static uint64_t check_random_state = 1;
static inline int64_t check_random(int64_t bound)
{
    check_random_state = check_random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(check_random_state >> 33) % bound;
}

static inline void check_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
}

/* main()'s exit status: that of all ranks together. */
static inline int check_end(const char *what)
{
    int failures;
    MPI_Allreduce(&check_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank == 0)
        printf("%s: %d failures on %d ranks\n", what, failures, check_size);
    MPI_Finalize();
    return failures != 0;
}

/* The coordinate that has element i (INDXG2P), its place there (INDXG2L), and how many elements a
 * coordinate has (NUMROC), the last by counting. */
static inline int64_t check_owner(int64_t i, int64_t block, int64_t first, int64_t parts)
{
    return (first + i / block) % parts;
}
static inline int64_t check_place(int64_t i, int64_t block, int64_t parts)
{
    return block * (i / (block * parts)) + i % block;
}
static inline int64_t check_count(int64_t n, int64_t block, int64_t first, int64_t parts,
                                  int64_t mine)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i)
        count += check_owner(i, block, first, parts) == mine;
    return count;
}

#endif
