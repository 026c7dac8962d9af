#pragma once

#include <mpi.h>

#include "runtime/mpi/features.hpp"

namespace starling {

/// Fortran's default INTEGER: handles and counts of mpif.h. Not every mpi.h of the standard ABI names it.
using Fint = int;

/// The functions of the MPI library that the runtime calls, by their profiling names (PMPI_Isend is `pmpi.Isend`). They
/// are looked up, not linked: a program may load MPI by dlopen, and a build must run on older and newer releases.
// clang-format off
#define STARLING_PMPI_FUNCTIONS(F)                                                                                    \
  F(Abort) F(Allgather) F(Allgatherv) F(Allreduce) F(Alltoall) F(Alltoallv) F(Alltoallw) F(Barrier) F(Bcast)          \
  F(Cart_get) F(Cart_rank) F(Cartdim_get) F(Comm_call_errhandler) F(Comm_create) F(Comm_create_group)                 \
  F(Comm_create_keyval) F(Comm_delete_attr) F(Comm_dup_with_info) F(Comm_free) F(Comm_free_keyval) F(Comm_get_attr)   \
  F(Comm_get_errhandler) F(Comm_get_name) F(Comm_get_parent) F(Comm_group) F(Comm_rank) F(Comm_remote_size)           \
  F(Comm_set_attr) F(Comm_set_errhandler) F(Comm_set_name) F(Comm_size) F(Comm_split) F(Comm_test_inter)              \
  F(Dist_graph_neighbors) F(Dist_graph_neighbors_count) F(Errhandler_free) F(Error_class) F(Exscan) F(Finalized)      \
  F(Gather) F(Gatherv) F(Get) F(Get_processor_name) F(Graph_neighbors) F(Graph_neighbors_count) F(Group_free)         \
  F(Group_incl) F(Group_translate_ranks) F(Iallgather) F(Iallgatherv) F(Iallreduce) F(Ialltoall) F(Ialltoallv)        \
  F(Ialltoallw) F(Ibarrier) F(Ibcast) F(Iexscan) F(Igather) F(Igatherv) F(Info_create) F(Info_free) F(Info_set)       \
  F(Initialized) F(Iprobe) F(Irecv) F(Ireduce) F(Ireduce_scatter) F(Ireduce_scatter_block) F(Iscan) F(Iscatter)       \
  F(Iscatterv) F(Isend) F(Neighbor_alltoall) F(Neighbor_alltoallv) F(Neighbor_alltoallw) F(Op_commutative) F(Pack)    \
  F(Put) F(Query_thread) F(Recv) F(Reduce) F(Reduce_local) F(Reduce_scatter) F(Reduce_scatter_block) F(Scan)          \
  F(Scatter) F(Scatterv) F(Send) F(Sendrecv) F(Test) F(Topo_test) F(Type_commit) F(Type_contiguous)                   \
  F(Type_create_keyval) F(Type_create_struct) F(Type_create_subarray) F(Type_free) F(Type_get_attr)                   \
  F(Type_get_contents) F(Type_get_envelope) F(Type_get_extent) F(Type_get_name) F(Type_get_true_extent)               \
  F(Type_set_attr) F(Type_set_name) F(Type_size) F(Type_size_x) F(Unpack) F(Wait) F(Win_complete) F(Win_create)       \
  F(Win_fence) F(Win_free) F(Win_post) F(Win_set_errhandler) F(Win_start) F(Win_wait) F(Wtime)
// clang-format on

struct Pmpi {
#define STARLING_DECLARE(function) decltype(&::PMPI_##function) function = nullptr;
  STARLING_PMPI_FUNCTIONS(STARLING_DECLARE)
#undef STARLING_DECLARE

  /// Declared here, because they are macros in some headers and missing in others.
  MPI_Comm (*Comm_f2c)(Fint) = nullptr;
  MPI_Datatype (*Type_f2c)(Fint) = nullptr;
  MPI_Op (*Op_f2c)(Fint) = nullptr;
  Fint (*Comm_c2f)(MPI_Comm) = nullptr;

  /// The large-count form (MPI 4); null if the library has none (Open MPI 4 and 5).
  int (*Type_get_envelope_c)(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*) = nullptr;
};

/// Filled before the first intercepted entry point runs, constant from the end of MPI_Init on; all null if not
/// `active()`. Functions that the loaded MPI library lacks are null too. What stands for some is in repaired.hpp and,
/// for messages of Starling's own only, in patience.hpp.
extern Pmpi pmpi;

/// Fills `pmpi` and `handles`.
void resolve_pmpi();

/// The predefined handles. Open MPI's are addresses of its data, which nothing here may link to: never write
/// MPI_COMM_WORLD, MPI_BYTE, MPI_SUM in the runtime. (MPI_IN_PLACE, MPI_STATUS_IGNORE, error codes are
/// numbers: fine.)
struct Handles {
  MPI_Comm comm_world{}, comm_self{}, comm_null{};
  MPI_Datatype byte{}, char_{}, int_{}, float_{}, double_{}, int64{}, datatype_null{};
  MPI_Op op_null{}, sum{}, min{}, band{};
  MPI_Request request_null{};
  MPI_Errhandler errors_return{};
};

/// Filled together with `pmpi`.
extern Handles handles;

/// Whether the handle is predefined by MPI (MPI_DOUBLE, MPI_SUM), not created by the program. Takes a few nanoseconds.
bool predefined(MPI_Datatype type);
bool predefined(MPI_Op op);  // NOLINT(readability-redundant-declaration): the same type in some headers

}  // namespace starling
