! SPDX-License-Identifier: MIT
! matmul.f90: multiplies two random matrices on a device, checked by Fortran's matmul, and sums the result there.
!
!   example_matmul_fortran [n [device]]      n: 256 if not given; device: "gpu:0", "cpu:64", ...
program example_matmul
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t, c_null_ptr, c_ptr
  use subwave
  implicit none
  type(subwave_context) :: context
  type(subwave_device_properties) :: device
  real(c_double), allocatable :: host_a(:, :), host_b(:, :), host_c(:, :), expected(:, :)
  type(c_ptr) :: a = c_null_ptr, b = c_null_ptr, c = c_null_ptr
  real(c_double) :: bound, total
  logical :: right
  integer(c_int64_t) :: bytes
  character(len=64) :: argument
  integer :: n, status

  n = 256
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=status) n
    if (status /= 0 .or. n < 1 .or. n > 16384) then
      print "(3a)", "n is """, trim(argument), """; it takes 1 to 16384"
      stop 2
    end if
  end if

  ! A call without `status` ends the program with the library's words if it fails.
  if (command_argument_count() > 1) then
    call get_command_argument(2, argument)
    call subwave_context_create(context, argument)
  else
    call subwave_context_create(context)
  end if
  call subwave_context_info(context, device)
  print "(3a)", subwave_string(device%id), ": ", subwave_string(device%name)

  allocate (host_a(n, n), host_b(n, n), host_c(n, n))
  call random_number(host_a)
  call random_number(host_b)
  bytes = int(n, c_int64_t) * n * storage_size(host_a) / 8
  call subwave_malloc(context, a, bytes)
  call subwave_malloc(context, b, bytes)
  call subwave_malloc(context, c, bytes)
  call subwave_copy_to_device(context, a, host_a)
  call subwave_copy_to_device(context, b, host_b)

  ! Matrices are in Fortran's order, by columns; the type of alpha and beta says what they are of.
  call subwave_matmul(context, n, n, n, 1.0_c_double, a, n, b, n, 0.0_c_double, c, n)
  call subwave_copy_from_device(context, host_c, c)
  call subwave_reduce(context, SUBWAVE_OP_PLUS, n * n, c, total)

  expected = matmul(host_a, host_b)
  bound = (n + 1) * epsilon(bound)
  right = all(abs(host_c - expected) <= bound * expected) .and. & ! false for a NaN
    abs(total - sum(expected)) <= bound * sum(expected)
  print "(i0, a, i0, a, es8.1)", n, " x ", n, ", f64: largest error ", maxval(abs(host_c - expected) / expected)

  call subwave_free(context, a)
  call subwave_free(context, b)
  call subwave_free(context, c)
  call subwave_context_destroy(context)
  deallocate (host_a, host_b, host_c, expected)
  if (.not. right) error stop "the result is wrong"
end program
