! Starling's interface to patterns in Fortran: the functions of starling/patterns.h, with the same names and arguments,
! described there. Arrays and texts need no counts; names, strategies and parts of functions that may be left out come
! last. Handles are of type(c_ptr), c_null_ptr is none; communicators, datatypes and operators are the integers of
! `use mpi` or mpif.h. Compile it with the program:
! mpifort $(starling config --module) app.f90 $(starling config --flags)
module starling
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: starling_success = 0, starling_error_argument = 1, starling_error_handle = 2, &
    starling_error_dimensions = 3, starling_error_halo = 4, starling_error_datatype = 5, &
    starling_error_communicator = 6, starling_error_topology = 7, starling_error_attribute = 8, &
    starling_error_function = 9, starling_error_vector = 10, starling_error_state = 11, &
    starling_error_strategy = 12, starling_error_failed = 13, starling_error_mpi = 14, starling_error_memory = 15, &
    starling_error_undecided = 16, starling_error_inactive = 17
  integer(c_int), parameter :: starling_order_c = 0, starling_order_fortran = 1

  abstract interface
    ! A function of a set: returns 0, or the program's own number of an error.
    integer(c_int) function starling_work(request, context) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request, context
    end function
  end interface

  interface
    integer(c_int) function starling_topology_cartesian(cartesian, corners, made) &
        bind(c, name='starling_topology_cartesian_f')
      import :: c_int, c_ptr
      integer(c_int), value :: cartesian, corners
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_topology_grid(dimensions, left, right, coordinates, comm, made) &
        bind(c, name='starling_topology_grid_f')
      import :: c_int, c_ptr
      integer(c_int), value :: dimensions, comm
      integer(c_int), intent(in) :: left(*), right(*), coordinates(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_topology_graph(graph, made) bind(c, name='starling_topology_graph_f')
      import :: c_int, c_ptr
      integer(c_int), value :: graph
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_topology_neighbours_c(topology, sources, source, targets, target) &
        bind(c, name='starling_topology_neighbours')
      import :: c_int, c_ptr
      type(c_ptr), value :: topology
      integer(c_int), intent(out) :: sources, targets
      type(c_ptr), intent(out) :: source, target
    end function
    integer(c_int) function starling_topology_free(topology) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: topology
    end function

    integer(c_int) function starling_map_halo(width, made) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: width
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_all(made) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_list(ranks, counts, displacements, made) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: ranks
      integer(c_int), intent(in) :: counts(*), displacements(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_counts(send, receive, made) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: send, receive
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_operator(op, made) bind(c, name='starling_map_operator_f')
      import :: c_int, c_ptr
      integer(c_int), value :: op
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_in_place(made) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_map_free(map) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: map
    end function

    ! `data` is c_loc of an array with the target attribute; its order is starling_order_fortran.
    integer(c_int) function starling_vector_register(dimensions, extents, values, map, datatype, order, data, made) &
        bind(c, name='starling_vector_register_f')
      import :: c_int, c_ptr
      integer(c_int), value :: dimensions, values, datatype, order
      integer(c_int), intent(in) :: extents(*)
      type(c_ptr), value :: map, data
      type(c_ptr), intent(out) :: made
    end function
    ! c_f_pointer makes an array of `data`.
    integer(c_int) function starling_vector_allocate(dimensions, extents, values, map, datatype, order, data, made) &
        bind(c, name='starling_vector_allocate_f')
      import :: c_int, c_ptr
      integer(c_int), value :: dimensions, values, datatype, order
      integer(c_int), intent(in) :: extents(*)
      type(c_ptr), value :: map
      type(c_ptr), intent(out) :: data, made
    end function
    integer(c_int) function starling_vector_free(vector) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: vector
    end function

    integer(c_int) function starling_attribute_create_c(name, count, values, value_names, made) &
        bind(c, name='starling_attribute_create')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      integer(c_int), intent(in) :: values(*)
      type(c_ptr), value :: value_names
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_attribute_free(attribute) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: attribute
    end function
    integer(c_int) function starling_attribute_set_create(count, attributes, made) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: attributes(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_attribute_set_free(set) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: set
    end function

    integer(c_int) function starling_function_split_c(name, begin, progress, finish, context, set, values, made) &
        bind(c, name='starling_function_split')
      import :: c_int, c_ptr, c_char, c_funptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: begin, progress, finish
      type(c_ptr), value :: context, set
      integer(c_int), intent(in) :: values(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_function_free(function) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: function
    end function
    integer(c_int) function starling_function_set_create_c(name, count, functions, made) &
        bind(c, name='starling_function_set_create')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: functions(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_function_set_combinations_c(name, begin, finish, context, set, excluded_count, &
        excluded, made) bind(c, name='starling_function_set_combinations')
      import :: c_int, c_ptr, c_char, c_funptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: begin, finish
      type(c_ptr), value :: context, set
      integer(c_int), value :: excluded_count
      type(c_ptr), intent(in) :: excluded(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_function_set_predefined_c(name, made) &
        bind(c, name='starling_function_set_predefined')
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_function_set_free(set) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: set
    end function

    integer(c_int) function starling_request_create_c(set, topology, send, receive, root, strategy, made) &
        bind(c, name='starling_request_create')
      import :: c_int, c_ptr
      type(c_ptr), value :: set, topology, send, receive, strategy
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_request_start(request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
    end function
    integer(c_int) function starling_request_init(request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
    end function
    integer(c_int) function starling_request_wait(request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
    end function
    integer(c_int) function starling_request_progress(request, complete) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int), intent(out) :: complete
    end function
    integer(c_int) function starling_request_free(request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: request
    end function
    integer(c_int) function starling_request_communicator(request, comm, rank, ranks) &
        bind(c, name='starling_request_communicator_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int), intent(out) :: comm, rank, ranks
    end function
    integer(c_int) function starling_request_data(request, send, receive) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      type(c_ptr), intent(out) :: send, receive
    end function
    integer(c_int) function starling_request_exploring(request, exploring) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      integer(c_int), intent(out) :: exploring
    end function
    integer(c_int) function starling_request_update(request, seconds) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: request
      real(c_double), value :: seconds
    end function
    integer(c_int) function starling_request_function_c(request, name) bind(c, name='starling_request_function')
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      type(c_ptr), intent(out) :: name
    end function
    integer(c_int) function starling_request_winner_c(request, name) bind(c, name='starling_request_winner')
      import :: c_int, c_ptr
      type(c_ptr), value :: request
      type(c_ptr), intent(out) :: name
    end function
    integer(c_int) function starling_request_attribute_c(request, attribute, value) &
        bind(c, name='starling_request_attribute')
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: attribute(*)
      integer(c_int), intent(out) :: value
    end function
    integer(c_int) function starling_request_figures_c(request, function, mean, filtered, outliers) &
        bind(c, name='starling_request_figures')
      import :: c_int, c_ptr, c_char, c_double
      type(c_ptr), value :: request
      character(kind=c_char), intent(in) :: function(*)
      real(c_double), intent(out) :: mean, filtered
      integer(c_int), intent(out) :: outliers
    end function

    integer(c_int) function starling_timer_create(count, requests, made) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: requests(*)
      type(c_ptr), intent(out) :: made
    end function
    integer(c_int) function starling_timer_add(timer, request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: timer, request
    end function
    integer(c_int) function starling_timer_remove(timer, request) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: timer, request
    end function
    integer(c_int) function starling_timer_start(timer) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: timer
    end function
    integer(c_int) function starling_timer_stop(timer) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: timer
    end function
    integer(c_int) function starling_timer_free(timer) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: timer
    end function

    type(c_ptr) function starling_error_text_c(code) bind(c, name='starling_error_text')
      import :: c_int, c_ptr
      integer(c_int), value :: code
    end function
    type(c_ptr) function starling_error_detail_c() bind(c, name='starling_error_detail')
      import :: c_ptr
    end function
  end interface

contains

  ! A text of C's as one of Fortran's.
  function text_of(text) result(found)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: found
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    interface
      integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
        import :: c_size_t, c_ptr
        type(c_ptr), value :: text
      end function
    end interface
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(len=size(letters)) :: found)
    do i = 1, size(letters)
      found(i:i) = letters(i)
    end do
  end function

  function starling_error_text(code) result(found)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: found
    found = text_of(starling_error_text_c(code))
  end function

  function starling_error_detail() result(found)
    character(len=:), allocatable :: found
    found = text_of(starling_error_detail_c())
  end function

  ! Arrays of the neighbours' ranks, which this rank receives from and sends to.
  integer(c_int) function starling_topology_neighbours(topology, sources, targets)
    type(c_ptr), intent(in) :: topology
    integer(c_int), allocatable, intent(out) :: sources(:), targets(:)
    integer(c_int), pointer :: ranks(:)
    integer(c_int) :: count_sources, count_targets
    type(c_ptr) :: source, target
    starling_topology_neighbours = starling_topology_neighbours_c(topology, count_sources, source, count_targets, &
                                                                  target)
    if (starling_topology_neighbours /= starling_success) return
    allocate (sources(count_sources), targets(count_targets))
    if (count_sources > 0) then
      call c_f_pointer(source, ranks, [count_sources])
      sources = ranks
    end if
    if (count_targets > 0) then
      call c_f_pointer(target, ranks, [count_targets])
      targets = ranks
    end if
  end function

  ! Without names, the values are named by their digits.
  integer(c_int) function starling_attribute_create(name, values, made, value_names)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: values(:)
    type(c_ptr), intent(out) :: made
    character(len=*), intent(in), optional :: value_names(:)
    if (present(value_names)) then
      starling_attribute_create = attribute_with_names(name, values, value_names, made)
    else
      starling_attribute_create = starling_attribute_create_c(trim(name)//c_null_char, size(values), values, &
                                                              c_null_ptr, made)
    end if
  end function

  integer(c_int) function attribute_with_names(name, values, value_names, made)
    character(len=*), intent(in) :: name, value_names(:)
    integer(c_int), intent(in) :: values(:)
    type(c_ptr), intent(out) :: made
    character(kind=c_char, len=len(value_names) + 1), target :: texts(size(value_names))
    type(c_ptr), target :: addresses(max(1, size(value_names)))
    integer :: i
    attribute_with_names = starling_error_argument
    if (size(value_names) /= size(values)) return
    do i = 1, size(values)
      texts(i) = trim(value_names(i))//c_null_char
      addresses(i) = c_loc(texts(i))
    end do
    attribute_with_names = starling_attribute_create_c(trim(name)//c_null_char, size(values), values, &
                                                       c_loc(addresses), made)
  end function

  integer(c_int) function starling_function_create(name, work, context, set, values, made)
    character(len=*), intent(in) :: name
    procedure(starling_work) :: work
    type(c_ptr), intent(in) :: context, set
    integer(c_int), intent(in) :: values(*)
    type(c_ptr), intent(out) :: made
    starling_function_create = starling_function_split_c(trim(name)//c_null_char, c_funloc(work), c_null_funptr, &
                                                         c_null_funptr, context, set, values, made)
  end function

  integer(c_int) function starling_function_split(name, begin, finish, context, set, values, made, progress)
    character(len=*), intent(in) :: name
    procedure(starling_work) :: begin, finish
    type(c_ptr), intent(in) :: context, set
    integer(c_int), intent(in) :: values(*)
    type(c_ptr), intent(out) :: made
    procedure(starling_work), optional :: progress
    type(c_funptr) :: between
    between = c_null_funptr
    if (present(progress)) between = c_funloc(progress)
    starling_function_split = starling_function_split_c(trim(name)//c_null_char, c_funloc(begin), between, &
                                                        c_funloc(finish), context, set, values, made)
  end function

  integer(c_int) function starling_function_set_create(name, functions, made)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: functions(:)
    type(c_ptr), intent(out) :: made
    starling_function_set_create = starling_function_set_create_c(trim(name)//c_null_char, size(functions), &
                                                                  functions, made)
  end function

  ! Without `finish` the work is all done in `begin`. Each column of `excluded` has a value of each attribute.
  integer(c_int) function starling_function_set_combinations(name, begin, context, set, excluded, made, finish)
    character(len=*), intent(in) :: name
    procedure(starling_work) :: begin
    type(c_ptr), intent(in) :: context, set
    integer(c_int), intent(in), target, contiguous :: excluded(:, :)
    type(c_ptr), intent(out) :: made
    procedure(starling_work), optional :: finish
    type(c_ptr) :: columns(max(1, size(excluded, 2)))
    type(c_funptr) :: ending
    integer :: i
    do i = 1, size(excluded, 2)
      columns(i) = c_loc(excluded(1, i))
    end do
    ending = c_null_funptr
    if (present(finish)) ending = c_funloc(finish)
    starling_function_set_combinations = starling_function_set_combinations_c( &
      trim(name)//c_null_char, c_funloc(begin), ending, context, set, size(excluded, 2), columns, made)
  end function

  integer(c_int) function starling_function_set_predefined(name, made)
    character(len=*), intent(in) :: name
    type(c_ptr), intent(out) :: made
    starling_function_set_predefined = starling_function_set_predefined_c(trim(name)//c_null_char, made)
  end function

  integer(c_int) function starling_request_create(set, topology, send, receive, root, made, strategy)
    type(c_ptr), intent(in) :: set, topology, send, receive
    integer(c_int), intent(in) :: root
    type(c_ptr), intent(out) :: made
    character(len=*), intent(in), optional :: strategy
    character(kind=c_char, len=:), allocatable, target :: text
    if (present(strategy)) then
      text = trim(strategy)//c_null_char
      starling_request_create = starling_request_create_c(set, topology, send, receive, root, c_loc(text), made)
    else
      starling_request_create = starling_request_create_c(set, topology, send, receive, root, c_null_ptr, made)
    end if
  end function

  integer(c_int) function starling_request_attribute(request, attribute, value)
    type(c_ptr), intent(in) :: request
    character(len=*), intent(in) :: attribute
    integer(c_int), intent(out) :: value
    starling_request_attribute = starling_request_attribute_c(request, trim(attribute)//c_null_char, value)
  end function

  integer(c_int) function starling_request_figures(request, function, mean, filtered, outliers)
    type(c_ptr), intent(in) :: request
    character(len=*), intent(in) :: function
    real(c_double), intent(out) :: mean, filtered
    integer(c_int), intent(out) :: outliers
    starling_request_figures = starling_request_figures_c(request, trim(function)//c_null_char, mean, filtered, &
                                                          outliers)
  end function

  integer(c_int) function starling_request_function(request, name)
    type(c_ptr), intent(in) :: request
    character(len=:), allocatable, intent(out) :: name
    type(c_ptr) :: text
    starling_request_function = starling_request_function_c(request, text)
    if (starling_request_function == starling_success) name = text_of(text)
  end function

  integer(c_int) function starling_request_winner(request, name)
    type(c_ptr), intent(in) :: request
    character(len=:), allocatable, intent(out) :: name
    type(c_ptr) :: text
    starling_request_winner = starling_request_winner_c(request, text)
    if (starling_request_winner == starling_success) name = text_of(text)
  end function
end module
