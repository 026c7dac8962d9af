! As unfreed.c, with one communicator.
module deleting
  use mpi
  implicit none
  logical :: fails = .false.

contains

  subroutine refuse(comm, key, val, extra, ierror)
    integer :: comm, key, ierror
    integer(MPI_ADDRESS_KIND) :: val, extra
    ierror = merge(MPI_ERR_OTHER, MPI_SUCCESS, fails .and. comm /= key .and. val == extra)
  end subroutine refuse

  subroutine sums(comm, times, wrong)
    integer, intent(in) :: comm, times
    integer, intent(inout) :: wrong
    integer :: ranks, mine, total, i, ierror
    call MPI_Comm_size(comm, ranks, ierror)
    mine = 1
    do i = 1, times
      call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
      if (total /= ranks) wrong = wrong + 1
    end do
  end subroutine sums
end module deleting

program unfreed
  use mpi
  use deleting
  implicit none
  integer :: comm, key, rank, times, failed, wrong, everyone, length, ierror
  character(MPI_MAX_OBJECT_NAME) :: name
  character(16) :: argument
  call MPI_Init(ierror)
  call get_command_argument(1, argument)
  read (argument, *) times
  failed = 0
  wrong = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, key, 0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_set_name(comm, 'kept', ierror)
  call MPI_Comm_set_attr(comm, key, 0_MPI_ADDRESS_KIND, ierror)
  call sums(comm, times, wrong)
  fails = .true.
  call MPI_Comm_free(comm, ierror)
  fails = .false.
  if (ierror /= MPI_SUCCESS .and. comm /= MPI_COMM_NULL) failed = failed + 1
  call MPI_Comm_get_name(comm, name, length, ierror)
  if (name /= 'kept' .or. length /= 4) wrong = wrong + 1
  call sums(comm, times, wrong)
  call MPI_Comm_free(comm, ierror)
  if (ierror /= MPI_SUCCESS) wrong = wrong + 1
  call PMPI_Reduce(wrong, everyone, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(I0, A, I0, A)', failed, ' failed, ', everyone, ' wrong'
  call MPI_Finalize(ierror)
end program unfreed
