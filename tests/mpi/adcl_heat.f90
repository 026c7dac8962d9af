! A heat equation, written for ADCL as a stranger would: halos of 2 and 3 dimensions that are in progress at the same
! time, a timer over both, a function set with an attribute, and a collective.
module ways
  implicit none
  include 'mpif.h'
  include 'ADCL_constants.inc'
  integer, parameter :: n = 6, steps = 60
  integer :: values_in(n), values_out(n), calls = 0
contains
  subroutine ring_both(req)
    integer :: req, comm, me, np, ierr, left, right
    call ADCL_Request_get_comm(req, comm, me, np, ierr)
    right = mod(me + 1, np); left = mod(me - 1 + np, np)
    call MPI_Sendrecv(values_in, n, MPI_INTEGER, right, 1, values_out, n, MPI_INTEGER, left, 1, comm, MPI_STATUS_IGNORE, ierr)
    calls = calls + 1
  end subroutine
  subroutine ring_posted(req)
    integer :: req, comm, me, np, ierr, reqs(2)
    call ADCL_Request_get_comm(req, comm, me, np, ierr)
    call MPI_Irecv(values_out, n, MPI_INTEGER, mod(me - 1 + np, np), 1, comm, reqs(1), ierr)
    call MPI_Isend(values_in, n, MPI_INTEGER, mod(me + 1, np), 1, comm, reqs(2), ierr)
    call MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE, ierr)
    calls = calls + 1
  end subroutine
end module

program heat
  use ways
  implicit none
  integer :: ierr, rank, np, comm2, comm3, dims2(2), dims3(3), it, i, j, k, lo, hi
  logical :: per2(2) = (/ .true., .true. /), per3(3) = (/ .true., .false., .true. /)
  integer :: vmap, vmap3, vec2, vec3, topo2, topo3, req2, req3, timer, reqs(2)
  integer :: attrs(1), set, fncts(2), fnctset, rreq, areq, v1(1), v2(1), names_val(2), d2(2), d3(3), state, nd
  double precision :: u(0:5, 0:4), w(4, 6, 7, 5), a(3), b(3)
  character(len=8) :: vnames(2)
  call MPI_Init(ierr); call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr); call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  call ADCL_Init(ierr); call ok(ierr, 1)
  dims2 = 0; dims3 = 0
  call MPI_Dims_create(np, 2, dims2, ierr); call MPI_Dims_create(np, 3, dims3, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims2, per2, .false., comm2, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dims3, per3, .false., comm3, ierr)
  call ADCL_Topology_create(comm2, topo2, ierr); call ok(ierr, 2)
  call ADCL_Topology_create(comm3, topo3, ierr); call ok(ierr, 3)
  call ADCL_Vmap_halo_allocate(1, vmap, ierr); call ok(ierr, 4)
    d2 = (/ 6, 5 /); call ADCL_Vector_register_generic(2, d2, 0, vmap, MPI_DOUBLE_PRECISION, u, vec2, ierr); call ok(ierr, 5)
  call ADCL_Vmap_halo_allocate(1, vmap3, ierr)
  d3 = (/ 4, 6, 7 /); call ADCL_Vector_register_generic(3, d3, 5, vmap3, MPI_DOUBLE_PRECISION, w, vec3, ierr); call ok(ierr, 6)
  call ADCL_Request_create(vec2, topo2, ADCL_FNCTSET_NEIGHBORHOOD, req2, ierr); call ok(ierr, 7)
  call ADCL_Request_create(vec3, topo3, ADCL_FNCTSET_NEIGHBORHOOD, req3, ierr); call ok(ierr, 8)
  reqs = (/ req2, req3 /); call ADCL_Timer_create(2, reqs, timer, ierr); call ok(ierr, 9)
  names_val = (/ 1, 2 /); vnames = (/ 'both    ', 'posted  ' /)
  call ADCL_Attribute_create(2, names_val, vnames, 'how', attrs(1), ierr); call ok(ierr, 10)
  call ADCL_Attrset_create(1, attrs, set, ierr); call ok(ierr, 11)
  v1 = 1; call ADCL_Function_create(ring_both, set, v1, 'ring_both', fncts(1), ierr); call ok(ierr, 12)
  v2 = 2; call ADCL_Function_create(ring_posted, set, v2, 'ring_posted', fncts(2), ierr); call ok(ierr, 13)
  call ADCL_Fnctset_create(2, fncts, 'ring', fnctset, ierr); call ok(ierr, 14)
  call ADCL_Request_create(ADCL_VECTOR_NULL, topo2, fnctset, rreq, ierr); call ok(ierr, 15)
  call ADCL_Allreduce_init(a, b, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, areq, ierr); call ok(ierr, 16)
  do it = 1, steps
    u = -1; u(1:4, 1:3) = rank + it
    w = -1; w(2:3, 2:5, 2:6, :) = rank
    do i = 1, 5; w(2:3, 2:5, 2:6, i) = rank + 1000 * i; end do
    call ADCL_Timer_start(timer, ierr); call ok(ierr, 17)
    call ADCL_Request_init(req2, ierr); call ok(ierr, 18)
    call ADCL_Request_start(req3, ierr); call ok(ierr, 19)
    call ADCL_Request_wait(req2, ierr); call ok(ierr, 20)
    call ADCL_Timer_stop(timer, ierr); call ok(ierr, 21)
    call MPI_Cart_shift(comm2, 0, 1, lo, hi, ierr)
    call same(u(0, 2), dble(lo + it), 1); call same(u(5, 2), dble(hi + it), 2)
    call MPI_Cart_shift(comm2, 1, 1, lo, hi, ierr)
    call same(u(2, 0), dble(lo + it), 3); call same(u(2, 4), dble(hi + it), 4)
    do k = 0, 2
      call MPI_Cart_shift(comm3, k, 1, lo, hi, ierr)
      do i = 1, 5
        if (k == 0) then; a(1) = w(1, 3, 3, i); a(2) = w(4, 3, 3, i); end if
        if (k == 1) then; a(1) = w(2, 1, 3, i); a(2) = w(2, 6, 3, i); end if
        if (k == 2) then; a(1) = w(2, 3, 1, i); a(2) = w(2, 3, 7, i); end if
        if (lo /= MPI_PROC_NULL) then; call same(a(1), dble(lo + 1000 * i), 10 + k); else; call same(a(1), -1d0, 20 + k); end if
        if (hi /= MPI_PROC_NULL) then; call same(a(2), dble(hi + 1000 * i), 30 + k); else; call same(a(2), -1d0, 40 + k); end if
      end do
    end do
    do i = 1, n; values_in(i) = 10 * rank + i + it; end do
    call ADCL_Request_start(rreq, ierr); call ok(ierr, 22)
    call same(dble(values_out(n)), dble(10 * mod(rank - 1 + np, np) + n + it), 50)
    a = (/ 1, 2, rank /); call ADCL_Request_start(areq, ierr); call ok(ierr, 23)
    call same(b(3), dble(np * (np - 1) / 2), 51)
  end do
  call ADCL_Request_get_state(req2, state, ierr); call ok(ierr, 24)
  call ADCL_Request_get_tndims(req3, nd, ierr); call ok(ierr, 25); call same(dble(nd), 3d0, 60)
  call same(dble(calls), dble(steps), 61)
  call ADCL_Timer_free(timer, ierr); call ok(ierr, 30)
  call ADCL_Request_free(req2, ierr); call ok(ierr, 31); call ADCL_Request_free(req3, ierr); call ok(ierr, 32)
  call ADCL_Request_free(rreq, ierr); call ok(ierr, 33); call ADCL_Request_free(areq, ierr); call ok(ierr, 34)
  call ADCL_Fnctset_free(fnctset, ierr); call ok(ierr, 35)
  call ADCL_Function_free(fncts(1), ierr); call ok(ierr, 36); call ADCL_Function_free(fncts(2), ierr)
  call ADCL_Attrset_free(set, ierr); call ok(ierr, 37); call ADCL_Attribute_free(attrs(1), ierr); call ok(ierr, 38)
  call ADCL_Vector_deregister(vec2, ierr); call ok(ierr, 39); call ADCL_Vector_deregister(vec3, ierr); call ok(ierr, 40)
  call ADCL_Vmap_free(vmap, ierr); call ok(ierr, 41); call ADCL_Vmap_free(vmap3, ierr)
  call ADCL_Topology_free(topo2, ierr); call ok(ierr, 42); call ADCL_Topology_free(topo3, ierr); call ok(ierr, 43)
  call ADCL_Finalize(ierr); call ok(ierr, 44)
  if (rank == 0) print '(a)', '0 faults'
  call MPI_Finalize(ierr)
contains
  subroutine ok(code, where)
    integer :: code, where, e
    if (code /= 0) then; print *, 'rank', rank, 'step', where, 'code', code; call MPI_Abort(MPI_COMM_WORLD, 1, e); end if
  end subroutine
  subroutine same(x, y, where)
    double precision :: x, y; integer :: where, e
    if (x /= y) then; print *, 'rank', rank, 'check', where, x, y; call MPI_Abort(MPI_COMM_WORLD, 2, e); end if
  end subroutine
end program
