/* SPDX-License-Identifier: MIT
 * problem.h: what the files of this folder share.
 */
#ifndef SUBWAVE_MEASURE_PROBLEM_H
#define SUBWAVE_MEASURE_PROBLEM_H

#include "measure.h"

uint64_t measure_next(uint64_t *state); /* random bits */
enum { MEASURE_PERIOD = 1000003 };      /* after so many numbers measure_random begins anew */
bool measure_has_keys(const measure_problem *p);
size_t measure_y_size(const measure_problem *p);
/* Where an element of op(A), op(B) or C, 0 to 2, lies in its array; the leading dimensions are
 * filled in. */
int64_t measure_index(const measure_problem *p, int which, int64_t entry, int64_t row,
                      int64_t column);
subwave_status measure_queue_group(const measure_data *data, int set, uint64_t *members);

#endif
