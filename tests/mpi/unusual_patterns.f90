! A program in Fortran that an expert may write: three dimensions, with a vector of three values in each cell as a last
! dimension, and one of integers with a wider halo, in one section of a timer; functions that call collectives and keep
! what they need behind their context.
module sums
  use mpi
  use starling
  implicit none
  type :: Account
    integer :: comm = MPI_COMM_NULL, rank = 0, ranks = 0, calls = 0
    double precision :: mine = 0, all = 0
  end type
contains
  subroutine is(code, what)
    integer(c_int), intent(in) :: code
    character(len=*), intent(in) :: what
    integer :: ierror
    if (code == starling_success) return
    write (0, '(6a)') what, ' returned ', starling_error_text(code), ' (', starling_error_detail(), ')'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ierror
    if (good) return
    write (0, '(a)') what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  integer(c_int) function by_allreduce(request, context) bind(c)
    type(c_ptr), value :: request, context
    type(Account), pointer :: its
    integer :: ierror
    call c_f_pointer(context, its)
    call MPI_Allreduce(its%mine, its%all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, its%comm, ierror)
    its%calls = its%calls + 1
    by_allreduce = merge(0, 1, c_associated(request))
  end function

  integer(c_int) function by_gather(request, context) bind(c)
    type(c_ptr), value :: request, context
    type(Account), pointer :: its
    double precision :: parts(64)
    integer :: ierror
    call c_f_pointer(context, its)
    call MPI_Gather(its%mine, 1, MPI_DOUBLE_PRECISION, parts, 1, MPI_DOUBLE_PRECISION, 0, its%comm, ierror)
    its%all = sum(parts(1:its%ranks))
    call MPI_Bcast(its%all, 1, MPI_DOUBLE_PRECISION, 0, its%comm, ierror)
    its%calls = its%calls + 1
    by_gather = merge(0, 1, c_associated(request))
  end function
end module

program unusual_patterns
  use sums
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5, values = 3, wide = 2
  double precision, target :: u(0:nx + 1, 0:ny + 1, 0:nz + 1, values)
  integer, target :: marks(1 - wide:nx + wide, 1 - wide:ny + wide)
  type(Account), target :: total
  type(c_ptr) :: topology, flat, narrow, broad, of_u, of_marks, exchange, marking, timer, functions(2), set, adding, halos
  integer :: provided, ierror, rank, ranks, cube, square, round, i, j, k, v, below, above
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  below = mod(rank + ranks - 1, ranks)
  above = mod(rank + 1, ranks)

  call MPI_Cart_create(MPI_COMM_WORLD, 3, [1, 1, ranks], [.true., .false., .true.], .false., cube, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], [.true., .true.], .false., square, ierror)
  call is(starling_topology_cartesian(cube, 0, topology), 'a topology')
  call is(starling_topology_cartesian(square, 1, flat), 'a topology with corners')
  call is(starling_map_halo(1, narrow), 'a map')
  call is(starling_map_halo(wide, broad), 'a map')
  call is(starling_vector_register(3, [nx + 2, ny + 2, nz + 2], values, narrow, MPI_DOUBLE_PRECISION, &
                                   starling_order_fortran, c_loc(u), of_u), 'a vector')
  call is(starling_vector_register(2, [nx + 2 * wide, ny + 2 * wide], 0, broad, MPI_INTEGER, &
                                   starling_order_fortran, c_loc(marks), of_marks), 'a vector of integers')
  call is(starling_function_set_predefined('neighborhood', halos), 'a set')
  call is(starling_request_create(halos, topology, of_u, of_u, 0, exchange, 'brute-force'), 'a request')
  call is(starling_request_create(halos, flat, of_marks, of_marks, 0, marking, 'attribute:tested'), 'a request')

  call MPI_Comm_dup(MPI_COMM_WORLD, total%comm, ierror)
  total%rank = rank
  total%ranks = ranks
  call is(starling_function_create('allreduce', by_allreduce, c_loc(total), c_null_ptr, [0], functions(1)), 'a function')
  call is(starling_function_create('gather', by_gather, c_loc(total), c_null_ptr, [0], functions(2)), 'a function')
  call is(starling_function_set_create('sums', functions, set), 'a set')
  call is(starling_request_create(set, c_null_ptr, c_null_ptr, c_null_ptr, 0, adding), 'a request')
  call is(starling_timer_create(3, [exchange, marking, adding], timer), 'a timer')

  do round = 1, 700
    u = -1
    marks = -1
    do v = 1, values
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            u(i, j, k, v) = cell(rank, i, j, k, v)
          end do
        end do
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        marks(i, j) = mark(rank, i, j)
      end do
    end do
    total%mine = rank + round
    call is(starling_timer_start(timer), 'the start of a section')
    call is(starling_request_init(exchange), 'an init')
    call is(starling_request_init(marking), 'an init')
    call is(starling_request_start(adding), 'a start')
    call is(starling_request_wait(exchange), 'a wait')
    call is(starling_request_wait(marking), 'a wait')
    call is(starling_timer_stop(timer), 'the end of a section')
    call expect(total%all == ranks * (ranks - 1) / 2 + ranks * round, 'a wrong sum')
    do v = 1, values
      do j = 1, ny
        do i = 1, nx
          call expect(u(i, j, 0, v) == cell(below, i, j, nz, v), 'a wrong cell below')
          call expect(u(i, j, nz + 1, v) == cell(above, i, j, 1, v), 'a wrong cell above')
        end do
      end do
      do k = 1, nz
        do j = 1, ny
          call expect(u(0, j, k, v) == cell(rank, nx, j, k, v), 'a wrong cell on the left')
          call expect(u(nx + 1, j, k, v) == cell(rank, 1, j, k, v), 'a wrong cell on the right')
        end do
      end do
      call expect(all(u(1:nx, 0, 1:nz, v) == -1) .and. all(u(1:nx, ny + 1, 1:nz, v) == -1), 'no neighbour is there')
    end do
    do j = 1 - wide, ny + wide
      do i = 1 - wide, nx + wide
        call expect(marks(i, j) == mark(merge(below, merge(above, rank, i > nx), i < 1), &
                                        1 + modulo(i - 1, nx), 1 + modulo(j - 1, ny)), 'a wrong mark')
      end do
    end do
  end do
  call expect(total%calls == 700, 'a function was not called once for each start')

  call is(starling_timer_free(timer), 'freeing a timer')
  call is(starling_request_free(exchange), 'freeing a request')
  call is(starling_request_free(marking), 'freeing a request')
  call is(starling_request_free(adding), 'freeing a request')
  call is(starling_function_set_free(set), 'freeing a set')
  call is(starling_vector_free(of_u), 'freeing a vector')
  call is(starling_vector_free(of_marks), 'freeing a vector')
  call MPI_Comm_free(cube, ierror)
  call MPI_Comm_free(square, ierror)
  call MPI_Comm_free(total%comm, ierror)
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize(ierror)
contains
  double precision function cell(owner, i, j, k, v)
    integer, intent(in) :: owner, i, j, k, v
    cell = 1d5 * round + 1d4 * owner + 1000 * v + 100 * i + 10 * j + k
  end function

  integer function mark(owner, i, j)
    integer, intent(in) :: owner, i, j
    mark = 10000 * round + 100 * owner + 10 * i + j
  end function
end program
