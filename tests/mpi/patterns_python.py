"""Patterns in Python: halos of NumPy arrays in both orders, a set that tells its own times, errors, a timer."""

from collections.abc import Callable

import numpy
from mpi4py import MPI  # type: ignore[import-not-found,unused-ignore]

from starling import patterns

COMM = MPI.COMM_WORLD
SECONDS = {"slow": 3e-3, "fast": 1e-3, "medium": 2e-3}


def check_halo(order: str) -> None:
    """A grid of two dimensions with two values for each element."""
    cart = COMM.Create_cart(MPI.Compute_dims(COMM.size, 2), periods=[True, False])
    left, right = cart.Shift(0, 1)
    cells = numpy.empty((5, 6, 2), order=order)  # type: ignore[call-overload]
    vector = patterns.Vector(cells, patterns.Map.halo(1), values=True)
    halos = patterns.FunctionSet.predefined("neighborhood")
    with patterns.Request(halos, patterns.Topology(cart), vector, strategy="brute-force") as request:
        for start in range(30):
            cells[...] = -1
            cells[1:-1, 1:-1, 0] = COMM.rank * 10 + start
            cells[1:-1, 1:-1, 1] = COMM.rank * 10 + start + 0.5
            if start % 2:
                request.start()
            else:
                request.init()
                request.progress()
                request.wait()
            for value in range(2):
                assert (cells[0, 1:-1, value] == left * 10 + start + value / 2).all()
                assert (cells[-1, 1:-1, value] == right * 10 + start + value / 2).all()
        assert request.function
        assert request.attribute("partners") in {0, 1}
    cart.Free()


def check_set() -> None:
    """Three functions with two attributes, that tell their own times; one fails on a rank."""
    failing = False

    def work(request: patterns.Request) -> None:
        COMM.Barrier()
        request.update(SECONDS[request.function])
        if failing and request.function == "fast" and COMM.rank == COMM.size - 1:
            raise ArithmeticError("no")

    attributes = patterns.AttributeSet([patterns.Attribute("a", [1, 2]), patterns.Attribute("b", [3, 4], ["x", "y"])])
    values = {"slow": [1, 3], "fast": [1, 4], "medium": [2, 3]}
    functions = patterns.FunctionSet(
        "of three", [patterns.Function(name, work, attributes, its) for name, its in values.items()]
    )
    with patterns.Request(functions, strategy="brute-force") as request:
        try:
            _ = request.winner
        except patterns.Error as error:
            assert error.code == 16
        else:
            raise AssertionError("an early winner")
        for _ in range(100):
            request.start()
        assert not request.exploring
        assert request.winner == "fast"
        assert abs(request.figures("medium").mean - 2e-3) < 1e-6
        assert request.figures("medium").outliers == 0
    failing = True
    raised = 0
    with patterns.Request(functions, strategy="brute-force") as request:
        for _ in range(100):
            try:
                request.start()
            except ArithmeticError:
                raised += 1
        assert request.winner == "medium"
    assert (raised > 0) == (COMM.rank == COMM.size - 1)
    failing = False
    with patterns.Request(functions) as one, patterns.Request(functions) as other:
        timer = patterns.Timer([one])
        timer.add(other)
        for _ in range(5):
            with timer.section():
                one.start()
                other.start()
        timer.remove(one)
        timer.free()


def check_errors() -> None:
    """What is wrong is told with a code and a sentence."""

    def work(_: patterns.Request) -> None:
        pass

    one = patterns.Attribute("a", [1, 2])
    attributes = patterns.AttributeSet([one])
    equal = [patterns.Function(str(i), work, attributes, [1]) for i in range(2)]
    functions = patterns.FunctionSet("plain", [patterns.Function("native", work, attributes, [1])])
    request = patterns.Request(functions)
    timer = patterns.Timer([request])
    for make, code in (
        (lambda: patterns.Topology(COMM), 6),
        (lambda: patterns.Topology(COMM, left=[COMM.size], right=[0]), 1),
        (lambda: patterns.Map.halo(-1), 4),
        (lambda: patterns.Map.counts(-1, 0), 1),
        (lambda: patterns.Map.operator(MPI.OP_NULL), 1),
        (lambda: patterns.Attribute("none", []), 1),
        (lambda: patterns.AttributeSet([]), 1),
        (lambda: patterns.Function("no", work, attributes, [3]), 8),
        (lambda: patterns.FunctionSet("equal", equal), 8),
        (lambda: patterns.Request(functions, strategy="luck"), 12),
        (lambda: patterns.Request(patterns.FunctionSet.predefined("neighborhood")), 7),
        (lambda: patterns.Timer([request]), 11),
        (request.wait, 11),
        (request.progress, 11),
        (lambda: request.update(1.0), 11),
        (lambda: request.attribute("b"), 8),
        (timer.stop, 11),
        (lambda: patterns.Vector(numpy.zeros((3, 3)), patterns.Map.halo(2)), 4),
        (lambda: patterns.FunctionSet.predefined("luck"), 1),
        (lambda: patterns.Attribute("twice", [1, 1]), 1),
        (lambda: request.figures("luck"), 9),
    ):
        try:
            make()  # type: ignore[no-untyped-call,unused-ignore]
        except patterns.Error as error:
            assert error.code == code, f"{error.code}: {error}"
            assert str(error)
        else:
            raise AssertionError(f"no error {code}")
    request.init()
    for early in (request.start, request.free):
        try:
            early()
        except patterns.Error as error:
            assert error.code == 11
        else:
            raise AssertionError("a call between init and wait")
    request.wait()
    timer.free()
    request.free()
    locked = numpy.zeros(4)
    locked.setflags(write=False)
    for array in (numpy.zeros((4, 4))[::2], locked, numpy.zeros(4, dtype=">f8"), numpy.zeros(4, dtype="f8,i4")):
        try:
            patterns.Vector(array, patterns.Map.all())
        except ValueError:
            pass
        else:
            raise AssertionError(f"an array with gaps, that cannot be written, or of a type that MPI has not: {array}")


def check_freed() -> None:
    """A freed object is refused wherever it is used, also where it might have been left out; it may be freed twice."""
    line = COMM.Create_cart([COMM.size])
    whole = patterns.Map.all()
    cells = numpy.zeros(4)
    one = patterns.Attribute("a", [1])
    attributes = patterns.AttributeSet([one])
    function = patterns.Function("native", lambda _: None)
    functions = patterns.FunctionSet("freed", [function])
    topology, vector = patterns.Topology(line), patterns.Vector(cells, whole)
    request = patterns.Request(functions)
    timer = patterns.Timer([request])
    kept = patterns.FunctionSet("kept", [function])
    other = patterns.Request(kept)
    for each in (timer, request, topology, vector, whole, functions, function, attributes, one):
        each.free()
        each.free()
        assert not each.handle
    uses: list[Callable[[], object]] = [
        lambda: topology.neighbours,
        lambda: patterns.Vector(cells, whole),
        lambda: patterns.AttributeSet([one]),
        lambda: patterns.Function("f", lambda _: None, attributes, [1]),
        lambda: patterns.FunctionSet("set", [function]),
        lambda: patterns.Request(functions),
        lambda: patterns.Request(kept, topology),
        lambda: patterns.Request(kept, None, vector),
        lambda: patterns.Request(kept, None, None, vector),
        request.start,
        request.init,
        request.wait,
        request.progress,
        lambda: request.update(1.0),
        lambda: request.function,
        lambda: request.winner,
        lambda: request.exploring,
        lambda: request.figures("native"),
        lambda: request.attribute("a"),
        lambda: patterns.Timer([request]),
        lambda: timer.add(other),
        lambda: timer.remove(other),
        timer.start,
        timer.stop,
    ]
    for number, use in enumerate(uses):
        try:
            use()
        except patterns.Error as error:
            assert error.code == 2, f"use {number}: {error.code}: {error}"
            assert "freed" in str(error) or "null" in str(error), str(error)
        else:
            raise AssertionError(f"use {number} of a freed object is no error")
    other.start()
    other.free()
    line.Free()


def check_combinations() -> None:
    """A function for each combination but one; each learns which it is, and tells its own time."""

    def work(request: patterns.Request) -> None:
        COMM.Barrier()
        request.update(1e-3 * (1 + request.attribute("a") * request.attribute("b")))

    attributes = patterns.AttributeSet([patterns.Attribute("a", [1, 2]), patterns.Attribute("b", [1, 3], ["x", "y"])])
    functions = patterns.FunctionSet.combinations("made", work, attributes, [[1, 1]])
    with patterns.Request(functions, strategy="brute-force") as request:
        for _ in range(100):
            request.start()
        assert request.winner == "made.2.x"
        for name, seconds in (("made.1.y", 4e-3), ("made.2.x", 3e-3), ("made.2.y", 7e-3)):
            assert abs(request.figures(name).mean - seconds) < 1e-6


def check_graph() -> None:
    """Each rank sends to the next one: the neighbours are those of the communicator's graph."""
    before, behind = (COMM.rank - 1) % COMM.size, (COMM.rank + 1) % COMM.size
    graph = COMM.Create_dist_graph_adjacent([before], [behind])
    topology = patterns.Topology(graph)
    assert topology.neighbours == ([before], [behind])
    topology.free()
    graph.Free()
    line = COMM.Create_cart([COMM.size], periods=[False])
    sources, targets = patterns.Topology(line).neighbours
    assert sources == targets == list(line.Shift(0, 1))
    line.Free()


def check_parts() -> None:
    """Progress is made between the beginning and the end."""
    parts: list[str] = []

    def part(name: str) -> Callable[[patterns.Request], int]:
        def work(_: patterns.Request) -> int:
            parts.append(name)
            return 0

        return work

    function = patterns.Function("parts", part("begin"), finish=part("finish"), progress=part("progress"))
    with patterns.Request(patterns.FunctionSet("in parts", [function])) as request:
        request.init()
        assert not request.progress()
        request.wait()
    assert parts[:2] == ["begin", "progress"]
    assert parts[-1] == "finish"


def check_in_place() -> None:
    """A sum that takes the place of what was added."""
    numbers = numpy.full(3, COMM.rank + 1.0)
    allreduce = patterns.FunctionSet.predefined("allreduce")
    sent = patterns.Vector(numbers, patterns.Map.in_place())
    received = patterns.Vector(numbers, patterns.Map.operator(MPI.SUM))
    with patterns.Request(allreduce, None, sent, received) as request:
        request.start()
    assert (numbers == COMM.size * (COMM.size + 1) / 2).all()


def check_returned() -> None:
    """A function that returns its result is named, and left out of the next calls."""
    for returned, number in ((numpy.zeros(3), None), (3, 13), (numpy.int64(0), 0), (None, 0)):
        work = patterns.Function("library", lambda _, returned=returned: returned)  # type: ignore[misc]
        with patterns.Request(patterns.FunctionSet("returning", [work])) as request:
            told: object = 0
            try:
                request.start()
            except TypeError as error:
                assert str(error).startswith("function 'library' returned an object of type ndarray; return None")
                told = None
            except patterns.Error as error:
                told = error.code
            assert told == number


def main() -> None:
    """All of it."""
    check_halo("C")
    check_halo("F")
    check_set()
    check_errors()
    check_freed()
    check_combinations()
    check_graph()
    check_parts()
    check_in_place()
    check_returned()
    COMM.Barrier()
    if COMM.rank == 0:
        print(f"all right on {COMM.size}")  # noqa: T201


main()
