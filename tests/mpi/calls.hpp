#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "schedule/collective.hpp"

/// The operations, by the names of the collectives.
using Operation = starling::Collective;
/// Those of all ranks of a communicator: neighbourhood collectives come after them.
inline constexpr auto operation_names =
    std::span(starling::collective_names).first<static_cast<std::size_t>(Operation::neighbor_allgather)>();

/// The entry point of an operation that is called.
enum class Form { blocking, nonblocking, persistent, large };

#if MPI_VERSION >= 4
inline constexpr int forms = 4;
#else
inline constexpr int forms = 2;
#endif

inline constexpr std::array<std::string_view, 4> form_names{"blocking", "nonblocking", "persistent", "large-count"};

/// The arguments of one side of a collective; those that an operation does not use keep their defaults.
struct Part {
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<int> counts{};
  std::vector<int> displacements{};
  std::vector<MPI_Datatype> types{};
};

struct Arguments {
  Part send{};
  Part receive{};
  MPI_Op op = MPI_OP_NULL;
  int root = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request* in_flight = nullptr;  ///< gets the request of a nonblocking call; if null, the call is completed
};

namespace calls {

inline int completed(int error, MPI_Request& request, MPI_Request* in_flight) {
  if (in_flight != nullptr) {
    *in_flight = request;
    return error;
  }
  return error == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}

inline int started(int error, MPI_Request& request) {
  if (error == MPI_SUCCESS) error = MPI_Start(&request);
  if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int freed = request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Request_free(&request);
  return error == MPI_SUCCESS ? freed : error;
}

template <class To>
std::vector<To> widened(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

}  // namespace calls

/// Which of MPI's two sets of names is called.
enum class Names { mpi, pmpi };

#define CALL_WITH(...) __VA_ARGS__
#if MPI_VERSION >= 4
#define NEWER_FORMS(Name, arguments, large_arguments)                                                  \
  case Form::persistent:                                                                               \
    return calls::started(EITHER(Name##_init)(CALL_WITH arguments, MPI_INFO_NULL, &request), request); \
  case Form::large:                                                                                    \
    return EITHER(Name##_c)(CALL_WITH large_arguments);
#else
#define NEWER_FORMS(Name, arguments, large_arguments) \
  case Form::persistent:                              \
  case Form::large:                                   \
    break;
#endif
#define EITHER(Name) (names == Names::mpi ? MPI_##Name : PMPI_##Name)
#define FORMS(Name, name, arguments, large_arguments)                                                   \
  switch (form) {                                                                                       \
    case Form::blocking: return EITHER(Name)(CALL_WITH arguments);                                      \
    case Form::nonblocking:                                                                             \
      return calls::completed(EITHER(I##name)(CALL_WITH arguments, &request), request, with.in_flight); \
      NEWER_FORMS(Name, arguments, large_arguments)                                                     \
  }                                                                                                     \
  break;

/// Makes the call `operation` in the given form and returns MPI's error code.
template <Names names>
int call(Operation operation, Form form, const Arguments& with) {
  const Part& s = with.send;
  const Part& r = with.receive;
  const auto scounts = calls::widened<MPI_Count>(s.counts);
  const auto rcounts = calls::widened<MPI_Count>(r.counts);
  const auto sdispls = calls::widened<MPI_Aint>(s.displacements);
  const auto rdispls = calls::widened<MPI_Aint>(r.displacements);
  MPI_Request request = MPI_REQUEST_NULL;
  switch (operation) {
#define ARGUMENTS (s.buffer, s.count, s.type, r.buffer, r.count, r.type, with.comm)
    case Operation::allgather: FORMS(Allgather, allgather, ARGUMENTS, ARGUMENTS)
    case Operation::alltoall: FORMS(Alltoall, alltoall, ARGUMENTS, ARGUMENTS)
#undef ARGUMENTS
#define ARGUMENTS (s.buffer, s.count, s.type, r.buffer, r.count, r.type, with.root, with.comm)
    case Operation::gather: FORMS(Gather, gather, ARGUMENTS, ARGUMENTS)
    case Operation::scatter: FORMS(Scatter, scatter, ARGUMENTS, ARGUMENTS)
#undef ARGUMENTS
#define ARGUMENTS (s.buffer, r.buffer, r.count, r.type, with.op, with.comm)
    case Operation::allreduce: FORMS(Allreduce, allreduce, ARGUMENTS, ARGUMENTS)
    case Operation::scan: FORMS(Scan, scan, ARGUMENTS, ARGUMENTS)
    case Operation::exscan: FORMS(Exscan, exscan, ARGUMENTS, ARGUMENTS)
    case Operation::reduce_scatter_block: FORMS(Reduce_scatter_block, reduce_scatter_block, ARGUMENTS, ARGUMENTS)
#undef ARGUMENTS
    case Operation::reduce:
      FORMS(Reduce, reduce, (s.buffer, r.buffer, r.count, r.type, with.op, with.root, with.comm),
            (s.buffer, r.buffer, r.count, r.type, with.op, with.root, with.comm))
    case Operation::reduce_scatter:
      FORMS(Reduce_scatter, reduce_scatter, (s.buffer, r.buffer, r.counts.data(), r.type, with.op, with.comm),
            (s.buffer, r.buffer, rcounts.data(), r.type, with.op, with.comm))
    case Operation::bcast:
      FORMS(Bcast, bcast, (r.buffer, r.count, r.type, with.root, with.comm),
            (r.buffer, r.count, r.type, with.root, with.comm))
    case Operation::barrier:
      return form == Form::nonblocking
                 ? calls::completed(EITHER(Ibarrier)(with.comm, &request), request, with.in_flight)
                 : EITHER(Barrier)(with.comm);
    case Operation::allgatherv:
      FORMS(Allgatherv, allgatherv,
            (s.buffer, s.count, s.type, r.buffer, r.counts.data(), r.displacements.data(), r.type, with.comm),
            (s.buffer, s.count, s.type, r.buffer, rcounts.data(), rdispls.data(), r.type, with.comm))
    case Operation::gatherv:
      FORMS(
          Gatherv, gatherv,
          (s.buffer, s.count, s.type, r.buffer, r.counts.data(), r.displacements.data(), r.type, with.root, with.comm),
          (s.buffer, s.count, s.type, r.buffer, rcounts.data(), rdispls.data(), r.type, with.root, with.comm))
    case Operation::scatterv:
      FORMS(
          Scatterv, scatterv,
          (s.buffer, s.counts.data(), s.displacements.data(), s.type, r.buffer, r.count, r.type, with.root, with.comm),
          (s.buffer, scounts.data(), sdispls.data(), s.type, r.buffer, r.count, r.type, with.root, with.comm))
    case Operation::alltoallv:
      FORMS(Alltoallv, alltoallv,
            (s.buffer, s.counts.data(), s.displacements.data(), s.type, r.buffer, r.counts.data(),
             r.displacements.data(), r.type, with.comm),
            (s.buffer, scounts.data(), sdispls.data(), s.type, r.buffer, rcounts.data(), rdispls.data(), r.type,
             with.comm))
    case Operation::alltoallw:
      FORMS(Alltoallw, alltoallw,
            (s.buffer, s.counts.data(), s.displacements.data(), s.types.data(), r.buffer, r.counts.data(),
             r.displacements.data(), r.types.data(), with.comm),
            (s.buffer, scounts.data(), sdispls.data(), s.types.data(), r.buffer, rcounts.data(), rdispls.data(),
             r.types.data(), with.comm))
    case Operation::neighbor_allgather:
    case Operation::neighbor_allgatherv:
    case Operation::neighbor_alltoall:
    case Operation::neighbor_alltoallv:
    case Operation::neighbor_alltoallw: break;  // in neighbours.cpp
  }
  return MPI_ERR_OTHER;
}

#undef FORMS
#undef EITHER
#undef NEWER_FORMS
#undef CALL_WITH
