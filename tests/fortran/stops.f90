! SPDX-License-Identifier: MIT
! stops.f90: a call that fails and is not asked for its status ends the program; stops.cmake reads what it says.
program stops
  use subwave
  implicit none
  type(subwave_context) :: context
  character(len=16) :: call_name
  integer :: status
  real :: result
  call get_command_argument(1, call_name)
  if (call_name == "create") call subwave_context_create(context, "cpu:7")
  call subwave_context_create(context, "cpu:4")
  if (call_name == "synchronize") then
    call subwave_context_destroy(context)
    call subwave_synchronize(context)
  end if
  call subwave_reduce(context, SUBWAVE_OP_PLUS, -1, context%handle, result, status=status)
  print "(a)", "goes on with a status"
  call subwave_reduce(context, SUBWAVE_OP_PLUS, -1, context%handle, result)
  print "(a)", "goes on without one"
end program
