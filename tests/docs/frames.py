# SPDX-License-Identifier: MIT
"""What the documents' code blocks presuppose: for each, by its document and the beginning of its first line, the text
around it, in which @ is the block; or the reason why it is not tested.

Shell blocks have no frame: their commands are looked up (shell.py). `prints` is what the program writes, on waves of `wave`
lanes. `stand_in` takes the place of a comment in the block that stands for code. `allow` is a warning that is no error.
The CPU device's memory is the host's, so frames of kernels copy nothing.
"""
from collections import namedtuple

Frame = namedtuple("Frame", "around prints stand_in wave allow", defaults=("", {}, 4, None))

KERNEL = """
#include <hip/hip_runtime.h>
#include <cstdio>
"""

# 2 x 3 matrices, of which the second is taken transposed by some: C is 2 x 2.
PRODUCT = """
#include <subwave/subwave.h>
#include <stdio.h>
enum { m = 2, n = 2, k = 3 };
static const double a[m * k] = {1, 2, 3, 4, 5, 6}, b[n * k] = {1, 2, 3, 4, 5, 6};
static double c[m * n];
"""

FRAMES = {
    # C
    ("README.md", "#include <subwave/subwave.h>"): Frame("""
#include <stdio.h>
int main(void)
{
    const int64_t n = 2;
    const float host_a[] = {1, 2, 3, 4}, host_b[] = {5, 6, 7, 8};
    float host_c[4];
@
    subwave_copy(ctx, host_c, c, sizeof host_c);
    printf("%g %g %g %g", host_c[0], host_c[1], host_c[2], host_c[3]);
    subwave_context_destroy(&ctx);
    return 0;
}
""", "19 22 43 50", {"/* ... b, c; subwave_copy(ctx, a, host_a, n * n * sizeof *a); ... */": """
subwave_malloc(ctx, (void **)&b, n * n * sizeof *b);
subwave_malloc(ctx, (void **)&c, n * n * sizeof *c);
subwave_copy(ctx, a, host_a, n * n * sizeof *a);
subwave_copy(ctx, b, host_b, n * n * sizeof *b);
"""}),
    ("README.md", "subwave_group ballot"): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 256 };
    static uint8_t flag[n];
    static double x[n], sum[n];
    subwave_context *ctx;
    subwave_context_create(&ctx, "cpu:16");
    for (int i = 0; i < n; ++i)
        x[i] = i, flag[i] = i % 2;
@
    printf("%g %g", sum[0], sum[1]); /* of a wave of 16: the even numbers, and the odd ones */
    subwave_context_destroy(&ctx);
    return 0;
}
""", "56 64"),
    ("README.md", "subwave_reduce(ctx"): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 1000 };
    static double x[n];
    double total;
    subwave_context *ctx;
    subwave_context_create(&ctx, "cpu:16");
    for (int i = 0; i < n; ++i)
        x[i] = i;
@
    printf("%g", total);
    subwave_context_destroy(&ctx);
    return 0;
}
""", "499500"),
    ("docs/arrays.md", "double sum;"): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 1000 };
    static double x[n];
    subwave_context *ctx;
    subwave_context_create(&ctx, "cpu:16");
    for (int i = 0; i < n; ++i)
        x[i] = i;
@
    printf("%g", sum);
    subwave_context_destroy(&ctx);
    return 0;
}
""", "499500"),
    ("docs/arrays.md", "const float zero"): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 1000 };
    static float x[n], y[n];
    static int64_t count[1];
    subwave_context *ctx;
    subwave_context_create(&ctx, "cpu:16");
    for (int i = 0; i < n; ++i)
        x[i] = (float)(i % 3 - 1);
@
    printf("%d %g", (int)*count, y[0]);
    subwave_context_destroy(&ctx);
    return 0;
}
""", "333 1"),
    ("docs/arrays.md", "subwave_append_if("): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 1000, capacity = 300 };
    static float x[n], queue[capacity];
    static int64_t count[1];
    const float zero = 0;
    subwave_context *ctx;
    subwave_context_create(&ctx, "cpu:16");
    for (int i = 0; i < n; ++i)
        x[i] = (float)(i % 3 - 1);
@
    printf("%d %g", (int)*count, queue[capacity - 1]);
    subwave_context_destroy(&ctx);
    return 0;
}
""", "333 1"),
    ("docs/streams.md", "subwave_event *filled;"): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 1000 };
    static double x[n];
    double sum, half = 0.5;
    subwave_context *first, *second;
    subwave_context_create(&first, "cpu:16");
    subwave_context_create(&second, "cpu:16");
@
    printf("%g", sum);
    subwave_event_destroy(first, filled);
    subwave_context_destroy(&first);
    subwave_context_destroy(&second);
    return 0;
}
""", "500"),

    # Fortran
    ("docs/fortran.md", "type(subwave_context)"): Frame("""
program snippet
  use, intrinsic :: iso_c_binding
  use subwave
  implicit none
  integer, parameter :: n = 2
  real(c_double) :: host_a(n, n) = reshape([1d0, 3d0, 2d0, 4d0], [n, n]), host_b(n, n) = reshape([5d0, 7d0, 6d0, 8d0], [n, n])
  real(c_double) :: host_c(n, n)
@
  print "(5(f0.0, 1x))", transpose(host_c), total
end program
""", "19. 22. 43. 50. 134.\n", {"! ... b, c": """
call subwave_malloc(context, b, 8 * n * n)
call subwave_malloc(context, c, 8 * n * n)
"""}),
    ("docs/fortran.md", "use subwave"): Frame("""
program snippet
@
  implicit none
  type(subwave_context) :: context
  call subwave_context_create(context, "cpu:4")
  call subwave_synchronize(context)
  print "(i0)", c_synchronize(context%handle)
end program
""", "0\n"),

    # Kernels
    ("README.md", "#include <subwave/subwave.hpp>"): Frame(KERNEL + """
@
int main()
{
    constexpr int n = 8;
    double a[n * n], b[n * n], c[n * n];
    for (int i = 0; i < n * n; ++i)
        a[i] = i, b[i] = i / n + i % n;
    hipLaunchKernelGGL(matmul, dim3(n / 4, n), dim3(4), 0, 0, a, b, c, n);
    std::printf("%g", c[7 * n + 1]); /* the sum of (56 + k) (k + 1) */
}
""", "2184"),
    ("README.md", "auto side ="): Frame(KERNEL + """
#include <subwave/subwave.hpp>
__global__ void sums(const float *values, float *result)
{
    auto sg = subwave::this_work_item::get_sub_group();
    float x = values[threadIdx.x];
@
    result[threadIdx.x] = sum;
}
int main()
{
    float values[] = {1, -2, 3, -5}, result[4];
    hipLaunchKernelGGL(sums, dim3(1), dim3(4), 0, 0, values, result);
    std::printf("%g %g", result[0], result[1]);
}
""", "4 -7"),
    ("docs/groups.md", "auto side ="): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
__global__ void sums(const float *values, float *result)
{
    auto sg = this_work_item::get_sub_group();
    float energy = values[threadIdx.x];
    bool hot = energy > 2;
@
    result[threadIdx.x] = sum;
}
int main()
{
    float values[] = {1, 4, 2, 3}, result[4];
    hipLaunchKernelGGL(sums, dim3(1), dim3(4), 0, 0, values, result);
    std::printf("%g %g", result[0], result[1]);
}
""", "3 7"),
    ("docs/arrays.md", "SUBWAVE_SHARED("): Frame(KERNEL + """
#include <subwave/subwave.hpp>
__global__ void sums(float *result)
{
    float x = threadIdx.x;
@
    result[threadIdx.x] = sum;
}
int main()
{
    static float result[256];
    hipLaunchKernelGGL(sums, dim3(1), dim3(256), 0, 0, result);
    std::printf("%g %g", result[0], result[255]);
}
""", "32640 32640"),
    ("docs/cpu-device.md", "#include <hip/hip_runtime.h>"): Frame("""
@
#include <cstdio>
int main()
{
    double x[16], total = 0;
    for (int i = 0; i < 16; ++i)
        x[i] = i;
    hipLaunchKernelGGL(sum, dim3(2), dim3(8), 0, 0, x, &total);
    std::printf("%g", total);
}
""", "120"),
    ("docs/cpu-device.md", "SUBWAVE_LOOP for"): Frame(KERNEL + """
#include <subwave/subwave.hpp>
__device__ bool skip(int i) { return i == int(threadIdx.x); }
__device__ int helper(int x)
{
    auto g = subwave::get_tangle_group(subwave::this_work_item::get_sub_group());
    return g.get_local_linear_range() + x;
}
__global__ void loop(int n, int *result)
{
    auto sg = subwave::this_work_item::get_sub_group();
    int x = threadIdx.x, y;
@
    result[x] = y;
}
int main()
{
    int result[4];
    hipLaunchKernelGGL(loop, dim3(1), dim3(4), 0, 0, 4, result);
    std::printf("%d %d", result[0], result[3]);
}
""", "4 7", allow="unused-but-set-variable"), # g, which is made to show that it can be
    ("docs/matmul.md", "sum += group_broadcast"): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
__global__ void product(const double *row, const double (*accB)[4], double *result)
{
    auto sg = this_work_item::get_sub_group();
    int n = threadIdx.x, l = 0;
    double tileA = row[l + n], sum = 0;
    for (int k = 0; k < 4; ++k)
@
    result[n] = sum;
}
int main()
{
    double row[] = {1, 2, 3, 4}, b[4][4] = {{0, 1}, {0, 10}, {0, 100}, {0, 1000}}, result[4];
    hipLaunchKernelGGL(product, dim3(1), dim3(4), 0, 0, row, b, result);
    std::printf("%g %g", result[0], result[1]);
}
""", "0 4321"),
    ("docs/amd.md", "if (sg.get_local_linear_range()"): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
__global__ void sums(int *result)
{
    sub_group sg = this_work_item::get_sub_group();
@
    result[threadIdx.x] = reduce_over_group(sg, int(threadIdx.x), plus<>());
}
int main()
{
    int result[4];
    hipLaunchKernelGGL(sums, dim3(1), dim3(4), 0, 0, result);
    std::printf("%d", result[0]);
}
""", "6"),
    ("include/subwave/device/matmul.hpp", "using group ="): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
__global__ void product(const double *pointer_a, int lda, const double *pointer_b, int ldb, double *pointer_c, int ldc)
{
    auto g = get_fixed_size_group<16>(this_work_item::get_sub_group());
@
}
int main()
{
    double a[12 * 8], b[8 * 20], c[12 * 20];
    for (int i = 0; i < 12 * 8; ++i)
        a[i] = i;
    for (int i = 0; i < 8 * 20; ++i)
        b[i] = i / 20 + 1;
    hipLaunchKernelGGL(product, dim3(1), dim3(16), 0, 0, a, 8, b, 20, c, 20);
    std::printf("%g", c[12 * 20 - 1]); /* the sum of (88 + k) (k + 1) */
}
""", "3336", wave=16),

    # CMake
    ("README.md", "find_package(subwave"): Frame("""
project(app LANGUAGES C)
add_executable(app main.c)
@
"""),
    ("README.md", "subwave_cpu_kernels("): Frame("""
project(app LANGUAGES CXX)
find_package(subwave REQUIRED)
add_executable(app)
@
"""),
    ("docs/cpu-device.md", "find_package(subwave"): Frame("""
project(app LANGUAGES CXX)
@
"""),

    ("docs/blas.md", "find_package(subwave"): Frame("""
project(app LANGUAGES C)
add_executable(app app.c)
@
"""),
    ("docs/fortran.md", "find_package(subwave"): Frame("""
project(app LANGUAGES Fortran)
add_executable(app app.f90)
@
"""),

    # For those who begin, or come from elsewhere
    ("docs/tutorial.md", "#include <subwave/subwave.h>"): Frame("""
@
""", "499500\n"),
    ("docs/tutorial.md", "subwave_reduce("): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    double on_device[1], sum;
    subwave_context *context;
    subwave_context_create(&context, NULL);
@
    subwave_context_destroy(&context);
    return 0;
}
""", "n is -1, which is negative (argument 5)"),
    ("docs/tutorial.md", """#include <subwave/device/hip_cuda13.h> //"""): Frame("""
@
#include <cstdio>
#include <string>
int main()
{
    float x[3] = {1, 2, 3}, y[1];
    subwave::launch(sum_rows, dim3(1), dim3(4), 0, nullptr, x, y, 3);
    std::string report = subwave_cpu_error(); // but for the line in the document
    const auto place = report.find(" at docs/tutorial.md:");
    report.erase(place, report.find(":38", place) - place);
    std::fputs(report.c_str(), stdout);
}
""", """kernel sum_rows(float const*, float*, int), block (0,0,0), waves of 4, seed 0: no lane can run
  wave 0: lanes 0-2 wait in shuffle:38 for lane 3
    lane 3: finished

"""),
    ("docs/tutorial.md", "#include <subwave/device/hip_cuda13.h>"): Frame("""
@
""", "100 200"),
    ("docs/tutorial.md", "find_package(subwave"): Frame("""
project(app LANGUAGES CXX)
@
"""),
    ("docs/tutorial.md", "cblas_dgemm("): Frame(PRODUCT + """
enum order { CblasRowMajor = 101 };
enum transposed { CblasNoTrans = 111, CblasTrans };
static void cblas_dgemm(enum order order, enum transposed ta, enum transposed tb, int m, int n, int k, double alpha,
                        const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    for (int i = 0; i < m && order == CblasRowMajor && ta == CblasNoTrans && tb == CblasTrans; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l)
                sum += a[i * lda + l] * b[j * ldb + l];
            c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
        }
}
int main(void)
{
@
    printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
}
""", "14 32 32 77"),
    ("docs/tutorial.md", "const double one"): Frame(PRODUCT + """
int main(void)
{
    subwave_context *context;
    subwave_context_create(&context, NULL);
@
    printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
    subwave_context_destroy(&context);
}
""", "14 32 32 77"),
    ("docs/from-rocblas.md", "subwave_matmul("): Frame(PRODUCT + """
int main(void)
{
    subwave_context *context;
    subwave_context_create(&context, NULL);
    const double alpha = 1, beta = 0;
    enum { lda = k, ldb = k, ldc = m };
@
    printf("%g %g %g %g", c[0], c[1], c[2], c[3]);
    subwave_context_destroy(&context);
}
""", "14 32 32 77"),
    ("docs/from-rocblas.md", "subwave_dot("): Frame("""
#include <subwave/subwave.h>
#include <stdio.h>
int main(void)
{
    enum { n = 3 };
    const double x[n] = {1, 2, 3}, y[n] = {4, 5, 6};
    double result;
    subwave_context *context;
    subwave_context_create(&context, NULL);
@
    printf("%g", result);
    subwave_context_destroy(&context);
}
""", "32"),
    ("docs/from-sycl.md", "__global__ void total"): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
@
int main()
{
    float in[128], out = 0;
    for (int i = 0; i < 128; ++i)
        in[i] = i;
    hipLaunchKernelGGL(total, dim3(2), dim3(64), 0, 0, in, &out);
    std::printf("%g", out);
}
""", "8128"),
    ("docs/from-cooperative-groups.md", "__device__ int atomic_inc(int *counter)\n{\n    auto active = this_kernel"): Frame(KERNEL + """
#include <subwave/subwave.hpp>
using namespace subwave;
@
__global__ void count(int *counter, int *numbers)
{
    numbers[threadIdx.x] = -1;
    if (threadIdx.x % 2)
        numbers[threadIdx.x] = SUBWAVE_CALL(atomic_inc(counter));
}
int main()
{
    int counter = 0, numbers[8];
    hipLaunchKernelGGL(count, dim3(1), dim3(8), 0, 0, &counter, numbers);
    std::printf("%d %d %d %d", counter, numbers[0], numbers[1], numbers[7]);
}
""", "4 -1 0 3"),

    # Not tested
    ("docs/from-sycl.md", "q.parallel_for("): "it is SYCL, beside which its translation is tested",
    ("docs/from-cooperative-groups.md", "__device__ int atomic_inc(int *counter)\n{\n    auto active = cg::"):
        "it is CUDA, beside which its translation is tested",
    ("docs/from-rocblas.md", "rocblas_dgemm("): "it is rocBLAS, beside which its translation is tested",
    ("docs/tutorial.md", "kernel sum_rows("): "a report's text, which the block before it prints",
    ("docs/distributed.md", "subwave_mpi *mpi"): "examples/mpi_matmul.c is the whole program, which is tested",
    ("docs/arrays.md", "array      a row"): "a drawing",
    ("docs/arrays.md", "part       32 runs"): "a drawing",
    ("docs/arrays.md", "sequence   x0 x1"): "a drawing",
    ("docs/arrays.md", "x:  i ->"): "a drawing",
    ("docs/arrays.md", "256 bins, 8 copies"): "a drawing",
    ("docs/consumers.md", "cc -O2 -c examples/dbcsr/acc_subwave.c"): "it takes DBCSR's source tree",
    ("docs/amd.md", "apt-get download librocblas5"): "it takes another project's package of 300 MB",
    ("docs/amd.md", "hipcc --offload-device-only"): "it needs AMD's compiler: test amdgpu-isa.model does the like",
    ("docs/cpu-device.md", "kernel scale(float*)"): "a report's text: tests/cpu reads such reports",
    ("docs/tool.md", "subwave 0.1.0, CPU device"): "what the command printed on an H200",
    ("docs/tool.md", "gpu:0, f64 4096"): "what the command printed on an H200: tests/tool reads the like of other devices",
}
