/* Calls of any blocking collective with any arguments, by MPI or, natively, by PMPI. */
#pragma once

#include <mpi.h>

enum { most_ranks = 64 };

enum collective {
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter_block,
  reduce_scatter,
  allgather,
  allgatherv,
  gather,
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
  alltoallw,
  collectives
};

static inline int reduces(enum collective which) {
  return which >= reduce && which <= reduce_scatter;
}

static inline int is_rooted(enum collective which) {
  return which == bcast || which == reduce || (which >= gather && which <= scatterv);
}

static inline int is_uneven(enum collective which) {
  return which == allgatherv || which == gatherv || which == scatterv || which >= alltoallv;
}

/* A side has the arguments of all collectives: each takes its own of them. A broadcast and reductions take those of the
 * send side, but for where they put results, and how many each rank gets. */
struct side {
  void* buffer;
  int count;
  const int* counts;
  const int* places; /* displacements in elements */
  const int* bytes;  /* and in bytes */
  MPI_Datatype type;
  const MPI_Datatype* types;
};

static inline int call_collective(enum collective which, struct side from, struct side to, MPI_Op op, int root,
                                  MPI_Comm comm, int native) {
#define CALL(Name, ...) (native ? PMPI_##Name(__VA_ARGS__) : MPI_##Name(__VA_ARGS__))
#define FROM from.buffer, from.count, from.type
#define FROM_EACH from.buffer, from.counts, from.places, from.type
#define TO to.buffer, to.count, to.type
#define TO_EACH to.buffer, to.counts, to.places, to.type
  switch (which) {
    case bcast: return CALL(Bcast, FROM, root, comm);
    case reduce: return CALL(Reduce, from.buffer, to.buffer, from.count, from.type, op, root, comm);
    case allreduce: return CALL(Allreduce, from.buffer, to.buffer, from.count, from.type, op, comm);
    case scan: return CALL(Scan, from.buffer, to.buffer, from.count, from.type, op, comm);
    case exscan: return CALL(Exscan, from.buffer, to.buffer, from.count, from.type, op, comm);
    case reduce_scatter_block: return CALL(Reduce_scatter_block, from.buffer, to.buffer, to.count, from.type, op, comm);
    case reduce_scatter: return CALL(Reduce_scatter, from.buffer, to.buffer, to.counts, from.type, op, comm);
    case allgather: return CALL(Allgather, FROM, TO, comm);
    case allgatherv: return CALL(Allgatherv, FROM, TO_EACH, comm);
    case gather: return CALL(Gather, FROM, TO, root, comm);
    case gatherv: return CALL(Gatherv, FROM, TO_EACH, root, comm);
    case scatter: return CALL(Scatter, FROM, TO, root, comm);
    case scatterv: return CALL(Scatterv, FROM_EACH, TO, root, comm);
    case alltoall: return CALL(Alltoall, FROM, TO, comm);
    case alltoallv: return CALL(Alltoallv, FROM_EACH, TO_EACH, comm);
    case alltoallw:
      return CALL(Alltoallw, from.buffer, from.counts, from.bytes, from.types, to.buffer, to.counts, to.bytes, to.types,
                  comm);
    default: return MPI_ERR_INTERN;
  }
#undef TO_EACH
#undef TO
#undef FROM_EACH
#undef FROM
#undef CALL
}

/* What a rank has at a place of its buffer. */
static inline int value(int rank, int place) {
  return 1000 * rank + place;
}
