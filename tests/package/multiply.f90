! SPDX-License-Identifier: MIT
! multiply.f90: a user's program: a matrix product through the installed Fortran module, and a call of subwave_c.
program multiply
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_null_ptr, c_ptr
  use subwave
  use subwave_c, only: c_synchronize => subwave_synchronize
  implicit none
  type(subwave_context) :: context
  type(c_ptr) :: a = c_null_ptr, b = c_null_ptr, c = c_null_ptr
  real(c_double) :: host_a(2, 3), host_b(3, 2), host_c(2, 2)
  host_a = reshape([1, 4, 2, 5, 3, 6], [2, 3])
  host_b = reshape([1, 10, 100, 0, 1, 0], [3, 2])
  host_c = -1
  call subwave_context_create(context, "cpu")
  call subwave_malloc(context, a, 48)
  call subwave_malloc(context, b, 48)
  call subwave_malloc(context, c, 32)
  call subwave_copy_to_device(context, a, host_a)
  call subwave_copy_to_device(context, b, host_b)
  call subwave_matmul(context, 2, 2, 3, 1.0_c_double, a, 2, b, 3, 0.0_c_double, c, 2)
  if (c_synchronize(context%handle) /= SUBWAVE_STATUS_SUCCESS) error stop "synchronize"
  call subwave_copy_from_device(context, host_c, c)
  call subwave_free(context, a)
  call subwave_free(context, b)
  call subwave_free(context, c)
  call subwave_context_destroy(context)
  print "(2f6.0)", transpose(host_c)
  if (any(nint(host_c) /= reshape([321, 654, 2, 5], [2, 2]))) error stop "the result is wrong"
end program
