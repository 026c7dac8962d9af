! What dying.c does, from Fortran with the library in C: BINDING_MPI or BINDING_F08 names the module. Argument: `before`
! or `after`.
program dying
#ifdef BINDING_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef BINDING_F08
  type(MPI_Comm) :: comm
#else
  integer :: comm
#endif
  integer :: rank, ranks, round, colour, total, wrong, ierror
  integer, external :: wrong_results
  external :: attach_to
  character(len=8) :: when
  call get_command_argument(1, when)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  wrong = 0
  do round = 1, 48
    colour = merge(0, merge(rank / 2, mod(rank, 2), mod(round, 4) == 1), mod(round, 2) == 0)
    call MPI_Comm_split(MPI_COMM_WORLD, colour, merge(rank, -rank, mod(round, 3) == 0), comm, ierror)
    if (when == "before") call attach()
    call use_it()
    call use_it()
    if (when /= "before") call attach()
    if (mod(round, 3) == 0) then
      call MPI_Comm_free(comm, ierror)
    else
      call MPI_Comm_disconnect(comm, ierror)
    end if
  end do
  wrong = wrong + wrong_results()
  call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print *, total, "wrong"
  call MPI_Finalize(ierror)

contains

  subroutine attach()
#ifdef BINDING_F08
    call attach_to(comm%MPI_VAL)
#else
    call attach_to(comm)
#endif
  end subroutine

  subroutine use_it()
    integer :: place, here, mine, sum, said, ierror
    call MPI_Comm_rank(comm, place, ierror)
    call MPI_Comm_size(comm, here, ierror)
    said = merge(77, -1, place == here - 1)
    mine = place + 1
    call MPI_Allreduce(mine, sum, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
    call MPI_Bcast(said, 1, MPI_INTEGER, here - 1, comm, ierror)
    call MPI_Barrier(comm, ierror)
    if (sum /= here * (here + 1) / 2 .or. said /= 77) wrong = wrong + 1
  end subroutine
end program
