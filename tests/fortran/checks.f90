! SPDX-License-Identifier: MIT
! checks.f90: what the tests of the Fortran module share: the device's context, checks, device memory.
module checks
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use subwave
  implicit none
  private
  public :: begin, check, check_error, device_memory, device_sizes, finish, free_all

  ! The context on the test's device.
  type(subwave_context), public :: context
  integer :: failures = 0, checked = 0
  ! What device_memory() gave.
  type(c_ptr) :: memory(1000) = c_null_ptr
  integer :: memories = 0

contains

  ! Ends the program as skipped where there is no such device.
  subroutine begin()
    character(len=32) :: device
    integer :: status
    call get_environment_variable("SUBWAVE_TEST_DEVICE", device, status=status)
    if (status /= 0) device = "cpu:16"
    call subwave_context_create(context, device, status)
    if (status == SUBWAVE_STATUS_NO_DEVICE .and. device(1:3) == "gpu") then
      print "(2a)", "skipped: ", subwave_error_text()
      stop 77
    end if
    if (status /= SUBWAVE_STATUS_SUCCESS) then
      write (error_unit, "(a)") subwave_error_text()
      stop 1
    end if
  end subroutine

  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    checked = checked + 1
    if (right) return
    failures = failures + 1
    write (error_unit, "(2a)") "wrong: ", what
  end subroutine

  ! A call must have had this status, and its text must begin with the parameter's name.
  subroutine check_error(status, expected, parameter_name, what)
    integer, intent(in) :: status, expected
    character(len=*), intent(in) :: parameter_name, what
    character(len=:), allocatable :: text
    text = subwave_error_text(context)
    call check(status == expected, what // ": the status is " // subwave_status_name(status))
    call check(index(text, parameter_name // " ") == 1, what // ": not about " // parameter_name // ": " // text)
  end subroutine

  function device_memory(bytes) result(pointer)
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call subwave_malloc(context, pointer, int(bytes, c_int64_t))
    memories = memories + 1
    memory(memories) = pointer
  end function

  ! Sizes or leading dimensions in device memory.
  function device_sizes(sizes) result(pointer)
    integer, intent(in) :: sizes(:)
    type(c_ptr) :: pointer
    integer(c_int64_t) :: wide(size(sizes))
    wide = sizes
    pointer = device_memory(c_sizeof(wide))
    call subwave_copy_to_device(context, pointer, wide)
  end function

  subroutine free_all()
    integer :: i
    do i = 1, memories
      call subwave_free(context, memory(i))
    end do
    memories = 0
  end subroutine

  subroutine finish()
    call free_all()
    call subwave_context_destroy(context)
    call check(.not. c_associated(context%handle), "a destroyed context is null")
    print "(i0, a, i0, a)", checked, " checks, ", failures, " failures"
    if (failures > 0) stop 1
  end subroutine

end module checks
