! The solver of solver.c, in Fortran. It prints the same line of JSON.
!   mpifort -O2 $(starling config --module) solver.f90 $(starling config --flags) -o solver
!   mpirun -n 8 ./solver 32 32 32 700
module mesh
  use, intrinsic :: iso_c_binding
  use mpi
  use starling
  implicit none
  integer :: points(3)                                          ! a rank
  real(c_double), allocatable, target :: u(:, :, :)             ! with a halo of one point on each side
  real(c_double), allocatable :: residual(:, :, :)              ! likewise
contains
  ! The residuals of the points first..last in one plane.
  subroutine compute_plane(z, first, last)
    integer, intent(in) :: z, first(3), last(3)
    integer :: x, y
    do y = first(2), last(2)
      do x = first(1), last(1)
        residual(x, y, z) = 1 - 6*u(x, y, z) + (u(x - 1, y, z) + u(x + 1, y, z)) &
                            + (u(x, y - 1, z) + u(x, y + 1, z)) + (u(x, y, z - 1) + u(x, y, z + 1))
      end do
    end do
  end subroutine

  ! What needs no halo, while messages are on their way.
  subroutine compute_inside(exchange)
    type(c_ptr), intent(in) :: exchange
    integer :: z, complete
    do z = 2, points(3) - 1
      call compute_plane(z, [2, 2, 2], points - 1)
      call require(starling_request_progress(exchange, complete))
    end do
  end subroutine

  ! The points beside halos: two layers in each dimension, without the points of the dimensions before it.
  subroutine compute_outside()
    integer :: first(3), last(3), layers(2), dimension, i, z
    first = 1
    last = points
    do dimension = 3, 1, -1
      layers = [1, points(dimension)]
      do i = 1, 2
        first(dimension) = layers(i)
        last(dimension) = layers(i)
        do z = first(3), last(3)
          call compute_plane(z, first, last)
        end do
      end do
      first(dimension) = 2
      last(dimension) = points(dimension) - 1
    end do
  end subroutine

  ! Adds a sixth of the residuals to the solution, and returns the sum of their squares.
  real(c_double) function update()
    integer :: x, y, z
    update = 0
    do z = 1, points(3)
      do y = 1, points(2)
        do x = 1, points(1)
          u(x, y, z) = u(x, y, z) + residual(x, y, z)/6
          update = update + residual(x, y, z)*residual(x, y, z)
        end do
      end do
    end do
  end function

  subroutine require(code)
    integer(c_int), intent(in) :: code
    integer :: ierror
    if (code == starling_success) return
    write (0, '(a)') 'solver: '//starling_error_text(code)//': '//starling_error_detail()
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  ! Argument number i as a positive number; 0 where it is none.
  integer function number(i)
    integer, intent(in) :: i
    character(len=20) :: text
    integer :: status
    call get_command_argument(i, text)
    read (text, *, iostat=status) number
    if (status /= 0 .or. number < 1) number = 0
  end function
end module

program solver
  use mesh
  implicit none
  type(c_ptr) :: topology, halo, vector, halos, exchange, iteration
  character(len=:), allocatable :: implementation
  character(len=200) :: strategy
  real(c_double), allocatable :: ends(:), slowest(:), sums(:)
  real(c_double) :: total, start
  integer :: rank, ranks, ierror, grid, iterations, processes(3), i
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  points = [(number(i), i=1, 3)]
  iterations = number(4)
  if (any(points == 0) .or. iterations == 0 .or. command_argument_count() > 5) then
    if (rank == 0) write (0, '(a)') 'usage: solver X Y Z ITERATIONS [STRATEGY], points a rank: solver 32 32 32 700'
    call MPI_Finalize(ierror)
    stop 2
  end if
  strategy = ''
  call get_command_argument(5, strategy)

  processes = 0
  call MPI_Dims_create(ranks, 3, processes, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, processes, [.false., .false., .false.], .false., grid, ierror)
  allocate (u(0:points(1) + 1, 0:points(2) + 1, 0:points(3) + 1), source=0.0_c_double)
  allocate (residual(0:points(1) + 1, 0:points(2) + 1, 0:points(3) + 1), source=0.0_c_double)
  allocate (ends(0:iterations), slowest(0:iterations), sums(ranks))

  call require(starling_topology_cartesian(grid, 0, topology))
  call require(starling_map_halo(1, halo))
  call require(starling_vector_register(3, points + 2, 0, halo, MPI_DOUBLE_PRECISION, starling_order_fortran, &
                                        c_loc(u), vector))
  call require(starling_function_set_predefined('neighborhood', halos))
  if (strategy == '') then
    call require(starling_request_create(halos, topology, vector, vector, 0, exchange))
  else
    call require(starling_request_create(halos, topology, vector, vector, 0, exchange, trim(strategy)))
  end if
  call require(starling_timer_create(1, [exchange], iteration))

  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  ends(0) = 0
  start = MPI_Wtime()
  do i = 1, iterations
    call require(starling_timer_start(iteration))
    call require(starling_request_init(exchange))
    call compute_inside(exchange)
    call require(starling_request_wait(exchange))
    call compute_outside()
    call require(starling_timer_stop(iteration))
    total = update()
    ends(i) = MPI_Wtime() - start
  end do

  call MPI_Gather(total, 1, MPI_DOUBLE_PRECISION, sums, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  call MPI_Reduce(ends, slowest, iterations + 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    total = 0
    do i = 1, ranks
      total = total + sums(i)
    end do
    call require(starling_request_function(exchange, implementation))
    write (*, '(a, i0, 2(a, i0, a, i0, a, i0), a, es21.15, 3a, es15.9, a)', advance='no') &
      '{"program": "solver", "ranks": ', ranks, ', "processes": [', processes(1), ', ', processes(2), ', ', &
      processes(3), '], "points": [', points(1), ', ', points(2), ', ', points(3), '], "residual": ', &
      sqrt(total/(real(ranks, c_double)*points(1)*points(2)*points(3))), ', "implementation": "', implementation, &
      '", "seconds": ', slowest(iterations), ', "iteration_seconds": ['
    write (*, '(*(es12.6, :, ", "))', advance='no') slowest(1:) - slowest(:iterations - 1)
    write (*, '(a)') ']}'
  end if
  call require(starling_timer_free(iteration))
  call require(starling_request_free(exchange))
  call require(starling_vector_free(vector))
  call require(starling_topology_free(topology))
  call MPI_Comm_free(grid, ierror)
  call MPI_Finalize(ierror)
end program
