! A library that a program without MPI opens, as Python does: a sum in place, and one of data at absolute addresses.
subroutine opened() bind(C)
  implicit none
  include 'mpif.h'
  integer :: ierr, ranks, rank, absolute, x(3), y(3)
  integer(kind=MPI_ADDRESS_KIND) :: place
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  x = rank + 1
  call mpi_allreduce(MPI_IN_PLACE, x, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  y = 7 * rank + 5
  call mpi_get_address(y, place, ierr)
  call mpi_type_create_hindexed(1, [3], [place], MPI_INTEGER, absolute, ierr)
  call mpi_type_commit(absolute, ierr)
  call mpi_bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierr)
  if (all(x == ranks * (ranks + 1) / 2) .and. all(y == 5)) print '(a)', 'right'
  call mpi_finalize(ierr)
end subroutine
