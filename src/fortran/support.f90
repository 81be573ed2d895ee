! SPDX-License-Identifier: MIT
! support.f90: what the Fortran interface has by hand: contexts, texts, and what becomes of a status.
module subwave_support
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_loc, c_null_char, c_null_ptr, &
    c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use subwave_c, only: c_context_create => subwave_context_create, c_context_destroy => subwave_context_destroy, &
    c_last_error => subwave_last_error, c_status_text => subwave_status_text, SUBWAVE_STATUS_SUCCESS
  implicit none
  private
  public :: subwave_context, subwave_context_create, subwave_context_destroy, subwave_error_text, subwave_string
  public :: c_string, conclude, fortran_string

  ! A context of the C library. Copies of the variable are the same context, so there is no finalizer, which would
  ! destroy it once a copy.
  type :: subwave_context
    type(c_ptr) :: handle = c_null_ptr ! what the functions of module subwave_c take
  end type

  ! The procedures have names of their own: gfortran takes one of a C function's name for that function.
  interface subwave_context_create
    module procedure create
  end interface
  interface subwave_context_destroy
    module procedure destroy
  end interface

  interface
    pure function c_strlen(text) result(length) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! Creates a context on `device`, "gpu:0" or "cpu:64" and so on; without it on the one that SUBWAVE_DEVICE names, or
  ! else on the best one. On an error the context is null.
  subroutine create(context, device, status)
    type(subwave_context), intent(out) :: context
    character(len=*), intent(in), optional :: device
    integer(c_int), intent(out), optional :: status
    type(c_ptr), target :: handle
    character(kind=c_char), allocatable, target :: name(:)
    integer(c_int) :: code
    handle = c_null_ptr
    if (present(device)) then
      name = c_string(device)
      code = c_context_create(c_loc(handle), c_loc(name))
    else
      code = c_context_create(c_loc(handle), c_null_ptr)
    end if
    context%handle = handle
    call conclude("subwave_context_create", code, c_null_ptr, status)
  end subroutine

  ! Waits for the context's work and frees it; a null context is a no-op.
  subroutine destroy(context, status)
    type(subwave_context), intent(inout) :: context
    integer(c_int), intent(out), optional :: status
    type(c_ptr), target :: handle
    integer(c_int) :: code
    handle = context%handle
    code = c_context_destroy(c_loc(handle))
    context%handle = handle
    call conclude("subwave_context_destroy", code, c_null_ptr, status)
  end subroutine

  ! What the last failed call on `context` found wrong; without it, the last one of this thread that had no context.
  function subwave_error_text(context) result(text)
    type(subwave_context), intent(in), optional :: context
    character(len=:), allocatable :: text
    if (present(context)) then
      text = fortran_string(c_last_error(context%handle))
    else
      text = fortran_string(c_last_error(c_null_ptr))
    end if
  end function

  ! The text in an array of characters that ends with a null, such as a device's name.
  pure function subwave_string(characters) result(text)
    character(kind=c_char), intent(in) :: characters(:)
    character(len=:), allocatable :: text
    integer :: i, length
    length = size(characters)
    do i = 1, size(characters)
      if (characters(i) == c_null_char) then
        length = i - 1
        exit
      end if
    end do
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function

  function fortran_string(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    if (c_associated(pointer)) then
      call c_f_pointer(pointer, characters, [c_strlen(pointer)])
      text = subwave_string(characters)
    else
      text = ""
    end if
  end function

  ! Blanks at the end do not count, as in Fortran's own names of files.
  pure function c_string(text) result(characters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: characters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      characters(i) = text(i:i)
    end do
    characters(len_trim(text) + 1) = c_null_char
  end function

  ! Ends every call: the caller has the status or, where it did not ask for it, only goes on after success.
  subroutine conclude(name, code, handle, status)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: code
    type(c_ptr), intent(in) :: handle
    integer(c_int), intent(out), optional :: status
    if (present(status)) then
      status = code
    else if (code /= SUBWAVE_STATUS_SUCCESS) then
      write (error_unit, "(5a)") name, ": ", fortran_string(c_status_text(code)), ": ", &
        fortran_string(c_last_error(handle))
      flush (error_unit)
      error stop 1
    end if
  end subroutine

end module subwave_support
