! The same pattern as in ring.c, in Fortran:
!   mpifort $(starling config --module) ring.f90 $(starling config --flags) -o ring
module ring_functions
  use mpi
  use starling
  implicit none
  integer, volatile :: to_give, given
contains
  subroutine neighbours(request, comm, left, right)
    type(c_ptr), intent(in) :: request
    integer, intent(out) :: comm, left, right
    integer :: rank, ranks, code
    code = starling_request_communicator(request, comm, rank, ranks)
    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
  end subroutine

  ! Everyone tells everyone: what the program did before. The report compares with the function named native.
  integer(c_int) function by_all(request, context) bind(c)
    type(c_ptr), value :: request, context
    integer :: comm, left, right, ierror, all_ranks(0:63)
    call neighbours(request, comm, left, right)
    call MPI_Allgather(to_give, 1, MPI_INTEGER, all_ranks, 1, MPI_INTEGER, comm, ierror)
    given = all_ranks(left)
    by_all = merge(0, 1, ierror == MPI_SUCCESS .and. .not. c_associated(context))
  end function

  integer(c_int) function at_once(request, context) bind(c)
    type(c_ptr), value :: request, context
    integer :: comm, left, right, ierror
    call neighbours(request, comm, left, right)
    call MPI_Sendrecv(to_give, 1, MPI_INTEGER, right, 0, given, 1, MPI_INTEGER, left, 0, comm, &
                      MPI_STATUS_IGNORE, ierror)
    at_once = merge(0, 1, ierror == MPI_SUCCESS .and. .not. c_associated(context))
  end function

  integer(c_int) function posted(request, context) bind(c)
    type(c_ptr), value :: request, context
    integer :: comm, left, right, ierror, requests(2)
    call neighbours(request, comm, left, right)
    call MPI_Irecv(given, 1, MPI_INTEGER, left, 0, comm, requests(1), ierror)
    call MPI_Isend(to_give, 1, MPI_INTEGER, right, 0, comm, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    posted = merge(0, 1, ierror == MPI_SUCCESS .and. .not. c_associated(context))
  end function
end module

program ring
  use ring_functions
  implicit none
  type(c_ptr) :: attributes(2), set, functions(3), pattern, request
  character(len=:), allocatable :: winner
  integer :: rank, ranks, ierror, i, wrong
  wrong = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call check(starling_attribute_create('partners', [1, 2], attributes(1)))
  call check(starling_attribute_create('waits', [0, 1], attributes(2)))
  call check(starling_attribute_set_create(2, attributes, set))
  call check(starling_function_create('native', by_all, c_null_ptr, set, [2, 0], functions(1)))
  call check(starling_function_create('at_once', at_once, c_null_ptr, set, [1, 0], functions(2)))
  call check(starling_function_create('posted', posted, c_null_ptr, set, [1, 1], functions(3)))
  call check(starling_function_set_create('ring', functions, pattern))
  call check(starling_request_create(pattern, c_null_ptr, c_null_ptr, c_null_ptr, 0, request, 'star-basic'))
  do i = 1, 500
    to_give = rank + i
    call check(starling_request_start(request))
    if (given /= mod(rank + ranks - 1, ranks) + i) wrong = wrong + 1
  end do
  call check(starling_request_winner(request, winner))
  if (rank == 0) print '(a, a, a, i0, a)', 'the fastest is ', winner, ', ', wrong, ' wrong'
  call check(starling_request_free(request))
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
contains
  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code == starling_success) return
    write (0, '(a)') starling_error_text(code)//': '//starling_error_detail()
    wrong = wrong + 1
  end subroutine
end program
