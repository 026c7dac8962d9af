! Written as programs for ADCL are, in Fortran: halos of arrays in Fortran's order with values per point, a set of three
! functions with two attributes that tell their own times, a set of one function for all combinations, a timer,
! collectives.
program adcl_fortran
  implicit none
  include 'ADCL.inc'
  integer :: rank, ranks, ierror, faults, all_faults
  integer :: calls(3)
  common /counters/ calls, faults

  faults = 0
  calls = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call ADCL_Init(ierror)
  call expect(ierror == ADCL_SUCCESS, 'init')
  call check_halo(1)
  call check_halo(3)
  call check_four_dimensions()
  call check_functions()
  call check_single()
  call check_collectives()
  call MPI_Allreduce(faults, all_faults, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0, a)', all_faults, ' faults'
  call ADCL_Finalize(ierror)
  call MPI_Finalize(ierror)
  if (all_faults /= 0) stop 1

contains

  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    faults = faults + 1
    if (faults < 6) write (0, '(a, i0, a, a)') 'rank ', rank, ': wrong: ', what
  end subroutine

  subroutine check_halo(nc)
    integer, intent(in) :: nc
    integer :: cdims(2), dims(2), coords(2), cart, vmap, vec, topo, request
    integer :: i, j, k, n, left, right, down, up, ndims, state
    logical :: periods(2)
    double precision, allocatable :: points(:, :, :)
    character(len=20) :: name, names(3), value_names(3)
    integer :: values(3)
    cdims = 0
    periods = (/.true., .false./)
    call MPI_Dims_create(ranks, 2, cdims, ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, cdims, periods, .false., cart, ierror)
    call MPI_Cart_coords(cart, rank, 2, coords, ierror)
    call MPI_Cart_shift(cart, 0, 1, left, right, ierror)
    call MPI_Cart_shift(cart, 1, 1, down, up, ierror)
    dims = (/5, 6/)
    allocate (points(5, 6, nc))
    call ADCL_Vmap_halo_allocate(1, vmap, ierror)
    call expect(ierror == ADCL_SUCCESS, 'vmap')
    call ADCL_Vector_register_generic(2, dims, nc, vmap, MPI_DOUBLE_PRECISION, points, vec, ierror)
    call expect(ierror == ADCL_SUCCESS, 'vector')
    call ADCL_Topology_create(cart, topo, ierror)
    call expect(ierror == ADCL_SUCCESS, 'topology')
    call ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call expect(ierror == ADCL_SUCCESS, 'request')
    do n = 1, 60
      points = -1
      do k = 1, nc
        do j = 2, 5
          do i = 2, 4
            points(i, j, k) = 1000*rank + 100*k + 10*i + j + n
          end do
        end do
      end do
      if (mod(n, 2) == 0) then
        call ADCL_Request_start(request, ierror)
      else
        call ADCL_Request_init(request, ierror)
        call ADCL_Request_progress(request, 1, ierror)
        call ADCL_Request_wait(request, ierror)
      end if
      call expect(ierror == ADCL_SUCCESS, 'start')
      do k = 1, nc
        do j = 2, 5
          call expect(points(1, j, k) == 1000*left + 100*k + 40 + j + n, 'left halo')
          call expect(points(5, j, k) == 1000*right + 100*k + 20 + j + n, 'right halo')
        end do
        do i = 2, 4
          if (down /= MPI_PROC_NULL) call expect(points(i, 1, k) == 1000*down + 100*k + 10*i + 5 + n, 'lower halo')
          if (up /= MPI_PROC_NULL) call expect(points(i, 6, k) == 1000*up + 100*k + 10*i + 2 + n, 'upper halo')
          if (down == MPI_PROC_NULL) call expect(points(i, 1, k) == -1, 'the end of the grid')
        end do
      end do
    end do
    call ADCL_Request_get_curr_function(request, name, names, ndims, value_names, values, ierror)
    call expect(ierror == ADCL_SUCCESS .and. ndims == 3 .and. len_trim(name) > 5, 'the current function')
    call ADCL_Request_get_tndims(request, ndims, ierror)
    call expect(ndims == 2, 'the dimensions of the topology')
    call ADCL_Request_get_state(request, state, ierror)
    call expect(state == 0 .or. state == 1, 'the state')
    call ADCL_Request_free(request, ierror)
    call expect(ierror == ADCL_SUCCESS .and. request == ADCL_REQUEST_NULL, 'freeing a request')
    call ADCL_Vector_deregister(vec, ierror)
    call ADCL_Vmap_free(vmap, ierror)
    call ADCL_Topology_free(topo, ierror)
    call expect(ierror == ADCL_SUCCESS, 'freeing a topology')
    call MPI_Comm_free(cart, ierror)
  end subroutine

  ! Two values per point of an array of four dimensions: all halos beside faces.
  subroutine check_four_dimensions()
    integer, parameter :: inner(4) = (/2, 3, 2, 4/)
    integer :: cdims(4), dims(4), lower(4), upper(4), at(4), cart, vmap, vec, topo, request, i, j, k, l, v, n, d, from
    logical :: periods(4)
    double precision :: points(4, 5, 4, 6, 2)
    cdims = 0
    periods = .true.
    call MPI_Dims_create(ranks, 4, cdims, ierror)
    call MPI_Cart_create(MPI_COMM_WORLD, 4, cdims, periods, .false., cart, ierror)
    do d = 1, 4
      call MPI_Cart_shift(cart, d - 1, 1, lower(d), upper(d), ierror)
    end do
    dims = inner + 2
    call ADCL_Vmap_halo_allocate(1, vmap, ierror)
    call ADCL_Vector_register_generic(4, dims, 2, vmap, MPI_DOUBLE_PRECISION, points, vec, ierror)
    call expect(ierror == ADCL_SUCCESS, 'a vector of four dimensions')
    call ADCL_Topology_create(cart, topo, ierror)
    call ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call expect(ierror == ADCL_SUCCESS, 'a request of four dimensions')
    do n = 1, 60
      points = -1
      do v = 1, 2
        do l = 2, 5
          do k = 2, 3
            do j = 2, 4
              do i = 2, 3
                points(i, j, k, l, v) = value_at(rank, (/i, j, k, l/), v) + n
              end do
            end do
          end do
        end do
      end do
      call ADCL_Request_start(request, ierror)
      call expect(ierror == ADCL_SUCCESS, 'a start in four dimensions')
      do v = 1, 2
        do l = 1, 6
          do k = 1, 4
            do j = 1, 5
              do i = 1, 4
                at = (/i, j, k, l/)
                if (count(at == 1 .or. at == dims) > 1) cycle
                from = rank
                do d = 1, 4
                  if (at(d) == 1) from = lower(d)
                  if (at(d) == dims(d)) from = upper(d)
                end do
                where (at == 1) at = dims - 1
                where (at == dims) at = 2
                call expect(points(i, j, k, l, v) == value_at(from, at, v) + n, 'a cell of four dimensions')
              end do
            end do
          end do
        end do
      end do
    end do
    call ADCL_Request_free(request, ierror)
    call ADCL_Vector_deregister(vec, ierror)
    call ADCL_Vmap_free(vmap, ierror)
    call ADCL_Topology_free(topo, ierror)
    call MPI_Comm_free(cart, ierror)
  end subroutine

  double precision function value_at(owner, at, v)
    integer, intent(in) :: owner, at(4), v
    value_at = 1d6*owner + 1d5*v + 1d3*at(1) + 1d2*at(2) + 1d1*at(3) + at(4)
  end function

  subroutine check_functions()
    external first, second, third
    integer :: attributes(2), attrset, functions(3), fnctset, topo, request, timer, i, state
    character(len=8) :: names(2)
    double precision :: filtered, mean, outliers
    names = (/'one     ', 'two     '/)
    call ADCL_Attribute_create(2, (/1, 2/), names, 'partners', attributes(1), ierror)
    call expect(ierror == ADCL_SUCCESS, 'attribute')
    names = (/'ddt     ', 'pack    '/)
    call ADCL_Attribute_create(2, (/10, 20/), names, 'handling', attributes(2), ierror)
    call ADCL_Attrset_create(2, attributes, attrset, ierror)
    call ADCL_Function_create(first, attrset, (/1, 10/), 'first', functions(1), ierror)
    call ADCL_Function_create(second, attrset, (/1, 20/), 'second', functions(2), ierror)
    call ADCL_Function_create(third, attrset, (/2, 10/), 'third', functions(3), ierror)
    call expect(ierror == ADCL_SUCCESS, 'function')
    call ADCL_Fnctset_create(3, functions, 'of three', fnctset, ierror)
    call expect(ierror == ADCL_SUCCESS, 'function set')
    call ADCL_Topology_create_generic(0, 0, 0, 0, 0, 0, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, topo, ierror)
    call expect(ierror == ADCL_SUCCESS, 'topology')
    call ADCL_Request_create(ADCL_VECTOR_NULL, topo, fnctset, request, ierror)
    call expect(ierror == ADCL_SUCCESS, 'request')
    do i = 1, 200
      call ADCL_Request_start(request, ierror)
    end do
    call expect(ierror == ADCL_SUCCESS, 'start')
    call ADCL_Request_get_state(request, state, ierror)
    call expect(state == 0, 'functions are still tried')
    call ADCL_Request_get_winner_stat(request, filtered, mean, outliers, ierror)
    call expect(ierror == ADCL_SUCCESS .and. abs(filtered - 1d-3) < 1d-6, 'the winner')
    call expect(calls(2) > 100 .and. calls(1) > 0 .and. calls(3) > 0, 'the calls')
    call ADCL_Request_free(request, ierror)
    call ADCL_Request_create(ADCL_VECTOR_NULL, topo, fnctset, request, ierror)
    call ADCL_Timer_create(1, (/request/), timer, ierror)
    call expect(ierror == ADCL_SUCCESS, 'timer')
    do i = 1, 10
      call ADCL_Timer_start(timer, ierror)
      call ADCL_Request_start(request, ierror)
      call ADCL_Timer_stop(timer, ierror)
    end do
    call expect(ierror == ADCL_SUCCESS, 'timer stop')
    call ADCL_Timer_free(timer, ierror)
    call ADCL_Request_free(request, ierror)
    call ADCL_Topology_free(topo, ierror)
    call ADCL_Fnctset_free(fnctset, ierror)
    do i = 1, 3
      call ADCL_Function_free(functions(i), ierror)
    end do
    call ADCL_Attrset_free(attrset, ierror)
    do i = 1, 2
      call ADCL_Attribute_free(attributes(i), ierror)
    end do
    call expect(ierror == ADCL_SUCCESS, 'freeing')
  end subroutine

  subroutine check_single()
    external single_begin, single_end
    integer :: attributes(2), attrset, fnctset, request, i
    character(len=8) :: names(2)
    character(len=32) :: name
    names = (/'a       ', 'b       '/)
    call ADCL_Attribute_create(2, (/1, 2/), names, 'letter', attributes(1), ierror)
    call ADCL_Attribute_create(2, (/3, 4/), names, 'again', attributes(2), ierror)
    call ADCL_Attrset_create(2, attributes, attrset, ierror)
    call ADCL_Fnctset_create_single(single_begin, single_end, attrset, 'single', (/1, 4/), 1, fnctset, ierror)
    call expect(ierror == ADCL_SUCCESS, 'a set of one function')
    call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_TOPOLOGY_NULL, fnctset, request, ierror)
    do i = 1, 60
      call ADCL_Request_start(request, ierror)
      call expect(ierror == ADCL_SUCCESS, 'a start of one function')
    end do
    call ADCL_Request_get_fsname(request, name, ierror)
    call expect(name == 'single', 'the name of the set')
    call ADCL_Request_free(request, ierror)
    call ADCL_Fnctset_free(fnctset, ierror)
    call expect(ierror == ADCL_SUCCESS, 'freeing a set')
  end subroutine

  subroutine check_collectives()
    integer :: request, i
    integer, volatile :: mine, total  ! a wait changes them
    call ADCL_Allreduce_init(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    call expect(ierror == ADCL_SUCCESS, 'allreduce')
    do i = 1, 20
      mine = rank + i
      call ADCL_Request_start(request, ierror)
      call expect(total == ranks*(ranks - 1)/2 + ranks*i, 'the sum')
    end do
    call ADCL_Request_free(request, ierror)
    call ADCL_Ibcast_init(mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
    do i = 1, 20
      mine = merge(i, -1, rank == 0)
      call ADCL_Request_init(request, ierror)
      call ADCL_Request_wait(request, ierror)
      call expect(mine == i, 'the broadcast')
    end do
    call ADCL_Request_free(request, ierror)
    call expect(ierror == ADCL_SUCCESS, 'freeing a request')
  end subroutine
end program

subroutine tell(request, number, seconds)
  implicit none
  include 'ADCL.inc'
  integer :: request, number, ierror, comm, rank, size
  double precision :: seconds
  integer :: calls(3), faults
  common /counters/ calls, faults
  call ADCL_Request_get_comm(request, comm, rank, size, ierror)
  call MPI_Barrier(comm, ierror)
  if (ierror /= MPI_SUCCESS .or. rank < 0 .or. rank >= size) faults = faults + 1
  calls(number) = calls(number) + 1
  call ADCL_Request_update(request, seconds, ierror)
  if (ierror /= ADCL_SUCCESS) faults = faults + 1
end subroutine

subroutine first(request)
  integer :: request
  call tell(request, 1, 3d-3)
end subroutine

subroutine second(request)
  integer :: request
  call tell(request, 2, 1d-3)
end subroutine

subroutine third(request)
  integer :: request
  call tell(request, 3, 2d-3)
end subroutine

subroutine single_begin(request)
  implicit none
  include 'ADCL.inc'
  integer :: request, ierror, count, values(2)
  character(len=32) :: name, names(2), value_names(2)
  integer :: calls(3), faults
  common /counters/ calls, faults
  call ADCL_Request_get_curr_function(request, name, names, count, value_names, values, ierror)
  if (ierror /= ADCL_SUCCESS .or. count /= 2 .or. (values(1) == 1 .and. values(2) == 4)) faults = faults + 1
  if (names(1) /= 'letter' .or. value_names(1) /= merge('a', 'b', values(1) == 1)) faults = faults + 1
end subroutine

subroutine single_end(request)
  integer :: request
  if (request == 0) stop 2
end subroutine
