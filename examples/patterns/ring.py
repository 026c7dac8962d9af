"""The same pattern as in ring.c, in Python: starling run -- mpirun -n 4 python ring.py."""

from array import array

from mpi4py import MPI

from starling import patterns

COMM = MPI.COMM_WORLD
LEFT = (COMM.rank - 1) % COMM.size
RIGHT = (COMM.rank + 1) % COMM.size
to_give, given = array("i", [0]), array("i", [0])


def by_all(_: patterns.Request) -> None:
    """Everyone tells everyone: what the program did before."""
    everything = array("i", [0] * COMM.size)
    COMM.Allgather(to_give, everything)
    given[0] = everything[LEFT]


def at_once(_: patterns.Request) -> None:
    """Both at once."""
    COMM.Sendrecv(to_give, dest=RIGHT, recvbuf=given, source=LEFT)


def posted(_: patterns.Request) -> None:
    """Posted, then waited for."""
    MPI.Request.Waitall([COMM.Irecv(given, source=LEFT), COMM.Isend(to_give, dest=RIGHT)])


def main() -> None:
    """500 times around."""
    partners = patterns.Attribute("partners", [1, 2], ["neighbours", "everyone"])
    waits = patterns.Attribute("waits", [0, 1])
    attributes = patterns.AttributeSet([partners, waits])
    functions = patterns.FunctionSet(
        "ring",
        [
            patterns.Function("native", by_all, attributes, [2, 0]),
            patterns.Function("at_once", at_once, attributes, [1, 0]),
            patterns.Function("posted", posted, attributes, [1, 1]),
        ],
    )
    wrong = 0
    with patterns.Request(functions, strategy="star-basic") as request:
        for i in range(500):
            to_give[0] = COMM.rank + i
            request.start()
            wrong += given[0] != LEFT + i
        if COMM.rank == 0:
            print(f"the fastest is {request.winner}, {wrong} wrong")
    raise SystemExit(wrong != 0)


if __name__ == "__main__":
    main()
