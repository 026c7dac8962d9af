! Written as programs for ADCL are, in Fortran: what adcl_fortran.f90 does not call. Vectors with every kind of map, the
! collectives with MPI's own arguments, corners, functions in two parts, status saved and restored, timers.
program adcl_interface
  implicit none
  include 'ADCL.inc'
  integer :: rank, ranks, ierr, faults
  common /c/ faults, rank
  faults = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call ADCL_Init(ierr)
  call vectors()
  call inits()
  call topologies()
  call overlap()
  call status()
  call timers()
  call MPI_Allreduce(MPI_IN_PLACE, faults, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0, a)', faults, ' faults'
  call ADCL_Finalize(ierr)
  call MPI_Finalize(ierr)
  if (faults /= 0) stop 1
contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    faults = faults + 1
    if (faults < 6) write (0, '(a, i0, a, a)') 'rank ', rank, ': wrong: ', what
  end subroutine
  subroutine ok(what)
    character(len=*), intent(in) :: what
    call expect(ierr == ADCL_SUCCESS, what)
  end subroutine

  subroutine vectors()
    integer :: smap, rmap, svec, rvec, topo, req, i, n
    integer, parameter :: m = 6
    integer, allocatable :: out(:), in(:), counts(:), displs(:)
    call ADCL_Topology_create_generic(0, 0, (/0/), (/0/), (/0/), (/0/), ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, topo, ierr)
    call ok('topology')
    allocate (out(m*ranks), in(m*ranks), counts(ranks), displs(ranks))
    ! allgatherv
    do i = 1, ranks
      counts(i) = m
      displs(i) = (i - 1)*m
    end do
    call ADCL_Vmap_all_allocate(smap, ierr); call ok('all')
    call ADCL_Vmap_list_allocate(ranks, counts, displs, rmap, ierr); call ok('list')
    call ADCL_Vector_register_generic(1, (/m/), 0, smap, MPI_INTEGER, out, svec, ierr); call ok('send vector')
    call ADCL_Vector_register_generic(1, (/m*ranks/), 0, rmap, MPI_INTEGER, in, rvec, ierr); call ok('receive vector')
    call ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLGATHERV, req, ierr); call ok('allgatherv')
    do n = 1, 40
      out(1:m) = rank*100 + n
      in = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      do i = 0, ranks - 1
        call expect(all(in(i*m + 1:(i + 1)*m) == i*100 + n), 'allgatherv result')
      end do
    end do
    call ADCL_Request_free(req, ierr); call ok('free')
    call ADCL_Vector_deregister(svec, ierr); call ok('deregister')
    call ADCL_Vector_deregister(rvec, ierr); call ok('deregister')
    call ADCL_Vmap_free(smap, ierr); call ok('vmap free')
    call expect(smap == ADCL_VMAP_NULL, 'null vmap')
    call ADCL_Vmap_free(rmap, ierr)
    ! allreduce in place and not
    call ADCL_Vmap_allreduce_allocate(MPI_SUM, rmap, ierr); call ok('allreduce map')
    call ADCL_Vmap_inplace_allocate(smap, ierr); call ok('in place')
    call ADCL_Vector_register_generic(1, (/m/), 0, smap, MPI_INTEGER, MPI_IN_PLACE, svec, ierr); call ok('in place vector')
    call ADCL_Vector_register_generic(1, (/m/), 0, rmap, MPI_INTEGER, in, rvec, ierr); call ok('vector')
    call ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLREDUCE, req, ierr); call ok('allreduce')
    do n = 1, 40
      in(1:m) = rank + n
      call ADCL_Request_start(req, ierr); call ok('start')
      call expect(all(in(1:m) == ranks*(ranks - 1)/2 + n*ranks), 'allreduce result')
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Vector_deregister(svec, ierr)
    call ADCL_Vector_deregister(rvec, ierr)
    call ADCL_Vmap_free(smap, ierr)
    call ADCL_Vmap_free(rmap, ierr)
    ! reduce, rooted
    call ADCL_Vmap_all_allocate(smap, ierr)
    call ADCL_Vmap_reduce_allocate(MPI_MAX, rmap, ierr); call ok('reduce map')
    call ADCL_Vector_register_generic(1, (/m/), 0, smap, MPI_INTEGER, out, svec, ierr)
    call ADCL_Vector_register_generic(1, (/m/), 0, rmap, MPI_INTEGER, in, rvec, ierr)
    call ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_REDUCE, ranks - 1, req, ierr); call ok('reduce')
    do n = 1, 40
      out(1:m) = rank + n
      in = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      if (rank == ranks - 1) call expect(all(in(1:m) == ranks - 1 + n), 'reduce result')
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Vector_deregister(svec, ierr)
    call ADCL_Vector_deregister(rvec, ierr)
    call ADCL_Vmap_free(smap, ierr)
    call ADCL_Vmap_free(rmap, ierr)
    ! alltoall, one map for both
    call ADCL_Vmap_alltoall_allocate(2, 2, smap, ierr); call ok('alltoall map')
    call ADCL_Vector_register_generic(1, (/2*ranks/), 0, smap, MPI_INTEGER, out, svec, ierr); call ok('vector')
    call ADCL_Vector_register_generic(1, (/2*ranks/), 0, smap, MPI_INTEGER, in, rvec, ierr); call ok('vector')
    call ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLTOALL, req, ierr); call ok('alltoall')
    do n = 1, 40
      do i = 0, ranks - 1
        out(2*i + 1:2*i + 2) = 100*rank + i + n
      end do
      in = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      do i = 0, ranks - 1
        call expect(all(in(2*i + 1:2*i + 2) == 100*i + rank + n), 'alltoall result')
      end do
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Vector_deregister(svec, ierr)
    call ADCL_Vector_deregister(rvec, ierr)
    call ADCL_Vmap_free(smap, ierr)
    call ADCL_Topology_free(topo, ierr); call ok('free')
  end subroutine

  subroutine inits()
    integer :: req, i, n
    double precision :: a(5), b(5)
    integer, allocatable :: out(:), in(:), counts(:), displs(:)
    allocate (out(ranks), in(ranks), counts(ranks), displs(ranks))
    do i = 1, ranks
      counts(i) = 1
      displs(i) = i - 1
    end do
    call ADCL_Reduce_init(a, b, 5, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, req, ierr); call ok('reduce')
    do n = 1, 30
      a = rank; b = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      if (rank == 0) call expect(all(b == ranks*(ranks - 1)/2), 'reduce')
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Allreduce_init(MPI_IN_PLACE, b, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, req, ierr); call ok('allreduce')
    do n = 1, 30
      b = rank + n
      call ADCL_Request_start(req, ierr); call ok('start')
      call expect(all(b == ranks - 1 + n), 'allreduce in place')
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Alltoall_init(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, req, ierr); call ok('alltoall')
    call again(req, out, in)
    call ADCL_Alltoallv_init(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, req, ierr)
    call ok('alltoallv')
    call again(req, out, in)
    call ADCL_Ialltoall_init(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, req, ierr); call ok('ialltoall')
    call again(req, out, in)
    call ADCL_Allgatherv_init(out, 1, MPI_INTEGER, in, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, req, ierr)
    call ok('allgatherv')
    call gathered(req, out, in)
    call ADCL_Iallgather_init(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, MPI_COMM_WORLD, req, ierr); call ok('iallgather')
    call gathered(req, out, in)
    call ADCL_Ibcast_init(out, ranks, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, req, ierr); call ok('ibcast')
    do n = 1, 30
      out = merge(n, -1, rank == ranks - 1)
      call ADCL_Request_init(req, ierr); call ok('init')
      call ADCL_Request_progress(req, 2, ierr); call ok('progress')
      call ADCL_Request_wait(req, ierr); call ok('wait')
      call expect(all(out == n), 'ibcast')
    end do
    call ADCL_Request_free(req, ierr)
    call ADCL_Ireduce_init(out, in, ranks, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, req, ierr); call ok('ireduce')
    do n = 1, 30
      out = 1; in = 0
      call ADCL_Request_init(req, ierr); call ok('init')
      call ADCL_Request_wait(req, ierr); call ok('wait')
      if (rank == 0) call expect(all(in == ranks), 'ireduce')
    end do
    call ADCL_Request_free(req, ierr); call ok('free')
  end subroutine
  subroutine again(req, out, in)
    integer :: req, out(:), in(:), n, i
    do n = 1, 30
      out = (/(100*rank + i + n, i=0, ranks - 1)/)
      in = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      call expect(all(in == (/(100*i + rank + n, i=0, ranks - 1)/)), 'exchange')
    end do
    call ADCL_Request_free(req, ierr); call ok('free')
  end subroutine
  subroutine gathered(req, out, in)
    integer :: req, out(:), in(:), n, i
    do n = 1, 30
      out(1) = rank*n
      in = -1
      call ADCL_Request_start(req, ierr); call ok('start')
      call expect(all(in == (/(i*n, i=0, ranks - 1)/)), 'gathered')
    end do
    call ADCL_Request_free(req, ierr); call ok('free')
  end subroutine

  subroutine topologies()
    integer :: cart, topo, nneigh, dims(2), left(8), right(8), flip(8), vec, req, i, j, n, di, dj, other, at(2), me(2)
    logical :: periods(2)
    integer :: cells(6, 5), rank_, size_, comm
    character(len=32) :: name
    dims = 0
    periods = .true.
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierr)
    call MPI_Cart_coords(cart, rank, 2, me, ierr)
    call ADCL_Topology_get_cart_number_neighbors(2, 0, nneigh, ierr); call ok('number')
    call expect(nneigh == 2, 'neighbours of a grid')
    call ADCL_Topology_get_cart_neighbors(nneigh, left, right, flip, cart, ierr); call ok('neighbours')
    call ADCL_Topology_get_cart_number_neighbors(2, 1, nneigh, ierr); call ok('number')
    call expect(nneigh == 4, 'neighbours with corners')
    call ADCL_Topology_get_cart_neighbors(nneigh, left, right, flip, cart, ierr); call ok('neighbours')
    call ADCL_Topology_create_extended(cart, topo, ierr); call ok('extended')
    call ADCL_Topology_dump(topo, ierr); call ok('dump')
    call ADCL_Vector_register(2, (/6, 5/), 1, MPI_INTEGER, cells, vec, ierr); call ok('the paper''s vector')
    call ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, req, ierr); call ok('request')
    call ADCL_Request_get_comm(req, comm, rank_, size_, ierr); call ok('comm')
    call expect(rank_ == rank .and. size_ == ranks, 'its comm')
    call ADCL_Request_get_fsname(req, name, ierr); call ok('fsname')
    call expect(name /= ' ', 'its name')
    do n = 1, 60
      cells = -1
      cells(2:5, 2:4) = 10*rank + n
      call ADCL_Request_start(req, ierr); call ok('start')
      do di = -1, 1
        do dj = -1, 1
          at = me + (/di, dj/)
          call MPI_Cart_rank(cart, at, other, ierr)
          i = merge(1, merge(6, 3, di == 1), di == -1)
          j = merge(1, merge(5, 3, dj == 1), dj == -1)
          call expect(cells(i, j) == 10*other + n, 'a corner or an edge')
        end do
      end do
    end do
    call ADCL_Request_free(req, ierr); call ok('free')
    call ADCL_Vector_deregister(vec, ierr)
    call ADCL_Topology_free(topo, ierr); call ok('free')
  end subroutine

  subroutine overlap()
    external begin_it, end_it, all_of_it, middle, last, whole
    integer :: functions(2), set, req, topo, i, mids, ends, totals
    common /counts/ mids, ends, totals
    mids = 0; ends = 0; totals = 0
    call ADCL_Topology_create_generic(0, 0, (/0/), (/0/), (/0/), (/0/), ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, topo, ierr)
    call ADCL_Function_create_async(begin_it, end_it, ADCL_ATTRSET_NULL, (/0/), 'two parts', functions(1), ierr); call ok('async')
    call ADCL_Function_create(all_of_it, ADCL_ATTRSET_NULL, (/0/), 'one part', functions(2), ierr); call ok('function')
    call ADCL_Fnctset_create(2, functions, 'overlapping', set, ierr); call ok('set')
    call ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, req, ierr); call ok('request')
    do i = 1, 60
      call ADCL_Request_start_overlap(req, middle, last, whole, ierr); call ok('overlap')
    end do
    call expect(mids == ends .and. mids + totals == 60 .and. mids > 0 .and. totals > 0, 'the parts')
    call without_functions(req)
    call expect(mids == 0 .and. totals == 0, 'parts that there are not')
    call ADCL_Request_free(req, ierr); call ok('free')
    call ADCL_Fnctset_free(set, ierr); call ok('free set')
    call ADCL_Topology_free(topo, ierr); call ok('free')
  end subroutine

  subroutine status()
    external quick, slow
    integer :: functions(2), set, req, other, topo, i, tested, winner, state
    double precision :: means(8), filtered(8), outliers(8), f, u, o
    call ADCL_Topology_create_generic(0, 0, (/0/), (/0/), (/0/), (/0/), ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, topo, ierr)
    call ADCL_Function_create(slow, ADCL_ATTRSET_NULL, (/0/), 'slow', functions(1), ierr); call ok('function')
    call ADCL_Function_create(quick, ADCL_ATTRSET_NULL, (/0/), 'quick', functions(2), ierr); call ok('function')
    call ADCL_Fnctset_create(2, functions, 'status', set, ierr); call ok('set')
    call ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, req, ierr); call ok('request')
    call ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, other, ierr); call ok('request')
    do i = 1, 40
      call ADCL_Request_start(req, ierr); call ok('start')
    end do
    call ADCL_Request_save_status(req, tested, means, filtered, outliers, winner, ierr); call ok('save')
    call expect(tested == 2 .and. winner == 1, 'what was saved')
    call expect(abs(filtered(2) - 1d-3) < 1d-9, 'the mean that was saved')
    call ADCL_Request_restore_status(other, tested, means, filtered, outliers, ierr); call ok('restore')
    call ADCL_Request_start(other, ierr); call ok('start')
    call ADCL_Request_get_state(other, state, ierr)
    do i = 1, 5
      call ADCL_Request_start(other, ierr); call ok('start')
    end do
    call ADCL_Request_get_winner_stat(other, f, u, o, ierr); call ok('winner')
    call expect(abs(f - 1d-3) < 1d-9, 'the winner')
    call ADCL_Request_free(req, ierr)
    call ADCL_Request_free(other, ierr)
    call ADCL_Fnctset_free(set, ierr)
    call ADCL_Topology_free(topo, ierr)
  end subroutine

  subroutine timers()
    external quick, slow
    integer :: functions(2), set, reqs(2), topo, timer, i, state
    call ADCL_Topology_create_generic(0, 0, (/0/), (/0/), (/0/), (/0/), ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, topo, ierr)
    call ADCL_Function_create(slow, ADCL_ATTRSET_NULL, (/0/), 'slow', functions(1), ierr)
    call ADCL_Function_create(quick, ADCL_ATTRSET_NULL, (/0/), 'quick', functions(2), ierr)
    call ADCL_Fnctset_create(2, functions, 'timed', set, ierr)
    do i = 1, 2
      call ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, reqs(i), ierr)
    end do
    call ADCL_Timer_create(1, reqs, timer, ierr); call ok('timer')
    call ADCL_Timer_add_request(timer, reqs(2), ierr); call ok('add')
    call ADCL_Timer_commit(timer, ierr); call ok('commit')
    do i = 1, 60
      call ADCL_Timer_start(timer, ierr); call ok('timer start')
      call ADCL_Request_start(reqs(1), ierr)
      call ADCL_Request_start(reqs(2), ierr)
      call ADCL_Timer_stop(timer, ierr); call ok('timer stop')
    end do
    call ADCL_Timer_remove_request(timer, reqs(2), ierr); call ok('remove')
    call ADCL_Request_free(reqs(2), ierr); call ok('free')
    call ADCL_Timer_free(timer, ierr); call ok('timer free')
    call expect(timer == ADCL_TIMER_NULL, 'null timer')
    call ADCL_Request_free(reqs(1), ierr); call ok('free')
    call ADCL_Fnctset_free(set, ierr)
    call ADCL_Topology_free(topo, ierr)
  end subroutine
end program

subroutine quick(req)
  integer :: req, ierr
  call ADCL_Request_update(req, 1d-3, ierr)
end subroutine
subroutine slow(req)
  integer :: req, ierr
  call ADCL_Request_update(req, 2d-3, ierr)
end subroutine
subroutine begin_it(req)
  integer :: req
end subroutine
subroutine end_it(req)
  integer :: req
end subroutine
subroutine all_of_it(req)
  integer :: req
end subroutine
subroutine middle(req)
  integer :: req, mids, ends, totals
  common /counts/ mids, ends, totals
  mids = mids + 1
end subroutine
subroutine last(req)
  integer :: req, mids, ends, totals
  common /counts/ mids, ends, totals
  ends = ends + 1
end subroutine
subroutine whole(req)
  integer :: req, mids, ends, totals
  common /counts/ mids, ends, totals
  totals = totals + 1
end subroutine

! An integer stands for a subroutine that there is not.
subroutine without_functions(req)
  implicit none
  include 'ADCL.inc'
  external last
  integer :: req, ierr, i, mids, ends, totals, faults, rank
  common /c/ faults, rank
  common /counts/ mids, ends, totals
  mids = 0; ends = 0; totals = 0
  do i = 1, 60
    call ADCL_Request_start_overlap(req, ADCL_NULL_FNCT_PTR, last, ADCL_NULL_FNCT_PTR, ierr)
    if (ierr /= ADCL_SUCCESS) faults = faults + 1
  end do
end subroutine
