! Collectives through the mpi_f08 module: exact integer results, printed by rank 0.
program ring_f08
  use mpi_f08
  implicit none
  integer, parameter :: block = 64, rounds = 400
  integer :: rank, ranks, i, j, total, position
  integer, allocatable :: outgoing(:), incoming(:), everyone(:)
  integer :: vector(block), result(block)
  integer :: checks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate (outgoing(block*ranks), incoming(block*ranks), everyone(block*ranks))
  checks = 0
  do i = 1, rounds
    do j = 1, block*ranks
      outgoing(j) = rank*1000 + j + i
    end do
    call MPI_Alltoall(outgoing, block, MPI_INTEGER, incoming, block, MPI_INTEGER, MPI_COMM_WORLD)
    vector = incoming(1:block)
    call MPI_Allreduce(vector, result, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, vector, block, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Bcast(result, block, MPI_INTEGER, mod(i, ranks), MPI_COMM_WORLD)
    call MPI_Allgather(vector, block, MPI_INTEGER, everyone, block, MPI_INTEGER, MPI_COMM_WORLD)
    position = 1 + mod(i, block*ranks)
    checks = mod(31*checks + result(1 + mod(i, block)) + everyone(position), 1000003)
  end do
  call MPI_Reduce(checks, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,i0)', 'mpi_f08 ranks ', ranks, ' checksum ', total
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program ring_f08
