! SPDX-License-Identifier: MIT
! test_calls.F90: module subwave on a device: every call in Fortran's form, its overloads by type, and wrong arguments.
! SUBWAVE_TEST_DEVICE names the device; cpu:16 if it is not set.
module calls
  use, intrinsic :: iso_c_binding
  use subwave
  use checks
  implicit none
  public

contains

  subroutine test_names()
    call check(subwave_status_name(SUBWAVE_STATUS_INVALID_SIZE) == "INVALID_SIZE", "status_name")
    call check(len(subwave_status_name(SUBWAVE_STATUS_INVALID_SIZE)) == 12, "status_name's length")
    call check(subwave_status_name(99) == "unknown", "status_name of another")
    call check(subwave_status_text(SUBWAVE_STATUS_SUCCESS) == "success", "status_text")
    call check(subwave_dtype_name(SUBWAVE_DTYPE_C64) == "c64", "dtype_name")
    call check(subwave_dtype_size(SUBWAVE_DTYPE_C64) == 16, "dtype_size")
    call check(subwave_dtype_size(0) == 0, "dtype_size of another")
    call check(subwave_variant_name(SUBWAVE_VARIANT_BROADCAST) == "broadcast", "variant_name")
    call check(subwave_group_kind_name(SUBWAVE_GROUP_TANGLE) == "tangle", "group_kind_name")
    call check(subwave_op_name(SUBWAVE_OP_BIT_XOR) == "bit_xor", "op_name")
    call check(subwave_order_name(SUBWAVE_ORDER_FIXED) == "fixed", "order_name")
    call check(subwave_conjugation_name(SUBWAVE_CONJUGATION_FIRST) == "first", "conjugation_name")
    call check(subwave_scan_kind_name(SUBWAVE_SCAN_EXCLUSIVE) == "exclusive", "scan_kind_name")
    call check(subwave_comparison_name(SUBWAVE_COMPARISON_LESS) == "less", "comparison_name")
    call check(subwave_version() == VERSION, "version")
    call check(index(subwave_build_info(), subwave_version()) > 0, "build_info")
  end subroutine

  subroutine test_devices()
    type(subwave_device_properties) :: device
    integer :: n, index, status
    logical :: found
    found = .false.
    n = 0
    call subwave_device_count(n)
    call check(n >= 5, "device_count")
    do index = 0, n - 1
      call subwave_device_info(index, device)
      call check(device%sub_group_size_count >= 1 .and. iand(device%aspects, SUBWAVE_ASPECT_FP64) /= 0, "device_info")
      if (subwave_string(device%id) == "cpu:32") found = all(device%sub_group_sizes == [32, 0, 0, 0, 0, 0, 0, &
        0]) .and. &
        subwave_string(device%backend) == "cpu" .and. device%built_for == 1
    end do
    call check(found, "the properties of cpu:32")
    call subwave_device_info(n, device, status)
    call check(status == SUBWAVE_STATUS_NO_DEVICE, "device_info of no device")
    call check(len(subwave_error_text()) > 0, "the text of an error without a context")
  end subroutine

  subroutine test_contexts()
    type(subwave_context) :: another, none
    type(subwave_device_properties) :: device
    type(c_ptr) :: stream, memory
    integer(c_int64_t) :: bytes
    integer :: status
    character(len=8) :: padded = "cpu:8" ! blanks at the end do not count
    call subwave_context_create(another, padded)
    call subwave_context_info(another, device)
    call check(subwave_string(device%id) == "cpu:8", "context_create")
    call check(subwave_error_text(another) == "", "no error yet")
    stream = c_null_ptr
    call subwave_set_stream(another, c_null_ptr)
    call subwave_get_stream(another, stream)
    call check(.not. c_associated(stream), "get_stream")
    call subwave_synchronize(another)
    call subwave_context_destroy(another)
    call subwave_context_destroy(another)
    call subwave_context_create(another, "cpu:7", status)
    call check(status == SUBWAVE_STATUS_INVALID_VALUE .and. index(subwave_error_text(), """cpu:7""") > 0, &
      "context_create of no device")
    call check(.not. c_associated(another%handle), "a context that could not be created")
    call subwave_context_create(another, status=status)
    call check(status == SUBWAVE_STATUS_SUCCESS, "context_create of the environment's choice")
    call subwave_context_destroy(another, status)
    call check(status == SUBWAVE_STATUS_SUCCESS, "context_destroy")
    call subwave_synchronize(none, status)
    call check(status == SUBWAVE_STATUS_INVALID_CONTEXT, "a call without a context")

    call subwave_workspace_size(context, bytes)
    call check(bytes > 4096, "the workspace")
    memory = device_memory(4096_c_size_t)
    call subwave_set_workspace(context, memory, 4096)
    call subwave_workspace_size(context, bytes)
    call check(bytes == 4096, "set_workspace")
    call subwave_set_workspace(context, c_null_ptr, 0_c_int64_t)
    call free_all()
    call subwave_set_workspace(context, c_null_ptr, 1, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_POINTER, "workspace", "set_workspace")
    call subwave_malloc(context, memory, -1, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_SIZE, "bytes", "malloc")
    call subwave_copy_to_device(context, c_null_ptr, [1, 2], status)
    call check_error(status, SUBWAVE_STATUS_INVALID_POINTER, "destination", "copy_to_device")
    call subwave_copy(context, c_null_ptr, c_null_ptr, -1_c_int64_t, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_SIZE, "bytes", "copy")
  end subroutine

#define CONVERT(v) int(v, c_int8_t)
#define IS_LEAST(v) v + 1 == -huge(v)
#define TYPE integer(c_int8_t)
#define WHAT "int8"
#define NAME copies_int8
#include "copies.inc"
#undef NAME
#define NAME numbers_int8
#include "numbers.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef IS_LEAST
#undef CONVERT

#define CONVERT(v) int(v, c_int16_t)
#define IS_LEAST(v) v + 1 == -huge(v)
#define TYPE integer(c_int16_t)
#define WHAT "int16"
#define NAME copies_int16
#include "copies.inc"
#undef NAME
#define NAME numbers_int16
#include "numbers.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef IS_LEAST
#undef CONVERT

#define CONVERT(v) int(v, c_int32_t)
#define IS_LEAST(v) v + 1 == -huge(v)
#define TYPE integer(c_int32_t)
#define WHAT "int32"
#define NAME copies_int32
#include "copies.inc"
#undef NAME
#define NAME numbers_int32
#include "numbers.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef IS_LEAST
#undef CONVERT

#define CONVERT(v) int(v, c_int64_t)
#define IS_LEAST(v) v + 1 == -huge(v)
#define TYPE integer(c_int64_t)
#define WHAT "int64"
#define NAME copies_int64
#include "copies.inc"
#undef NAME
#define NAME numbers_int64
#include "numbers.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef IS_LEAST
#undef CONVERT

#define CONVERT(v) real(v, c_float)
#define VALUE(re, im) real((re) + (im), c_float)
#define CONJUGATE(v) v
#define IS_LEAST(v) v < -huge(v)
#define TYPE real(c_float)
#define WHAT "real32"
#define NAME copies_real32
#include "copies.inc"
#undef NAME
#define NAME numbers_real32
#include "numbers.inc"
#undef NAME
#define NAME fields_real32
#include "fields.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef VALUE
#undef CONVERT

#define CONVERT(v) real(v, c_double)
#define VALUE(re, im) real((re) + (im), c_double)
#define TYPE real(c_double)
#define WHAT "real64"
#define NAME copies_real64
#include "copies.inc"
#undef NAME
#define NAME numbers_real64
#include "numbers.inc"
#undef NAME
#define NAME fields_real64
#include "fields.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef VALUE
#undef CONVERT
#undef CONJUGATE
#undef IS_LEAST

#define CONVERT(v) cmplx(v, 1 - (v), c_float)
#define VALUE(re, im) cmplx(re, im, c_float)
#define CONJUGATE(v) conjg(v)
#define TYPE complex(c_float_complex)
#define WHAT "complex32"
#define NAME copies_complex32
#include "copies.inc"
#undef NAME
#define NAME fields_complex32
#include "fields.inc"
#undef NAME
#undef WHAT
#undef TYPE
#undef VALUE
#undef CONVERT

#define CONVERT(v) cmplx(v, 1 - (v), c_double)
#define VALUE(re, im) cmplx(re, im, c_double)
#define TYPE complex(c_double_complex)
#define WHAT "complex64"
#define NAME copies_complex64
#include "copies.inc"
#undef NAME
#define NAME fields_complex64
#include "fields.inc"
#undef NAME

  ! Two directions of 3 x 3 nodes, to 4 points each: C's rows of A are Fortran's columns. Then the derivative along the
  ! first, with the nodes as points.
  subroutine test_tensor()
    real(c_double) :: a(3, 4), x(3, 3, 2), y(4, 4, 2), found(4, 4, 2), g(3, 3), z(3, 3, 2, 2)
    real(c_float) :: y32(4, 4, 2), found32(4, 4, 2)
    type(c_ptr) :: device_a, device_x, device_y
    integer :: i, status
    a = reshape([(real(mod(5 * i, 7) - 3, c_double), i = 1, size(a))], shape(a))
    x = reshape([(real(mod(3 * i, 5) - 2, c_double), i = 1, size(x))], shape(x))
    y = 1
    device_a = device_memory(c_sizeof(a))
    device_x = device_memory(c_sizeof(x))
    device_y = device_memory(c_sizeof(z))
    call subwave_copy_to_device(context, device_a, a)
    call subwave_copy_to_device(context, device_x, x)
    call subwave_copy_to_device(context, device_y, y)
    call subwave_tensor_apply(context, 2, 3, 4, 2d0, device_a, device_a, c_null_ptr, device_x, 9, 9, -1d0, device_y, &
      16, 16, 1, 2)
    do i = 1, 2
      y(:, :, i) = 2 * matmul(transpose(a), matmul(x(:, :, i), a)) - y(:, :, i)
    end do
    call subwave_copy_from_device(context, found, device_y)
    call check(all(found == y), "real64 tensor_apply")
    call subwave_tensor_apply(context, 2, 3, 17, 2d0, device_a, device_a, c_null_ptr, device_x, 9, 9, -1d0, device_y, &
      16, 16, 1, 2, status=status)
    call check_error(status, SUBWAVE_STATUS_INVALID_SIZE, "q", "real64 tensor_apply")

    g = a(:, :3)
    call subwave_copy_to_device(context, device_a, g)
    call subwave_tensor_gradient(context, 2, 3, 3, 1d0, c_null_ptr, device_a, device_x, 9, 9, 0d0, device_y, 9, 9, 18, 1, 2)
    call subwave_copy_from_device(context, z, device_y)
    do i = 1, 2
      call check(all(z(:, :, i, 1) == matmul(transpose(g), x(:, :, i))) &
        .and. all(z(:, :, i, 2) == matmul(x(:, :, i), g)), "real64 tensor_gradient")
    end do
    call subwave_tensor_gradient(context, 2, 3, 3, 1d0, c_null_ptr, device_a, device_x, 9, 9, 0d0, device_y, 9, 9, 18, 1, 2, &
      transpose=99, status=status)
    call check_error(status, SUBWAVE_STATUS_INVALID_VALUE, "transpose", "real64 tensor_gradient")

    call subwave_copy_to_device(context, device_a, real(a, c_float))
    call subwave_copy_to_device(context, device_x, real(x, c_float))
    call subwave_tensor_apply(context, 2, 3, 4, 1.0, device_a, device_a, c_null_ptr, device_x, 9, 9, 0.0, device_y, &
      16, 16, 1, 2)
    do i = 1, 2
      y32(:, :, i) = real(matmul(transpose(a), matmul(x(:, :, i), a)), c_float)
    end do
    call subwave_copy_from_device(context, found32, device_y)
    call check(all(found32 == y32), "real32 tensor_apply")
  end subroutine

  subroutine test_norm2(n)
    integer, intent(in) :: n
    integer :: i
    real(c_float) :: x32(2 * n), result32
    real(c_double) :: x64(2 * n), result64
    type(c_ptr) :: device32, device64
    real(c_double), target :: of_complex
    integer :: status
    x64 = [(3.0_c_double, 4.0_c_double, i = 1, n)]
    x32 = real(x64, c_float)
    device32 = device_memory(c_sizeof(x32))
    device64 = device_memory(c_sizeof(x64))
    call subwave_copy_to_device(context, device32, x32)
    call subwave_copy_to_device(context, device64, x64)
    call subwave_norm2(context, 2 * n, device32, result32)
    call subwave_norm2(context, 2_c_int64_t * n, device64, result64, SUBWAVE_ORDER_DEVICE)
    call check(abs(result32 - 5 * sqrt(real(n))) <= 1e-6 * result32, "real32 norm2")
    call check(abs(result64 - 5 * sqrt(real(n, c_double))) <= 1e-15 * result64, "real64 norm2")
    call subwave_norm2(context, SUBWAVE_DTYPE_C64, SUBWAVE_ORDER_FIXED, n, device64, SUBWAVE_PLACE_HOST, &
      c_loc(of_complex))
    call check(abs(of_complex - result64) <= 1e-15 * result64, "norm2 of complex numbers")
    call subwave_norm2(context, 2 * n, device32, result32, 99, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_VALUE, "order", "norm2")
    call free_all()
  end subroutine

  ! C = alpha op(A) op(B) + beta C of n x 3 and k = 5, by every way to say the types, kinds, and orders.
  subroutine test_matmul(n)
    integer, intent(in) :: n
    integer :: i
    integer, parameter :: k = 5
    real(c_double) :: a(n + 1, k), b(k + 2, 3), c(n + 3, 3), d(n + 3, 3), plain(n, 3), rows(3, n)
    real(c_float) :: a32(n + 1, k), b32(k + 2, 3), c32(n + 3, 3), d32(n + 3, 3)
    type(c_ptr) :: device_a, device_b, device_c
    a = reshape([(real(mod(3 * i, 7) - 3, c_double), i = 1, size(a))], shape(a))
    b = reshape([(real(mod(5 * i, 11) - 5, c_double), i = 1, size(b))], shape(b))
    c = reshape([(real(mod(2 * i, 5) - 2, c_double), i = 1, size(c))], shape(c))
    plain = matmul(a(:n, :), b(:k, :))
    device_a = device_memory(c_sizeof(a))
    device_b = device_memory(c_sizeof(b))
    device_c = device_memory(c_sizeof(c))
    call subwave_copy_to_device(context, device_a, a)
    call subwave_copy_to_device(context, device_b, b)

    call subwave_copy_to_device(context, device_c, c)
    call subwave_matmul(context, n, 3, k, 2.0_c_double, device_a, n + 1, device_b, k + 2, -1.0_c_double, device_c, &
      n + 3)
    call subwave_copy_from_device(context, d, device_c)
    call check(all(d(:n, :) == 2 * plain - c(:n, :)) .and. all(d(n + 1:, :) == c(n + 1:, :)), "real64 matmul")

    ! The scalars' type is not the matrices'.
    call subwave_copy_to_device(context, device_c, c)
    call subwave_matmul(context, int(n, c_int64_t), 3_c_int64_t, int(k, c_int64_t), 2.0_c_float, device_a, &
      int(n + 1, c_int64_t), device_b, int(k + 2, c_int64_t), -1.0_c_float, device_c, int(n + 3, c_int64_t), &
      dtype=SUBWAVE_DTYPE_F64, variant=SUBWAVE_VARIANT_NAIVE)
    call subwave_copy_from_device(context, d, device_c)
    call check(all(d(:n, :) == 2 * plain - c(:n, :)), "matmul of f64 with scalars of real32")
    call subwave_copy_to_device(context, device_c, c)
    call subwave_matmul(context, n, 3, k, 2, device_a, n + 1, device_b, k + 2, -1, device_c, n + 3, &
      dtype=SUBWAVE_DTYPE_F64)
    call subwave_copy_from_device(context, d, device_c)
    call check(all(d(:n, :) == 2 * plain - c(:n, :)), "matmul of f64 with scalars of int32")
    call subwave_copy_to_device(context, device_c, c)
    call subwave_matmul(context, n, 3, k, (2.0, 5.0), device_a, n + 1, device_b, k + 2, (-1.0, 5.0), device_c, n + 3, &
      dtype=SUBWAVE_DTYPE_F64)
    call subwave_copy_from_device(context, d, device_c)
    call check(all(d(:n, :) == 2 * plain - c(:n, :)), "matmul of f64 with the real parts of complex scalars")

    ! In row-major order the same memory is the transposes: C^T = B^T A^T.
    call subwave_copy_to_device(context, device_c, c)
    call subwave_matmul(context, 3, n, k, 2.0_c_double, device_b, k + 2, device_a, n + 1, -1.0_c_double, device_c, &
      n + 3, &
      layout=SUBWAVE_LAYOUT_ROW_MAJOR)
    call subwave_copy_from_device(context, d, device_c)
    call check(all(d(:n, :) == 2 * plain - c(:n, :)), "matmul in row-major order")
    ! op(B)^T op(A)^T, of 3 x n.
    call subwave_matmul(context, 3, n, k, 1.0_c_double, device_b, k + 2, device_a, n + 1, 0.0_c_double, device_c, 3, &
      transpose_a=SUBWAVE_TRANSPOSE_YES, transpose_b=SUBWAVE_TRANSPOSE_YES)
    call subwave_copy_from_device(context, rows, device_c)
    call check(all(rows == transpose(plain)), "matmul of transposes")

    a32 = real(a, c_float)
    b32 = real(b, c_float)
    c32 = real(c, c_float)
    call subwave_copy_to_device(context, device_a, a32)
    call subwave_copy_to_device(context, device_b, b32)
    call subwave_copy_to_device(context, device_c, c32)
    call subwave_matmul(context, n, 3, k, 2.0_c_float, device_a, n + 1, device_b, k + 2, -1.0_c_float, device_c, n + 3)
    call subwave_copy_from_device(context, d32, device_c)
    call check(all(d32(:n, :) == 2 * plain - c(:n, :)) .and. all(d32(n + 1:, :) == c(n + 1:, :)), "real32 matmul")
    call subwave_copy_to_device(context, device_c, c32)
    call subwave_matmul(context, n, 3, k, 2.0_c_double, device_a, n + 1, device_b, k + 2, -1.0_c_double, device_c, &
      n + 3, &
      dtype=SUBWAVE_DTYPE_F32)
    call subwave_copy_from_device(context, d32, device_c)
    call check(all(d32(:n, :) == 2 * plain - c(:n, :)), "matmul of f32 with scalars of real64")
    call free_all()
  end subroutine

  subroutine test_matmul_of_halves_and_integers(n)
    integer, intent(in) :: n
    integer :: i
    ! The bits of 1 and 2 in f16 and bf16.
    integer(c_int16_t), parameter :: ones(2) = [15360_c_int16_t, 16256_c_int16_t], twos(2) = [16384_c_int16_t, &
      16384_c_int16_t]
    integer, parameter :: dtypes(2) = [SUBWAVE_DTYPE_F16, SUBWAVE_DTYPE_BF16]
    integer(c_int16_t) :: half(n, 1), c16(n, 1)
    integer(c_int8_t) :: a(n, 4), b(4, 3)
    integer(c_int32_t) :: c(n, 3)
    type(c_ptr) :: device_a, device_b, device_c
    device_a = device_memory(c_sizeof(a))
    device_b = device_memory(c_sizeof(b))
    device_c = device_memory(c_sizeof(c))
    do i = 1, 2
      half = ones(i)
      call subwave_copy_to_device(context, device_a, half)
      call subwave_copy_to_device(context, device_b, ones(i))
      call subwave_matmul(context, n, 1, 1, 2.0, device_a, max(1, n), device_b, 1, 0.0, device_c, max(1, n), &
        dtype=dtypes(i))
      call subwave_copy_from_device(context, c16, device_c)
      call check(all(c16 == twos(i)), "matmul of " // subwave_dtype_name(dtypes(i)))
      call subwave_matmul(context, n, 1, 1, 2.0_c_double, device_a, max(1, n), device_b, 1, 0.0_c_double, device_c, &
        max(1, n), dtype=dtypes(i))
      call subwave_copy_from_device(context, c16, device_c)
      call check(all(c16 == twos(i)), "matmul with real64 of " // subwave_dtype_name(dtypes(i)))
    end do
    a = reshape([(int(mod(11 * i, 251) - 125, c_int8_t), i = 1, size(a))], shape(a))
    b = reshape([(int(mod(7 * i, 241) - 120, c_int8_t), i = 1, size(b))], shape(b))
    call subwave_copy_to_device(context, device_a, a)
    call subwave_copy_to_device(context, device_b, b)
    call subwave_matmul(context, n, 3, 4, -3, device_a, max(1, n), device_b, 4, 0, device_c, max(1, n))
    call subwave_copy_from_device(context, c, device_c)
    call check(all(c == -3 * matmul(int(a), int(b))), "int32 matmul, of i8")
    call subwave_matmul(context, n, 3, 4, 7.0, device_a, max(1, n), device_b, 4, 1.0, device_c, max(1, n), &
      dtype=SUBWAVE_DTYPE_I8)
    call subwave_copy_from_device(context, c, device_c)
    call check(all(c == 4 * matmul(int(a), int(b))), "matmul of i8 with scalars of real32")
    call free_all()
  end subroutine

#define WRONG(M, N, K, LDA, LDB, LDC, MORE, STATUS, PARAMETER) \
    call subwave_matmul(context, M, N, K, 1.0, x, LDA, x, LDB, 0.0, x, LDC, MORE, status=status); \
    call check_error(status, STATUS, PARAMETER, "matmul")
  subroutine test_matmul_arguments()
    type(subwave_matmul_plan_info) :: plan
    type(c_ptr) :: x
    integer :: status
    real(c_float) :: c(2)
    x = device_memory(64_c_size_t)
    WRONG(2, 2, 2, 2, 2, 2, variant=99, SUBWAVE_STATUS_INVALID_VALUE, "variant")
    WRONG(2, 2, 2, 2, 2, 2, dtype=99, SUBWAVE_STATUS_INVALID_VALUE, "dtype")
    WRONG(2, 2, 2, 2, 2, 2, dtype=SUBWAVE_DTYPE_I16, SUBWAVE_STATUS_UNSUPPORTED, "dtype")
    WRONG(2, 2, 2, 2, 2, 2, layout=99, SUBWAVE_STATUS_INVALID_VALUE, "layout")
    WRONG(2, 2, 2, 2, 2, 2, transpose_a=99, SUBWAVE_STATUS_INVALID_VALUE, "transpose_a")
    WRONG(2, 2, 2, 2, 2, 2, transpose_b=99, SUBWAVE_STATUS_INVALID_VALUE, "transpose_b")
    WRONG(-1, 2, 2, 2, 2, 2, variant=1, SUBWAVE_STATUS_INVALID_SIZE, "m")
    WRONG(2, -1, 2, 2, 2, 2, variant=1, SUBWAVE_STATUS_INVALID_SIZE, "n")
    WRONG(2, 2, -1, 2, 2, 2, variant=1, SUBWAVE_STATUS_INVALID_SIZE, "k")
    WRONG(2, 2, 2, 1, 2, 2, variant=1, SUBWAVE_STATUS_INVALID_STRIDE, "lda")
    WRONG(2, 2, 2, 2, 1, 2, variant=1, SUBWAVE_STATUS_INVALID_STRIDE, "ldb")
    WRONG(2, 2, 2, 2, 2, 1, variant=1, SUBWAVE_STATUS_INVALID_STRIDE, "ldc")
    call subwave_matmul(context, 2, 2, 2, 1.0, c_null_ptr, 2, x, 2, 0.0, x, 2, status=status)
    call check_error(status, SUBWAVE_STATUS_INVALID_POINTER, "a", "matmul")
    call subwave_matmul(context, 2, 2, 2, 1.0, x, 2, c_null_ptr, 2, 0.0, x, 2, status=status)
    call check_error(status, SUBWAVE_STATUS_INVALID_POINTER, "b", "matmul")
    call subwave_matmul(context, 2, 2, 2, 1.0, x, 2, x, 2, 0.0, c_null_ptr, 2, status=status)
    call check_error(status, SUBWAVE_STATUS_INVALID_POINTER, "c", "matmul")

    ! k = 0 scales C by beta; the same in C's form.
    call subwave_copy_to_device(context, x, [3.0, 4.0])
    call subwave_matmul(context, 2, 1, 0, 1.0, c_null_ptr, 2, c_null_ptr, 1, 2.0, x, 2, status=status)
    call subwave_copy_from_device(context, c, x)
    call check(status == SUBWAVE_STATUS_SUCCESS .and. all(c == [6.0, 8.0]), "matmul of nothing")
    call subwave_matmul_plan(context, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_COLUMN_MAJOR, &
      SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 100, 100, 100, plan)
    call check(plan%variant > SUBWAVE_VARIANT_AUTO .and. plan%blocks >= 1 .and. plan%parts >= 1, "matmul_plan")
    call subwave_matmul_plan(context, SUBWAVE_VARIANT_AUTO, SUBWAVE_DTYPE_F32, SUBWAVE_LAYOUT_COLUMN_MAJOR, &
      SUBWAVE_TRANSPOSE_NONE, SUBWAVE_TRANSPOSE_NONE, 0_c_int64_t, 100_c_int64_t, 100_c_int64_t, plan)
    call check(plan%blocks == 0, "matmul_plan of nothing")
    call free_all()
  end subroutine

  ! The general forms, which have C's arguments.
  subroutine test_arrays(n)
    integer, intent(in) :: n
    integer :: i
    real(c_double) :: x(n), y(n), cells(10), expected(10)
    integer(c_int64_t) :: counts(4), offsets(4)
    integer(c_int32_t) :: indices(n)
    real(c_double), target :: init, result
    real(c_double) :: segments(3), bounds(5)
    integer(c_int64_t), target :: place
    type(c_ptr) :: device_x, device_y, device_counts, device_offsets, device_indices, device_cells, device_bounds
    integer :: j, status
    x = [(real(mod(5 * i, 11) - 5, c_double), i = 1, n)]
    device_x = device_memory(c_sizeof(x))
    device_y = device_memory(c_sizeof(x))
    device_counts = device_memory(c_sizeof(counts))
    device_offsets = device_memory(c_sizeof(offsets))
    device_indices = device_memory(c_sizeof(indices))
    device_cells = device_memory(c_sizeof(cells))
    device_bounds = device_memory(c_sizeof(bounds))
    call subwave_copy_to_device(context, device_x, x)

    init = 7
    call subwave_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_ORDER_DEVICE, n, c_loc(init), device_x, &
      SUBWAVE_PLACE_HOST, c_loc(result))
    call check(result == sum(x) + 7, "reduce")
    call subwave_scan(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, SUBWAVE_ORDER_FIXED, &
      int(n, c_int64_t), c_loc(init), device_x, device_y)
    call subwave_copy_from_device(context, y, device_y)
    call check(all(y == [(7 + sum(x(:i)), i = 1, n)]), "scan")
    call subwave_dot(context, SUBWAVE_DTYPE_F64, SUBWAVE_CONJUGATION_NONE, SUBWAVE_ORDER_FIXED, n, device_x, device_x, &
      SUBWAVE_PLACE_HOST, c_loc(result))
    call check(result == sum(x * x), "dot")
    call subwave_minmax_index(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_MAXIMUM, n, device_x, SUBWAVE_PLACE_HOST, &
      c_loc(result), c_loc(place))
    call check(place == merge(maxloc(x, 1) - 1, -1, n > 0), "minmax_index")

    offsets = [0, n / 3, n / 2, n]
    call subwave_copy_to_device(context, device_offsets, offsets)
    call subwave_segmented_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_I64, 3, device_offsets, &
      n, &
      device_x, device_cells)
    call subwave_copy_from_device(context, segments, device_cells)
    call check(all(segments == [(sum(x(offsets(i) + 1:offsets(i + 1))), i = 1, 3)]), "segmented_reduce")
    call subwave_segmented_scan(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, &
      SUBWAVE_DTYPE_I64, &
      3_c_int64_t, device_offsets, int(n, c_int64_t), device_x, device_y)
    call subwave_copy_from_device(context, y, device_y)
    do j = 1, 3
      call check(all(y(offsets(j) + 1:offsets(j + 1)) == [(sum(x(offsets(j) + 1:i)), i = int(offsets(j)) + 1, &
        int(offsets(j + 1)))]), "segmented_scan")
    end do
    call subwave_segmented_reduce(context, SUBWAVE_DTYPE_F64, SUBWAVE_OP_PLUS, SUBWAVE_DTYPE_F64, 3, device_offsets, &
      n, &
      device_x, device_cells, status)
    call check_error(status, SUBWAVE_STATUS_UNSUPPORTED, "offset_dtype", "segmented_reduce")

    counts = -1
    call subwave_histogram(context, SUBWAVE_DTYPE_F64, 4, -4.0_c_double, 4.0_c_double, n, device_x, device_counts)
    call subwave_copy_from_device(context, counts, device_counts)
    call check(all(counts == [count(x >= -4 .and. x < -2), count(x >= -2 .and. x < 0), count(x >= 0 .and. x < 2), &
      count(x >= 2 .and. x <= 4)]), "histogram")
    bounds = [-5, -4, 0, 1, 2]
    call subwave_copy_to_device(context, device_bounds, bounds)
    call subwave_histogram_by_boundaries(context, SUBWAVE_DTYPE_F64, 4_c_int64_t, device_bounds, int(n, c_int64_t), &
      device_x, device_counts)
    call subwave_copy_from_device(context, counts, device_counts)
    call check(all(counts == [count(x >= -5 .and. x < -4), count(x >= -4 .and. x < 0), count(x >= 0 .and. x < 1), &
      count(x >= 1 .and. x <= 2)]), "histogram_by_boundaries")
    call subwave_histogram(context, SUBWAVE_DTYPE_F64, 4, 4.0_c_double, -4.0_c_double, n, device_x, device_counts, &
      status)
    call check(status == SUBWAVE_STATUS_INVALID_VALUE, "histogram of turned bounds")
    call subwave_histogram(context, SUBWAVE_DTYPE_F64, 0, -4.0_c_double, 4.0_c_double, n, device_x, device_counts, &
      status)
    call check_error(status, SUBWAVE_STATUS_INVALID_SIZE, "bins", "histogram")

    indices = [(mod(3 * i, 13) - 1, i = 1, n)] ! from -1 to 11: those outside 0 to 9 are left out
    expected = [(real(i, c_double), i = 1, 10)]
    call subwave_copy_to_device(context, device_cells, expected)
    do i = 1, n
      if (indices(i) >= 0 .and. indices(i) < 10) expected(indices(i) + 1) = expected(indices(i) + 1) + x(i)
    end do
    call subwave_copy_to_device(context, device_indices, indices)
    call subwave_scatter_add(context, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, n, SUBWAVE_DTYPE_I32, device_indices, &
      device_x, 10, device_cells)
    call subwave_copy_from_device(context, cells, device_cells)
    call check(all(cells == expected), "scatter_add")
    call subwave_scatter_add(context, SUBWAVE_DTYPE_F64, SUBWAVE_ORDER_FIXED, int(n, c_int64_t), SUBWAVE_DTYPE_I32, &
      device_indices, device_x, -1_c_int64_t, device_cells, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_SIZE, "cells", "scatter_add")
    call free_all()
  end subroutine

  ! C's rows are what lies together in memory: columns of a Fortran array.
  subroutine test_rows(n)
    integer, intent(in) :: n
    integer :: i
    integer(c_int32_t) :: x(n + 1, 3), y(n + 1, 3), sums(3), transposed(3, n)
    integer(c_int64_t) :: places(3)
    type(c_ptr) :: device_x, device_y, device_sums, device_places
    integer :: j, status
    x = reshape([(mod(5 * i, 11) - 5, i = 1, size(x))], shape(x))
    device_x = device_memory(c_sizeof(x))
    device_y = device_memory(c_sizeof(y))
    device_sums = device_memory(c_sizeof(sums))
    device_places = device_memory(c_sizeof(places))
    call subwave_copy_to_device(context, device_x, x)
    call subwave_row_reduce(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, 3, n, device_x, n + 1, device_sums)
    call subwave_copy_from_device(context, sums, device_sums)
    call check(all(sums == sum(x(:n, :), 1)), "row_reduce")
    call subwave_row_scan(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, 3_c_int64_t, &
      int(n, c_int64_t), device_x, int(n + 1, c_int64_t), device_y, int(n + 1, c_int64_t))
    call subwave_copy_from_device(context, y, device_y)
    do j = 1, 3
      call check(all(y(:n, j) == [(sum(x(:i, j)), i = 1, n)]), "row_scan")
    end do
    call subwave_row_minmax_index(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_MAXIMUM, 3, n, device_x, n + 1, device_sums, &
      device_places)
    call subwave_copy_from_device(context, sums, device_sums)
    call subwave_copy_from_device(context, places, device_places)
    do j = 1, 3
      call check(places(j) == merge(maxloc(x(:n, j), 1) - 1, -1, n > 0) .and. sums(j) == maxval(x(:n, j)), &
        "row_minmax_index")
    end do
    call subwave_row_reduce(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, 3, n, device_x, n - 1, device_sums, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_STRIDE, "ldx", "row_reduce")

    call subwave_transpose(context, SUBWAVE_DTYPE_I32, SUBWAVE_LAYOUT_COLUMN_MAJOR, n, 3, device_x, n + 1, device_y, 3)
    call subwave_copy_from_device(context, transposed, device_y)
    call check(all(transposed == transpose(x(:n, :))), "transpose")
    ! Of each row by itself: of three matrices of 1 x n.
    call subwave_transpose_strided_batched(context, SUBWAVE_DTYPE_I32, SUBWAVE_LAYOUT_COLUMN_MAJOR, n, 1, device_x, &
      n + 1, &
      n + 1, device_y, 1, n, 3)
    call subwave_copy_from_device(context, transposed, device_y)
    call check(all(reshape(transposed, [n, 3]) == x(:n, :)), "transpose_strided_batched")
    call free_all()
  end subroutine

  subroutine test_select(n)
    integer, intent(in) :: n
    integer :: i
    integer(c_int32_t) :: x(n), y(n), z(n)
    integer(c_int8_t) :: flags(n)
    integer(c_int64_t) :: selected
    integer(c_int32_t), target :: scalar
    logical :: first(n)
    type(c_ptr) :: device_x, device_y, device_z, device_flags, device_selected
    integer :: status
    x = [(mod(i, 7) / 2, i = 1, n)]
    flags = [(int(mod(i, 3) * 100, c_int8_t), i = 1, n)]
    first = [(i == 1, i = 1, n)]
    where (.not. first) first = x /= eoshift(x, -1)
    device_x = device_memory(c_sizeof(x))
    device_y = device_memory(c_sizeof(y))
    device_z = device_memory(c_sizeof(z))
    device_flags = device_memory(c_sizeof(flags))
    device_selected = device_memory(c_sizeof(selected))
    call subwave_copy_to_device(context, device_x, x)
    call subwave_copy_to_device(context, device_flags, flags)
    call subwave_compact(context, SUBWAVE_DTYPE_I32, n, device_flags, device_x, device_y, device_selected)
    call take()
    call check(all(y(:selected) == pack(x, flags /= 0)) .and. selected == count(flags /= 0), "compact")
    call subwave_partition(context, SUBWAVE_DTYPE_I32, int(n, c_int64_t), device_flags, device_x, device_y, device_z, &
      device_selected)
    call take()
    call check(all(y(:selected) == pack(x, flags /= 0)) .and. all(z(:n - selected) == pack(x, flags == 0)), "partition")
    scalar = 2
    call subwave_compact_if(context, SUBWAVE_DTYPE_I32, SUBWAVE_COMPARISON_EQUAL, c_loc(scalar), n, device_x, &
      device_y, &
      device_selected)
    call take()
    call check(all(y(:selected) == pack(x, x == 2)) .and. selected == count(x == 2), "compact_if")
    call subwave_partition_if(context, SUBWAVE_DTYPE_I32, SUBWAVE_COMPARISON_GREATER, c_loc(scalar), n, device_x, &
      device_y, &
      device_z, device_selected)
    call take()
    call check(all(y(:selected) == pack(x, x > 2)) .and. all(z(:n - selected) == pack(x, x <= 2)), "partition_if")
    call subwave_unique(context, SUBWAVE_DTYPE_I32, n, device_x, device_y, device_selected)
    call take()
    call check(all(y(:selected) == pack(x, first)) .and. selected == count(first), "unique")
    call subwave_unique(context, 99, n, device_x, device_y, device_selected, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_VALUE, "dtype", "unique")
    call free_all()
  contains
    subroutine take()
      call subwave_copy_from_device(context, selected, device_selected)
      call subwave_copy_from_device(context, y, device_y)
      call subwave_copy_from_device(context, z, device_z)
    end subroutine
  end subroutine

  ! Work-groups of 16, in fixed-size groups of 4, which every device has.
  subroutine test_groups(n)
    integer, intent(in) :: n
    integer :: i
    type(subwave_group) :: group
    type(subwave_group_item), target :: items(n + 1)
    integer(c_int32_t) :: x(n), y(n), id(n), of_four(4, n / 4), expected(4, n / 4)
    integer(c_int8_t) :: flags(n), votes(n)
    type(c_ptr) :: device_x, device_y, device_id, device_flags, device_votes, device_items
    integer :: j, status
    group%kind = SUBWAVE_GROUP_FIXED_SIZE
    group%block = [16, 1, 1]
    group%fixed_size = 4
    x = [(mod(5 * i, 11), i = 1, n)]
    id = [(mod(i, 3), i = 1, n)]
    flags = [(int(merge(1, 0, mod(i, 16) > 10), c_int8_t), i = 1, n)]
    of_four = reshape(x, shape(of_four))
    device_x = device_memory(c_sizeof(x))
    device_y = device_memory(c_sizeof(y))
    device_id = device_memory(c_sizeof(id))
    device_flags = device_memory(c_sizeof(flags))
    device_votes = device_memory(c_sizeof(votes))
    device_items = device_memory(32_c_size_t * n)
    call subwave_copy_to_device(context, device_x, x)
    call subwave_copy_to_device(context, device_id, id)
    call subwave_copy_to_device(context, device_flags, flags)

    call subwave_group_reduce(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, group, n, c_null_ptr, device_x, device_y)
    call compare(spread(sum(of_four, 1), 1, 4), "group_reduce")
    call subwave_group_scan(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, SUBWAVE_SCAN_INCLUSIVE, group, int(n, &
      c_int64_t), &
      c_null_ptr, device_x, device_y)
    do j = 1, 4
      expected(j, :) = sum(of_four(:j, :), 1)
    end do
    call compare(expected, "group_scan")
    call subwave_group_broadcast(context, SUBWAVE_DTYPE_I32, group, n, 2, device_x, device_y)
    call compare(spread(of_four(3, :), 1, 4), "group_broadcast")
    call subwave_group_shift(context, SUBWAVE_DTYPE_I32, SUBWAVE_SHIFT_LEFT, group, n, 1, device_x, device_y)
    call compare(of_four([2, 3, 4, 4], :), "group_shift")
    call subwave_group_permute(context, SUBWAVE_DTYPE_I32, group, n, 1, device_x, device_y)
    call compare(of_four([2, 1, 4, 3], :), "group_permute")
    call subwave_group_select(context, SUBWAVE_DTYPE_I32, group, int(n, c_int64_t), device_id, device_x, device_y)
    call compare(reshape([(of_four(id(i) + 1, (i + 3) / 4), i = 1, n)], shape(expected)), "group_select")
    call subwave_group_vote(context, SUBWAVE_VOTE_ANY, group, n, device_flags, device_votes)
    call subwave_copy_from_device(context, votes, device_votes)
    call check(all(reshape(int(votes), [4, n / 4]) == spread(maxval(reshape(int(flags), [4, n / 4]), 1), 1, 4)), &
      "group_vote")
    call subwave_group_info(context, group, n, device_items)
    call subwave_copy(context, c_loc(items), device_items, 32 * n)
    call check(all(items(:n)%local_id == [(mod(i - 1, 4), i = 1, n)]) .and. all(items(:n)%local_range == 4), &
      "group_info")

    group%fixed_size = 3
    call subwave_group_reduce(context, SUBWAVE_DTYPE_I32, SUBWAVE_OP_PLUS, group, n, c_null_ptr, device_x, device_y, &
      status)
    call check_error(status, SUBWAVE_STATUS_INVALID_VALUE, "group->fixed_size", "group_reduce")
    call subwave_group_shift(context, SUBWAVE_DTYPE_I32, 99, group, n, 1, device_x, device_y, status)
    call check_error(status, SUBWAVE_STATUS_INVALID_VALUE, "direction", "group_shift")
    call free_all()
  contains
    subroutine compare(right, what)
      integer(c_int32_t), intent(in) :: right(:, :)
      character(len=*), intent(in) :: what
      call subwave_copy_from_device(context, y, device_y)
      call check(all(reshape(y, shape(right)) == right), what)
    end subroutine
  end subroutine

end module calls

program test_calls
  use calls
  use checks
  implicit none
  integer :: i
  integer, parameter :: sizes(7) = [0, 1, 2, 33, 64, 65, 300]

  call begin()
  call test_names()
  call test_devices()
  call test_contexts()
  call copies_int8()
  call copies_int16()
  call copies_int32()
  call copies_int64()
  call copies_real32()
  call copies_real64()
  call copies_complex32()
  call copies_complex64()
  do i = 1, size(sizes)
    call numbers_int8(sizes(i))
    call numbers_int16(sizes(i))
    call numbers_int32(sizes(i))
    call numbers_int64(sizes(i))
    call numbers_real32(sizes(i))
    call numbers_real64(sizes(i))
    call fields_real32(sizes(i))
    call fields_real64(sizes(i))
    call fields_complex32(sizes(i))
    call fields_complex64(sizes(i))
    call test_norm2(sizes(i))
    call test_matmul(sizes(i))
    call test_matmul_of_halves_and_integers(sizes(i))
    call test_arrays(sizes(i))
    call test_rows(sizes(i))
    call test_select(sizes(i))
    call test_groups(16 * sizes(i))
  end do
  call test_matmul_arguments()
  call test_tensor()
  call finish()
end program
