! What names.c does, from Fortran: BINDING_MPI or BINDING_F08 names the module.
program names
#ifdef BINDING_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef BINDING_F08
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: pair
#else
  integer :: comm, pair
#endif
  integer :: rank, round, wrong, total, ierror, here(2)
  integer, external :: wrong_in_c
  external :: attach, check_comm, check_type
  common /found/ wrong
  wrong = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do round = 1, 8
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call MPI_Comm_set_name(comm, "solver", ierror)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
    call MPI_Type_commit(pair, ierror)
    call MPI_Type_set_name(pair, "pair", ierror)
#ifdef BINDING_F08
    call check_comm(comm%MPI_VAL)
    call check_type(pair%MPI_VAL)
    call attach(comm%MPI_VAL, pair%MPI_VAL, check_comm, check_type)
#else
    call check_comm(comm)
    call check_type(pair)
    call attach(comm, pair, check_comm, check_type)
#endif
    here = round
    if (mod(round, 2) == 0) call MPI_Bcast(here, 1, pair, 0, comm, ierror)
    call MPI_Type_free(pair, ierror)
    call MPI_Comm_free(comm, ierror)
  end do
  wrong = wrong + wrong_in_c()
  call MPI_Reduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) print *, total, "wrong"
  call MPI_Finalize(ierror)
end program

subroutine check_comm(handle)
#ifdef BINDING_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: handle, length, ierror, wrong
  character(len=MPI_MAX_OBJECT_NAME) :: name
#ifdef BINDING_F08
  type(MPI_Comm) :: comm
#else
  integer :: comm
#endif
  common /found/ wrong
#ifdef BINDING_F08
  comm%MPI_VAL = handle
#else
  comm = handle
#endif
  call MPI_Comm_get_name(comm, name, length, ierror)
  if (length /= 6 .or. name /= "solver") wrong = wrong + 1
end subroutine

subroutine check_type(handle)
#ifdef BINDING_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: handle, length, ierror, wrong
  character(len=MPI_MAX_OBJECT_NAME) :: name
#ifdef BINDING_F08
  type(MPI_Datatype) :: kind
#else
  integer :: kind
#endif
  common /found/ wrong
#ifdef BINDING_F08
  kind%MPI_VAL = handle
#else
  kind = handle
#endif
  call MPI_Type_get_name(kind, name, length, ierror)
  if (length /= 4 .or. name /= "pair") wrong = wrong + 1
end subroutine
