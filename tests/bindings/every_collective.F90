! Calls every blocking collective as it comes and in place, some that pass through, and MPI_BOTTOM; says what was wrong.
! Built thrice: BINDING_MPIFH, BINDING_MPI, BINDING_F08. Rank r sends 100 r + j as its element j = 0, 1, ...
#if defined(BINDING_F08)
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define A_DATATYPE type(MPI_Datatype)
#define A_COMM type(MPI_Comm)
#define A_REQUEST type(MPI_Request)
#elif defined(BINDING_MPI)
#define USE_MPI use mpi
#define INCLUDE_MPI
#define A_DATATYPE integer
#define A_COMM integer
#define A_REQUEST integer
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#define A_DATATYPE integer
#define A_COMM integer
#define A_REQUEST integer
#endif

program every_collective
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: most = 16
  integer :: rank, ranks, left, right, wrong, all_wrong(1), my_wrong(1), error, provided, i
  integer :: sent(most), got(most), counts(most), places(most), bytes(most), blocks(1), neighbours(2)
  integer(kind=MPI_ADDRESS_KIND) :: addresses(most), where(1)
  A_DATATYPE :: types(most), elsewhere, kinds(1)
  A_COMM :: ring
  A_REQUEST :: request
  integer, asynchronous :: far(most)

  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  wrong = 0
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  counts = 1
  places = [(i, i = 0, most - 1)]
  bytes = 4 * places
  addresses = bytes
  do i = 1, most
    types(i) = MPI_INTEGER
  end do
  ! A graph, not a grid: MPICH 4's mpi_f08 takes nothing else in MPI_Neighbor_alltoallw.
  neighbours = [left, right]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, MPI_UNWEIGHTED, 2, neighbours, MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., ring, error)

  call MPI_Barrier(MPI_COMM_WORLD, error)
  call check('barrier', error == MPI_SUCCESS)

  call fill()
  call MPI_Allgather(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('allgather', all(got(:ranks) == 100 * places(:ranks)))
  call fill()
  got(rank + 1) = sent(1)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('allgather in place', all(got(:ranks) == 100 * places(:ranks)))

  call fill()
  call MPI_Allgatherv(sent, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('allgatherv', all(got(:ranks) == 100 * places(:ranks)))
  call fill()
  got(rank + 1) = sent(1)
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('allgatherv in place', all(got(:ranks) == 100 * places(:ranks)))

  call fill()
  call MPI_Allreduce(sent, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('allreduce', got(1) == sum_to(ranks))
  call fill()
  call MPI_Allreduce(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('allreduce in place', sent(1) == sum_to(ranks))

  call fill()
  call MPI_Alltoall(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('alltoall', all(got(:ranks) == 100 * places(:ranks) + rank))
  call fill()
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, sent, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('alltoall in place', all(sent(:ranks) == 100 * places(:ranks) + rank))

  call fill()
  call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, got, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check('alltoallv', all(got(:ranks) == 100 * places(:ranks) + rank))
  call fill()
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, sent, counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                     error)
  call check('alltoallv in place', all(sent(:ranks) == 100 * places(:ranks) + rank))

  call fill()
  call MPI_Alltoallw(sent, counts, bytes, types, got, counts, bytes, types, MPI_COMM_WORLD, error)
  call check('alltoallw', all(got(:ranks) == 100 * places(:ranks) + rank))
  call fill()
  call MPI_Alltoallw(MPI_IN_PLACE, counts, bytes, types, sent, counts, bytes, types, MPI_COMM_WORLD, error)
  call check('alltoallw in place', all(sent(:ranks) == 100 * places(:ranks) + rank))

  call fill()
  if (rank == 0) got(1) = 7
  call MPI_Bcast(got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call check('bcast', got(1) == 7)

  ! The whole address in the datatype, the buffer MPI_BOTTOM.
  far = -1
  if (rank == 0) far(3) = 8
  call MPI_Get_address(far(3), where(1), error)
  blocks = 1
  kinds(1) = MPI_INTEGER
  call MPI_Type_create_struct(1, blocks, where, kinds, elsewhere, error)
  call MPI_Type_commit(elsewhere, error)
  call MPI_Bcast(MPI_BOTTOM, 1, elsewhere, 0, MPI_COMM_WORLD, error)
  call look_at(far)
  call check('bcast from MPI_BOTTOM', far(3) == 8)
  call MPI_Type_free(elsewhere, error)

  call fill()
  call MPI_Exscan(sent, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('exscan', rank == 0 .or. got(1) == sum_to(rank))
  call fill()
  call MPI_Exscan(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('exscan in place', rank == 0 .or. sent(1) == sum_to(rank))

  call fill()
  call MPI_Gather(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call check('gather', rank /= 0 .or. all(got(:ranks) == 100 * places(:ranks)))
  call fill()
  if (rank == 0) then
    got(1) = sent(1)
    call MPI_Gather(MPI_IN_PLACE, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Gather(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end if
  call check('gather in place', rank /= 0 .or. all(got(:ranks) == 100 * places(:ranks)))

  call fill()
  call MPI_Gatherv(sent, 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call check('gatherv', rank /= 0 .or. all(got(:ranks) == 100 * places(:ranks)))

  call fill()
  call MPI_Reduce(sent, got, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  call check('reduce', rank /= 0 .or. got(1) == sum_to(ranks))
  call fill()
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Reduce(sent, got, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  end if
  call check('reduce in place', rank /= 0 .or. sent(1) == sum_to(ranks))

  call fill()
  call MPI_Reduce_scatter(sent, got, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('reduce_scatter', got(1) == sum_to(ranks) + ranks * rank)
  call fill()
  call MPI_Reduce_scatter(MPI_IN_PLACE, sent, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('reduce_scatter in place', sent(1) == sum_to(ranks) + ranks * rank)

  call fill()
  call MPI_Reduce_scatter_block(sent, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('reduce_scatter_block', got(1) == sum_to(ranks) + ranks * rank)
  call fill()
  call MPI_Reduce_scatter_block(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('reduce_scatter_block in place', sent(1) == sum_to(ranks) + ranks * rank)

  call fill()
  call MPI_Scan(sent, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('scan', got(1) == sum_to(rank + 1))
  call fill()
  call MPI_Scan(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check('scan in place', sent(1) == sum_to(rank + 1))

  call fill()
  call MPI_Scatter(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call check('scatter', got(1) == rank)
  call fill()
  if (rank == 0) then
    call MPI_Scatter(sent, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  else
    call MPI_Scatter(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  end if
  call check('scatter in place', rank == 0 .or. got(1) == rank)

  call fill()
  call MPI_Scatterv(sent, counts, places, MPI_INTEGER, got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call check('scatterv', got(1) == rank)

  call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call fill()
  call MPI_Iallreduce(MPI_IN_PLACE, sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call look_at(sent)
  call check('iallreduce in place', sent(1) == sum_to(ranks))
  call fill()
  call MPI_Ialltoallw(sent, counts, bytes, types, got, counts, bytes, types, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call look_at(got)
  call check('ialltoallw', all(got(:ranks) == 100 * places(:ranks) + rank))
  call fill()
  call MPI_Neighbor_allgather(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, error)
  call check('neighbor_allgather', got(1) == 100 * left .and. got(2) == 100 * right)
  call fill()
  call MPI_Neighbor_alltoallw(sent, counts, addresses, types, got, counts, addresses, types, ring, error)
  call check('neighbor_alltoallw', got(1) == 100 * left + 1 .and. got(2) == 100 * right)
  call fill()
  call MPI_Ineighbor_alltoall(sent, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call look_at(got)
  call check('ineighbor_alltoall', got(1) == 100 * left + 1 .and. got(2) == 100 * right)
#if defined(HAS_PERSISTENT)
  call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request, error)
  call MPI_Start(request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Request_free(request, error)
#endif
#if defined(BINDING_F08)
  ! Without the error code, which only this binding allows.
  call MPI_Barrier(MPI_COMM_WORLD)
#else
  call MPI_Barrier(MPI_COMM_WORLD, error)
#endif

  call MPI_Comm_free(ring, error)
  my_wrong = wrong
  call MPI_Allreduce(my_wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,i0)', 'wrong ', all_wrong(1)
  flush (6)
  call MPI_Finalize(error)

contains

  subroutine fill()
    sent = 100 * rank + places
    got = -1
  end subroutine

  subroutine check(name, holds)
    character(*), intent(in) :: name
    logical, intent(in) :: holds
    if (holds) return
    print '(a,i0,3a)', 'rank ', rank, ': ', name, ' is wrong'
    wrong = wrong + 1
  end subroutine

  integer function sum_to(count)
    integer, intent(in) :: count
    sum_to = 50 * count * (count - 1)
  end function

  ! MPI has written to it behind the compiler's back.
  subroutine look_at(buffer)
    integer, intent(inout) :: buffer(*)
    if (rank < 0) buffer(1) = 0
  end subroutine

end program
