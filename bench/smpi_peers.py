"""The algorithms that Starling and SimGrid's SMPI both have: ours by candidate, theirs by the name in `smpi/COLL:NAME`.

Equal names are not enough: SMPI's allgather `ring`, STAR-MPI's, sends each block directly to its rank, and is our
`pairwise`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

PLATFORMS = ("single:16", "star:4x8")
SIZES = (1024, 65536)

_STEPPED = ("pair", "pair_light_barrier", "pair_mpi_barrier", "ring", "ring_light_barrier", "ring_mpi_barrier")

PEERS: dict[str, dict[str, str]] = {
    "alltoall": {
        **{name: name for name in _STEPPED},
        "bruck?k=2": "bruck",
        "mesh2d": "2dmesh",
        "mesh3d": "3dmesh",
        "recursive_doubling": "rdb",
        "simple": "basic_linear",
    },
    "alltoallv": {**{name: name for name in _STEPPED}, "simple": "ompi_basic_linear"},
    "allgather": {
        "bruck?k=2": "bruck",
        "gather_bcast": "GB",
        "mesh2d": "2dmesh",
        "mesh3d": "3dmesh",
        "neighbor_exchange": "ompi_neighborexchange",
        "pair": "pair",
        "pairwise": "ring",
        "recursive_doubling": "rdb",
        "ring": "NTSLR",
        "simple": "spreading_simple",
    },
    "allgatherv": {
        "bruck?k=2": "ompi_bruck",
        "gather_bcast": "GB",
        "neighbor_exchange": "ompi_neighborexchange",
        "pair": "pair",
        "pairwise": "ring",
        "recursive_doubling": "mpich_rdb",
        "ring": "mpich_ring",
    },
    "allreduce": {
        "rabenseifner": "rab_rdb",
        "rab2?alltoall=ring,allgather=pairwise": "rab2",
        "recursive_doubling": "rdb",
        "reduce_bcast": "redbcast",
        "ring": "lr",
    },
    "barrier": {
        "dissemination?k=2": "ompi_bruck",
        "double_ring": "ompi_doublering",
        "recursive_doubling": "ompi_recursivedoubling",
        "tree": "ompi_tree",
    },
    "bcast": {
        "binomial?segment=none": "binomial_tree",
        "chain?segment=8192": "NTSL",
        "binary?segment=8192": "NTSB",
        "scatter_allgather?allgather=recursive_doubling": "scatter_rdb_allgather",
        "scatter_allgather?allgather=ring": "scatter_LR_allgather",
        "sequential?segment=none": "flattree",
    },
    "gather": {"binomial?segment=none": "ompi_binomial", "sequential?segment=none": "ompi_basic_linear"},
    "reduce": {
        "binomial?segment=none": "binomial",
        "chain?segment=8192": "NTSL",
        "rabenseifner": "scatter_gather",
        "sequential?segment=none": "flat_tree",
    },
    "reduce_scatter": {
        "butterfly": "ompi_butterfly",
        "pairwise": "mpich_pair",
        "recursive_doubling": "mpich_rdb",
        "recursive_halving": "ompi_basic_recursivehalving",
        "ring": "ompi_ring",
    },
    "scatter": {"binomial?segment=none": "ompi_binomial", "sequential?segment=none": "ompi_basic_linear"},
}


def batches() -> Iterator[dict[str, tuple[str, str]]]:
    """Jobs with one algorithm of each collective, ours and SMPI's, until all have run."""
    for row in zip_longest(*(pairs.items() for pairs in PEERS.values())):
        yield {collective: pair for collective, pair in zip(PEERS, row, strict=True) if pair}
