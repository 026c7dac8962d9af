! The native interface in Fortran: halos in memory of the library's, a set of three functions with two attributes that
! tell their own times, combinations, a function in parts, one that fails on a rank, errors, a timer.
module functions_of_mine
  use mpi
  use starling
  implicit none
  integer :: rank, ranks, failing_rank = -1, begun = 0, asked = 0, ended = 0
contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ierror
    if (good) return
    write (0, '(a, i0, 5a)') 'rank ', rank, ': ', what, ' (', starling_error_detail(), ')'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  subroutine is(code, wanted, what)
    integer(c_int), intent(in) :: code, wanted
    character(len=*), intent(in) :: what
    call expect(code == wanted, what//' returned: '//starling_error_text(code))
  end subroutine

  ! The slowest is the first one: a = 1, b = 3; 'fast' has a = 1, b = 4.
  integer(c_int) function pass_on(request, context) bind(c)
    type(c_ptr), value :: request, context
    character(len=:), allocatable :: name
    real(c_double) :: seconds
    integer :: comm, here, all, got, ierror, a, b
    call expect(.not. c_associated(context), 'there is a context')
    call is(starling_request_communicator(request, comm, here, all), starling_success, 'communicator')
    call MPI_Sendrecv(here, 1, MPI_INTEGER, mod(here + 1, all), 0, got, 1, MPI_INTEGER, mod(here + all - 1, all), 0, &
                      comm, MPI_STATUS_IGNORE, ierror)
    call expect(got == mod(here + all - 1, all), 'a wrong number came')
    call is(starling_request_function(request, name), starling_success, 'function')
    call is(starling_request_attribute(request, 'a', a), starling_success, 'a')
    call is(starling_request_attribute(request, 'b', b), starling_success, 'b')
    call is(starling_request_attribute(request, 'colour', b), starling_error_attribute, 'no such attribute')
    call is(starling_request_attribute(request, 'b', b), starling_success, 'b')
    seconds = merge(1e-3_c_double, merge(3e-3_c_double, 2e-3_c_double, a == 1), a == 1 .and. b == 4)
    call is(starling_request_update(request, seconds), starling_success, 'update')
    pass_on = merge(42, 0, name == 'fast' .and. here == failing_rank)
  end function

  integer(c_int) function begin_work(request, context) bind(c)
    type(c_ptr), value :: request, context
    begun = begun + 1
    begin_work = merge(0, 1, c_associated(request) .and. .not. c_associated(context))
  end function

  integer(c_int) function advance(request, context) bind(c)
    type(c_ptr), value :: request, context
    asked = asked + 1
    advance = merge(0, 1, c_associated(request) .and. .not. c_associated(context))
  end function

  integer(c_int) function end_work(request, context) bind(c)
    type(c_ptr), value :: request, context
    ended = ended + 1
    end_work = merge(0, 1, c_associated(request) .and. .not. c_associated(context))
  end function
end module

program patterns_fortran
  use functions_of_mine
  implicit none
  type(c_ptr) :: attributes(2), attribute, set, functions(3), pattern, request, requests(2), timer, freed
  character(len=:), allocatable :: winner
  real(c_double) :: mean, filtered
  integer(c_int) :: outliers, exploring, complete, code
  integer :: ierror, i, failures
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call halos

  call is(starling_attribute_create('a', [1, 2], attributes(1), ['one', 'two']), 0, 'attribute')
  call is(starling_attribute_create('a', [1, 2], attribute, ['one']), starling_error_argument, 'a name for two values')
  call is(starling_attribute_create('b', [3, 4], attributes(2)), 0, 'attribute')
  call is(starling_attribute_set_create(2, attributes, set), 0, 'attribute set')
  call is(starling_function_create('slow', pass_on, c_null_ptr, set, [1, 3], functions(1)), 0, 'function')
  call is(starling_function_create('fast', pass_on, c_null_ptr, set, [1, 4], functions(2)), 0, 'function')
  call is(starling_function_create('medium', pass_on, c_null_ptr, set, [2, 3], functions(3)), 0, 'function')
  call is(starling_function_set_create('in Fortran', functions, pattern), 0, 'function set')
  call is(starling_request_create(pattern, c_null_ptr, c_null_ptr, c_null_ptr, 0, request, 'luck'), &
          starling_error_strategy, 'no such strategy')
  call create(request)
  call is(starling_request_winner(request, winner), starling_error_undecided, 'an early winner')
  call is(starling_request_wait(request), starling_error_state, 'a wait without an init')
  do i = 1, 100
    call is(starling_request_start(request), 0, 'start')
  end do
  call is(starling_request_exploring(request, exploring), 0, 'exploring')
  call expect(exploring == 0, 'functions are still tried')
  call check_winner('fast')
  call is(starling_request_figures(request, 'medium', mean, filtered, outliers), 0, 'figures')
  call expect(abs(mean - 2e-3) < 1e-6 .and. abs(filtered - 2e-3) < 1e-6 .and. outliers == 0, 'wrong figures')
  call is(starling_request_figures(request, 'quick', mean, filtered, outliers), starling_error_function, 'no such')
  freed = request
  call is(starling_request_free(request), 0, 'freeing a request')
  call is(starling_request_start(freed), starling_error_handle, 'a start of a freed request')

  failing_rank = ranks - 1
  failures = 0
  call create(request)
  do i = 1, 100
    code = starling_request_start(request)
    if (code /= 0) call is(code, starling_error_failed, 'a failing function')
    failures = failures + merge(1, 0, code /= 0)
  end do
  call expect((failures > 0) .eqv. (rank == failing_rank), 'errors on the wrong rank')
  call check_winner('medium')
  call is(starling_request_free(request), 0, 'freeing a request')
  failing_rank = -1

  call create(requests(1))
  call create(requests(2))
  call is(starling_timer_create(1, requests, timer), 0, 'timer')
  call is(starling_timer_add(timer, requests(2)), 0, 'adding a request')
  call is(starling_timer_stop(timer), starling_error_state, 'a stop before a start')
  do i = 1, 5
    call is(starling_timer_start(timer), 0, 'start of a section')
    call is(starling_request_start(requests(1)), 0, 'start')
    call is(starling_request_start(requests(2)), 0, 'start')
    call is(starling_timer_stop(timer), 0, 'end of a section')
  end do
  call is(starling_timer_remove(timer, requests(1)), 0, 'removing a request')
  call is(starling_timer_free(timer), 0, 'freeing a timer')
  do i = 1, 2
    call is(starling_request_free(requests(i)), 0, 'freeing a request')
  end do
  call is(starling_function_set_free(pattern), 0, 'freeing a set')

  call is(starling_function_set_combinations('combined', pass_on, c_null_ptr, set, reshape([1, 4, 1, 3], [2, 2]), &
                                             pattern), 0, 'combinations')
  call create(request)
  do i = 1, 100
    call is(starling_request_start(request), 0, 'start')
  end do
  call is(starling_request_figures(request, 'combined.two.4', mean, filtered, outliers), 0, 'a combination')
  call is(starling_request_figures(request, 'combined.one.4', mean, filtered, outliers), starling_error_function, &
          'one that is excluded')
  call is(starling_request_free(request), 0, 'freeing a request')
  call is(starling_function_set_free(pattern), 0, 'freeing a set')

  call is(starling_function_split('parts', begin_work, end_work, c_null_ptr, c_null_ptr, [0], functions(1), advance), &
          0, 'function in parts')
  call is(starling_function_set_create('parts', functions(1:1), pattern), 0, 'function set')
  call create(request)
  do i = 1, 3
    call is(starling_request_init(request), 0, 'init')
    call is(starling_request_init(request), starling_error_state, 'a second init')
    call is(starling_request_progress(request, complete), 0, 'progress')
    call is(starling_request_wait(request), 0, 'wait')
  end do
  call expect(begun == 3 .and. ended == 3 .and. asked >= 3, 'parts were not called')
  call is(starling_request_free(request), 0, 'freeing a request')
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize(ierror)
contains
  subroutine create(made)
    type(c_ptr), intent(out) :: made
    call is(starling_request_create(pattern, c_null_ptr, c_null_ptr, c_null_ptr, 0, made, 'brute-force'), 0, 'request')
  end subroutine

  subroutine check_winner(wanted)
    character(len=*), intent(in) :: wanted
    call is(starling_request_winner(request, winner), 0, 'winner')
    call expect(winner == wanted, 'the winner is '//winner)
  end subroutine

  subroutine halos
    integer(c_int), allocatable :: sources(:), targets(:)
    type(c_ptr) :: topology, halo, vector, data, halos_set, exchange
    real(c_double), pointer :: cells(:, :)
    integer :: cart, left, right, start
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., cart, ierror)
    call MPI_Cart_shift(cart, 0, 1, left, right, ierror)
    call is(starling_topology_cartesian(MPI_COMM_WORLD, 0, topology), starling_error_communicator, 'no grid')
    call is(starling_topology_cartesian(cart, 0, topology), 0, 'topology')
    call is(starling_topology_neighbours(topology, sources, targets), 0, 'neighbours')
    call expect(all(sources == [left, right]) .and. all(targets == [left, right]), 'wrong neighbours')
    call is(starling_map_halo(2, halo), 0, 'halo')
    call is(starling_vector_allocate(1, [5], 2, halo, MPI_DOUBLE_PRECISION, starling_order_fortran, data, vector), &
            starling_error_halo, 'a halo wider than the block')
    call is(starling_vector_allocate(0, [5], 2, halo, MPI_DOUBLE_PRECISION, starling_order_fortran, data, vector), &
            starling_error_dimensions, 'no dimensions')
    call is(starling_vector_allocate(1, [7], 2, halo, MPI_DOUBLE_PRECISION, starling_order_fortran, data, vector), 0, &
            'vector')
    call c_f_pointer(data, cells, [7, 2])
    call is(starling_function_set_predefined('neighborhood', halos_set), 0, 'set of halos')
    call is(starling_request_create(halos_set, topology, vector, vector, 0, exchange, 'brute-force'), 0, 'request')
    do start = 1, 60
      cells = -1
      cells(3:5, 1) = [1, 2, 3] + 10 * rank + 1000 * start
      cells(3:5, 2) = -cells(3:5, 1)
      call is(starling_request_start(exchange), 0, 'start')
      call expect(all(cells(1:2, 1) == [2, 3] + 10 * left + 1000 * start), 'a wrong left halo')
      call expect(all(cells(6:7, 1) == [1, 2] + 10 * right + 1000 * start), 'a wrong right halo')
      call expect(all(cells(:, 2) == -cells(:, 1)), 'a wrong second value')
    end do
    call is(starling_request_free(exchange), 0, 'freeing a request')
    call is(starling_vector_free(vector), 0, 'freeing a vector')
    call is(starling_map_free(halo), 0, 'freeing a map')
    call is(starling_topology_free(topology), 0, 'freeing a topology')
    call MPI_Comm_free(cart, ierror)
  end subroutine
end program
