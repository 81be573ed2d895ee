/* SPDX-License-Identifier: MIT
 * multiply.c: a user's program: a matrix product through the installed library.
 */
#include <subwave/subwave.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    const float a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {10, 1}, {100, 0}};
    const float one = 1, zero = 0;
    float c[2][2] = {{-1, -1}, {-1, -1}};
    subwave_context *context;
    if (strcmp(subwave_version(), SUBWAVE_VERSION_STRING) != 0)
        return puts("header and library differ"), 1;
    if (subwave_context_create(&context, "cpu") != SUBWAVE_STATUS_SUCCESS)
        return puts(subwave_last_error(NULL)), 1;
    if (subwave_matmul(context, SUBWAVE_VARIANT_BROADCAST, SUBWAVE_DTYPE_F32,
                       SUBWAVE_LAYOUT_ROW_MAJOR, SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 2,
                       2, 3, &one, a, 3, b, 2, &zero, c, 2) != SUBWAVE_STATUS_SUCCESS)
        return puts(subwave_last_error(context)), 1;
    printf("%g %g\n%g %g\n", c[0][0], c[0][1], c[1][0], c[1][1]);
    subwave_context_destroy(&context);
    return !(c[0][0] == 321 && c[0][1] == 2 && c[1][0] == 654 && c[1][1] == 5);
}
