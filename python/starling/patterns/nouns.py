"""Topologies, vectors, functions, requests and timers: what starling/patterns.h describes, as objects.

Communicators are mpi4py's. Arrays are anything with a contiguous buffer, such as NumPy's. Objects are freed when
nothing refers to them, but freeing a request is collective: free it, or leave its `with` block, on all ranks alike.

Where the library is not loaded, objects are empty, and a request calls the first function of its set.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import operator
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

from starling.messages import quoted
from starling.patterns.library import (
    ATTRIBUTE,
    FAILED,
    HANDLE,
    HOW,
    INACTIVE,
    Error,
    call,
    called,
    fault,
    integers,
    library,
    text,
)

WORK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ORDERS = {"C": 0, "F": 1}
_LONGEST_NAME = 64

Work = Callable[["Request"], int | None]
"""A function of a set: it gets its request, and returns None, or the program's own number of an error; 0 is none."""


class _Handle:
    """An object of the library's, and the function that frees it."""

    _free = ""

    def __init__(self) -> None:
        self._handle = ctypes.c_void_p()

    @property
    def handle(self) -> ctypes.c_void_p:
        """Its handle in C."""
        return self._handle

    def free(self) -> None:
        """Frees it. Does nothing if it is freed already."""
        if self._handle:
            call(self._free, ctypes.byref(self._handle))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.free()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            called(self._free, ctypes.byref(self._handle))


def _handle_of(one: _Handle | None) -> ctypes.c_void_p | None:
    """The handle of what may be left out. Raises Error for a freed object, which C would take for one left out."""
    if one is None:
        return None
    if not one.handle and library() is not None:
        raise Error(HANDLE, f"the {type(one).__name__} is freed")
    return one.handle


class Topology(_Handle):
    """The ranks of a communicator, and who is whose neighbour."""

    _free = "starling_topology_free"

    def __init__(
        self, comm: Any, *, corners: bool = False, left: Sequence[int] = (), right: Sequence[int] = ()
    ) -> None:
        """The grid or graph of a communicator of mpi4py (`comm.Create_cart`), or a grid given by its neighbours.

        With `corners`, ranks that lie diagonally in the Cartesian grid are neighbours too. `left` and `right` make a
        grid of any communicator: they have a rank of it for each dimension, `MPI.PROC_NULL` for none. Raises Error
        where the communicator has no topology and no neighbours are given, or a rank is not in it; ValueError where
        `left` and `right` differ in length. The communicator must not be freed before all requests on the topology are
        made, and not before these are freed if they carry out collectives.
        """
        super().__init__()
        self.comm = comm
        made = ctypes.byref(self._handle)
        if left or right:
            if len(left) != len(right):
                raise ValueError("left and right must have a rank for each dimension")
            sides = (integers(left), integers(right))
            call("starling_topology_grid_f", len(left), *sides, None, comm.py2f(), made)
        elif _has_graph(comm):
            call("starling_topology_graph_f", comm.py2f(), made)
        else:
            call("starling_topology_cartesian_f", comm.py2f(), int(corners), made)

    @property
    def neighbours(self) -> tuple[list[int], list[int]]:
        """Ranks of the communicator that this rank receives from, and those that it sends to, as MPI orders them.

        Raises Error where the library is not loaded.
        """
        if library() is None:
            raise fault(INACTIVE)
        counts = (ctypes.c_int(), ctypes.c_int())
        ranks = (ctypes.POINTER(ctypes.c_int)(), ctypes.POINTER(ctypes.c_int)())
        places = [ctypes.byref(one) for pair in zip(counts, ranks, strict=True) for one in pair]
        call("starling_topology_neighbours", self._handle, *places)
        sources, targets = ([some[i] for i in range(count.value)] for count, some in zip(counts, ranks, strict=True))
        return sources, targets


def _has_graph(comm: Any) -> bool:
    mpi: Any = importlib.import_module("mpi4py.MPI")
    return comm.Get_topology() in {mpi.GRAPH, mpi.DIST_GRAPH}


class Map(_Handle):
    """Which part of a vector is exchanged. It is made by one of the class methods."""

    _free = "starling_map_free"

    def __init__(self, function: str, *arguments: Any) -> None:
        """By a function of the library's; the class methods have the names."""
        super().__init__()
        call(function, *arguments, ctypes.byref(self._handle))

    @classmethod
    def halo(cls, width: int) -> Map:
        """A halo of `width` cells on each side of each dimension, for the sets of halos. Raises Error if negative."""
        return cls("starling_map_halo", width)

    @classmethod
    def all(cls) -> Map:
        """All elements."""
        return cls("starling_map_all")

    @classmethod
    def list(cls, counts: Sequence[int], displacements: Sequence[int]) -> Map:
        """A part for each rank: its number of elements, and where it begins in the vector, in elements.

        Raises ValueError where the two differ in length.
        """
        if len(counts) != len(displacements):
            raise ValueError("counts and displacements must have a number for each rank")
        return cls("starling_map_list", len(counts), integers(counts), integers(displacements))

    @classmethod
    def counts(cls, send: int, receive: int) -> Map:
        """`send` elements to each rank, and `receive` elements from each. Raises Error if one is negative."""
        return cls("starling_map_counts", send, receive)

    @classmethod
    def operator(cls, op: Any) -> Map:
        """All elements, reduced by an operator of mpi4py, such as `MPI.SUM`. Raises Error for `MPI.OP_NULL`."""
        return cls("starling_map_operator_f", op.py2f())

    @classmethod
    def in_place(cls) -> Map:
        """`MPI.IN_PLACE`: what is sent stands in the other vector, and the array is not used."""
        return cls("starling_map_in_place")


class Vector(_Handle):
    """An array of the program's, `array`, which is kept while the vector is."""

    _free = "starling_vector_free"

    def __init__(self, array: Any, part: Map, *, values: bool = False) -> None:
        """On a contiguous, writable array in C's or Fortran's order, of which `part` is exchanged.

        Each axis is a dimension of the grid, in the order of the topology's dimensions; its extent counts the halo
        cells on both sides. With `values`, the last axis is no dimension: it has the values of an element. The type of
        the values must be one of MPI's. Raises ValueError for an array with gaps, of another type or that cannot
        be written; Error where an extent is too small for the halo.
        """
        mpi: Any = importlib.import_module("mpi4py.MPI")
        super().__init__()
        self.array = array
        view = memoryview(array)
        if not (view.c_contiguous or view.f_contiguous) or view.shape is None:
            raise ValueError("a vector needs a contiguous array; numpy.ascontiguousarray makes one")
        if view.readonly:
            raise ValueError("a vector needs an array that can be written")
        datatype = mpi._typedict.get(view.format)
        if datatype is None:
            raise ValueError(f"MPI has no datatype for elements of the format {view.format!r}")
        order = ORDERS["C" if view.c_contiguous else "F"]
        extents = view.shape[:-1] if values else view.shape
        address = ctypes.c_void_p(array.ctypes.data if hasattr(array, "ctypes") else _address(view))
        per_element = view.shape[-1] if values else 0
        shape = (len(extents), integers(extents), per_element, part.handle, datatype.py2f(), order)
        call("starling_vector_register_f", *shape, address, ctypes.byref(self._handle))


def _address(view: memoryview) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


class Attribute(_Handle):
    """A characteristic that functions differ in, and its values."""

    _free = "starling_attribute_free"

    def __init__(self, name: str, values: Sequence[int], names: Sequence[str] | None = None) -> None:
        """Called `name`, with different `values` and a name for each, by default its digits.

        Raises Error where a value occurs twice or there is none; ValueError where `names` has another length.
        """
        super().__init__()
        if names is not None and len(names) != len(values):
            raise ValueError("there must be a name for each value")
        self.name = name
        self.values = list(values)
        self.names = [str(one) for one in values] if names is None else list(names)
        texts = (ctypes.c_char_p * len(names))(*(one.encode() for one in names)) if names is not None else None
        call("starling_attribute_create", text(name), len(values), integers(values), texts, ctypes.byref(self._handle))


class AttributeSet(_Handle):
    """Attributes that belong together: those of the functions of a set."""

    _free = "starling_attribute_set_free"

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        """In the order in which functions give values. Raises Error where there is none."""
        super().__init__()
        self.attributes = list(attributes)
        handles = (ctypes.c_void_p * max(1, len(attributes)))(*(one.handle.value for one in attributes))
        call("starling_attribute_set_create", len(attributes), handles, ctypes.byref(self._handle))


class Function(_Handle):
    """One way to carry out a pattern."""

    _free = "starling_function_free"

    def __init__(
        self,
        name: str,
        work: Work,
        attributes: AttributeSet | None = None,
        values: Sequence[int] = (),
        *,
        finish: Work | None = None,
        progress: Work | None = None,
    ) -> None:
        """`work(request)` does it all, or begins what `finish(request)` ends, so that the program can compute between.

        `progress(request)` is called between them while the program waits or asks for progress. All return None, or an
        error number of the program; 0 is no error. What they raise is raised by the request's `start`, `init`, `wait`
        or `progress`. `values` has a value of each attribute. In the record, characters of `name` other than letters,
        digits, dots, dashes and underscores become underscores. A function named `native` is what the report compares
        with. Raises ValueError where `values` has another length than `attributes`, or there is `progress` without
        `finish`; Error where an attribute has no such value.
        """
        super().__init__()
        if progress is not None and finish is None:
            raise ValueError("a function that does it all at once makes no progress; give finish too")
        if len(values) != (len(attributes.attributes) if attributes is not None else 0):
            raise ValueError("there must be a value of each attribute")
        plain = re.sub(rb"[^\w.-]", b"_", name.rstrip(" ").encode()[:_LONGEST_NAME]).decode()
        self.name = plain or "function_0"
        self.attributes = attributes
        self.values = list(values)
        self.parts = [work] if finish is None else [work, finish]
        self.progress = progress
        self._steps = [_step(self, part) if part is not None else WORK() for part in (work, progress, finish)]
        rest = (None, _handle_of(attributes), integers(values), ctypes.byref(self._handle))
        call("starling_function_split", text(name), *self._steps, *rest)


def _number(function: Function, part: Work, request: Request) -> int:
    """Calls a part of a function, and returns the number of its error."""
    returned = part(request)
    if returned is None:
        return 0
    try:
        return operator.index(returned)
    except TypeError:
        what = f"function {quoted(function.name)} returned an object of type {type(returned).__name__}"
        raise TypeError(f"{what}; return None or an error number") from None


def _step(function: Function, part: Work) -> Any:
    def step(handle: int, _: int | None) -> int:
        request = Request.of(handle)
        try:
            return _number(function, part, request)
        except BaseException as error:  # C cannot pass it on: `start` raises it
            request.error = error
            return 1

    return WORK(step)


class FunctionSet(_Handle):
    """Functions that do the same; the first one is the baseline: what is used where nothing is tried."""

    _free = "starling_function_set_free"

    def __init__(self, name: str, functions: Sequence[Function]) -> None:
        """Of the program's own functions, which are kept while the set is; `name` is the pattern's in reports.

        All functions have the same AttributeSet or none, and different values. Raises Error where they have not;
        ValueError where there is no function.
        """
        super().__init__()
        if not functions:
            raise ValueError("a function set needs a function")
        self.name = name
        self.functions = list(functions)
        handles = (ctypes.c_void_p * len(functions))(*(one.handle.value for one in functions))
        call("starling_function_set_create", text(name), len(functions), handles, ctypes.byref(self._handle))

    @classmethod
    def combinations(
        cls,
        name: str,
        work: Work,
        attributes: AttributeSet,
        excluded: Iterable[Sequence[int]] = (),
        *,
        finish: Work | None = None,
        progress: Work | None = None,
    ) -> FunctionSet:
        """A function for each combination of attribute values but those `excluded`, which have a value of each.

        All share `work`, `finish` and `progress`, as Function has them; `request.attribute` tells them which it is. The
        values of the last attribute change fastest. A function is called `name` and the names of its values, with dots
        between. Raises ValueError where no combination is left.
        """
        left_out = [list(one) for one in excluded]
        functions = []
        for pairs in itertools.product(*(zip(one.values, one.names, strict=True) for one in attributes.attributes)):
            values = [value for value, _ in pairs]
            if values not in left_out:
                its_name = ".".join((name, *(value_name for _, value_name in pairs)))
                functions.append(Function(its_name, work, attributes, values, finish=finish, progress=progress))
        return cls(name, functions)

    @classmethod
    def predefined(cls, name: str) -> FunctionSet:
        """One of the library's, which is never freed.

        `neighborhood`, `shift_ltor` and `shift_rtol` exchange halos. Every collective (`allreduce`) is a set, and its
        nonblocking form (`iallreduce`). Raises Error where there is no such set, or the library is not loaded.
        """
        if library() is None:
            raise fault(INACTIVE)
        made = _Predefined.__new__(_Predefined)
        _Handle.__init__(made)
        made.name = name
        made.functions = []
        call("starling_function_set_predefined", text(name), ctypes.byref(made.handle))
        return made


class _Predefined(FunctionSet):
    """A set of the library's, which is never freed."""

    def free(self) -> None:
        """Nothing."""

    def __del__(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Figures:
    """Seconds of a call of a function: the `mean`, the mean without outliers (`filtered`), and how many `outliers`."""

    mean: float
    filtered: float
    outliers: int


class Request(_Handle):
    """A pattern that the program repeats: a function set on vectors and a topology."""

    _free = "starling_request_free"
    _all: ClassVar[dict[int, Request]] = {}

    def __init__(
        self,
        functions: FunctionSet,
        topology: Topology | None = None,
        send: Vector | None = None,
        receive: Vector | None = None,
        *,
        root: int = 0,
        strategy: str | None = None,
    ) -> None:
        """Collective over the ranks of `topology`, which is `MPI.COMM_WORLD` where it is left out.

        `send` and `receive` are what a predefined set works on; functions of the program may use them. `receive` is
        `send` where it is left out. `root` is a rank where the set has one. `strategy` is one of those in
        docs/strategies.md, such as `brute-force`; by default that of the run. Raises Error where the parts do not fit
        the set, or there is no such strategy, on all ranks if on one. Where the library is not loaded it warns on rank
        0, and each start calls the first function.
        """
        super().__init__()
        self.functions = functions
        self.topology = topology
        self.send = send
        self.receive = receive if receive is not None else send
        self.error: BaseException | None = None
        if library() is None and _is_first():
            only = f"requests of {quoted(functions.name)} call only {quoted(functions.functions[0].name)}"
            warnings.warn(f"the library is not loaded: {only}; {HOW}", RuntimeWarning, stacklevel=2)
        parts = (functions.handle, _handle_of(topology), _handle_of(send), _handle_of(self.receive))
        call("starling_request_create", *parts, root, text(strategy), ctypes.byref(self._handle))
        if self._handle:
            self._all[self._handle.value or 0] = self

    @classmethod
    def of(cls, handle: int) -> Request:
        """The request of a handle in C."""
        return cls._all[handle]

    def free(self) -> None:
        """Frees it. Collective. Raises Error between `init` and `wait`."""
        number = self._handle.value or 0
        super().free()
        self._all.pop(number, None)

    def _run(self, name: str, *arguments: Any) -> None:
        code = called(name, self._handle, *arguments)
        error, self.error = self.error, None
        if code == FAILED and error is not None:
            raise error
        if code != 0:
            raise fault(code)

    @property
    def _first(self) -> Function:
        return self.functions.functions[0]

    def _carry_out(self, name: str, parts: slice) -> None:
        """Calls a function of the library's; where there is none, parts of the first function."""
        if library() is not None:
            self._run(name)
            return
        for part in self._first.parts[parts]:
            if number := _number(self._first, part, self):
                raise self._failed(number)

    def _failed(self, number: int) -> Error:
        return Error(FAILED, f"the function {self._first.name} of {self.functions.name} failed: error {number}")

    def start(self) -> None:
        """Carries out the pattern once. Collective.

        Raises what the function raised on this rank; Error where it returned an error number. The other ranks go on,
        and all leave the function out after their next agreement. Raises Error between `init` and `wait`.
        """
        self._carry_out("starling_request_start", slice(None))

    def init(self) -> None:
        """Begins it; `wait` ends it. Collective. A function without `finish` does it all here. Raises as `start`."""
        self._carry_out("starling_request_init", slice(1))

    def wait(self) -> None:
        """Ends what `init` began. Collective. Raises as `start`; Error where there was no `init`."""
        self._carry_out("starling_request_wait", slice(1, None))

    def progress(self) -> bool:
        """Lets messages advance between `init` and `wait`; True where `wait` has nothing to wait for on this rank.

        Always False for a function of the program with `finish`: it cannot be asked. Raises Error elsewhere.
        """
        if library() is None:
            if self._first.progress is not None and (number := _number(self._first, self._first.progress, self)):
                raise self._failed(number)
            return len(self._first.parts) == 1
        complete = ctypes.c_int()
        self._run("starling_request_progress", ctypes.byref(complete))
        return bool(complete.value)

    def update(self, seconds: float) -> None:
        """The program's own time of the latest call, in seconds, which counts in place of Starling's.

        All ranks give one, or none. A function may call it too. Raises Error where the time is negative or no call
        has ended since the latest agreement.
        """
        self._run("starling_request_update", ctypes.c_double(seconds))

    def _text(self, name: str) -> str:
        if library() is None:
            return self._first.name
        found = ctypes.c_char_p()
        call(name, self._handle, ctypes.byref(found))
        return (found.value or b"").decode()

    @property
    def function(self) -> str:
        """The name of the function of the present call, else of the latest, else of the next one."""
        return self._text("starling_request_function")

    @property
    def winner(self) -> str:
        """The name of the function that was chosen. Raises Error, of code 16, while functions are tried."""
        return self._text("starling_request_winner")

    @property
    def exploring(self) -> bool:
        """Whether functions are tried."""
        found = ctypes.c_int()
        call("starling_request_exploring", self._handle, ctypes.byref(found))
        return bool(found.value)

    def figures(self, function: str) -> Figures:
        """Times of the calls of a function while it was tried, on the slowest rank.

        Raises Error where there is no such function, it was not measured, or the library is not loaded.
        """
        if library() is None:
            raise fault(INACTIVE)
        found = (ctypes.c_double(), ctypes.c_double(), ctypes.c_int())
        call("starling_request_figures", self._handle, text(function), *(ctypes.byref(one) for one in found))
        mean, filtered, outliers = found
        return Figures(mean.value, filtered.value, outliers.value)

    def attribute(self, name: str) -> int:
        """The value of an attribute of `function`. Raises Error where there is no such attribute."""
        if library() is None:
            attributes = self._first.attributes.attributes if self._first.attributes is not None else []
            for attribute, value in zip(attributes, self._first.values, strict=True):
                if attribute.name == name:
                    return value
            raise Error(ATTRIBUTE, f"the functions of {self.functions.name} have no attribute {quoted(name)}")
        found = ctypes.c_int()
        call("starling_request_attribute", self._handle, text(name), ctypes.byref(found))
        return found.value


def _is_first() -> bool:
    """Whether this process tells what concerns all: rank 0, or one that does not use MPI now."""
    mpi: Any = sys.modules.get("mpi4py.MPI")
    return mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.rank == 0


class Timer(_Handle):
    """Requests tuned by the time of a section of code: what runs within `with timer.section():`.

    One request at a time tries its functions; the next one does so when that has chosen. A request keeps one function
    within a section, and learns nothing outside of sections.
    """

    _free = "starling_timer_free"

    def __init__(self, requests: Sequence[Request]) -> None:
        """Of requests whose communicators have the same ranks in the same order, in the order in which they are tuned.

        Raises Error where the ranks are not the same, or a request has another timer.
        """
        super().__init__()
        handles = (ctypes.c_void_p * max(1, len(requests)))(*(one.handle.value for one in requests))
        call("starling_timer_create", len(requests), handles, ctypes.byref(self._handle))

    def add(self, request: Request) -> None:
        """One more request, tuned after the others. Raises Error within a section, and as the constructor."""
        call("starling_timer_add", self._handle, request.handle)

    def remove(self, request: Request) -> None:
        """A request less. Raises Error within a section, or where the timer does not have it."""
        call("starling_timer_remove", self._handle, request.handle)

    def start(self) -> None:
        """Begins a section. Raises Error within one."""
        call("starling_timer_start", self._handle)

    def stop(self) -> None:
        """Ends the section. Raises Error where there is none."""
        call("starling_timer_stop", self._handle)

    def section(self) -> _Section:
        """A section as a `with` block."""
        return _Section(self)


class _Section:
    def __init__(self, timer: Timer) -> None:
        self._timer = timer

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.stop()
