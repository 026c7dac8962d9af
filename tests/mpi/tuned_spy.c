/* Preloaded into an Open MPI program: each algorithm of the component `tuned` says on stderr that it was called, and
   with what from its seventh argument on: of a bcast the segment and the fan-out, of a reduce these from the ninth on.
   Open MPI's components call the algorithms by name from its library, so that a preload comes first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

/* As many words as any of these functions has arguments, or more: the rest is read and not used. */
typedef int (*Algorithm)(long, long, long, long, long, long, long, long, long, long, long, long);

#define SPY(name)                                                                                                   \
  int ompi_coll_base_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, \
                            long l) {                                                                               \
    Algorithm real;                                                                                                 \
    *(void**)&real = dlsym(RTLD_NEXT, "ompi_coll_base_" #name);                                                     \
    fprintf(stderr, "called " #name "\n");                                                                          \
    fprintf(stderr, "with " #name " %d %d %d %d\n", (int)g, (int)h, (int)i, (int)j);                                \
    return real(a, b, c, d, e, f, g, h, i, j, k, l);                                                                \
  }

SPY(allgather_intra_bruck)
SPY(allgather_intra_neighborexchange)
SPY(allgather_intra_recursivedoubling)
SPY(allgather_intra_ring)
SPY(allgatherv_intra_bruck)
SPY(allgatherv_intra_neighborexchange)
SPY(allgatherv_intra_ring)
SPY(allreduce_intra_nonoverlapping)
SPY(allreduce_intra_recursivedoubling)
SPY(allreduce_intra_redscat_allgather)
SPY(allreduce_intra_ring)
SPY(allreduce_intra_ring_segmented)
SPY(alltoall_intra_bruck)
SPY(alltoall_intra_linear_sync)
SPY(alltoall_intra_pairwise)
SPY(barrier_intra_bruck)
SPY(barrier_intra_doublering)
SPY(barrier_intra_recursivedoubling)
SPY(bcast_intra_binomial)
SPY(bcast_intra_chain)
SPY(bcast_intra_pipeline)
SPY(bcast_intra_scatter_allgather)
SPY(bcast_intra_scatter_allgather_ring)
SPY(gather_intra_binomial)
SPY(gather_intra_linear_sync)
SPY(reduce_intra_binomial)
SPY(reduce_intra_chain)
SPY(reduce_intra_in_order_binary)
SPY(reduce_intra_pipeline)
SPY(reduce_scatter_intra_basic_recursivehalving)
SPY(reduce_scatter_intra_ring)
SPY(scatter_intra_binomial)
