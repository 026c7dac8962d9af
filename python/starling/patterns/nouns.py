"""Topologies, vectors, functions, requests and timers: what starling/patterns.h describes, as objects.

Communicators are mpi4py's. Arrays are anything with a contiguous buffer, such as NumPy's. Objects are freed when
nothing refers to them, but freeing a request is collective: free it, or leave its `with` block, on all ranks alike.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self

from starling.patterns.library import FAILED, call, called, fault, integers, library, text

WORK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ORDERS = {"C": 0, "F": 1}

Work = Callable[["Request"], int | None]
"""A function of a set: it gets its request, and returns nothing, or the program's own number of an error."""


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
        """Frees it. Nothing if it is free."""
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
    return one.handle if one is not None else None


class Topology(_Handle):
    """The ranks of a communicator, and who is whose neighbour."""

    _free = "starling_topology_free"

    def __init__(
        self, comm: Any, *, corners: bool = False, left: Sequence[int] = (), right: Sequence[int] = ()
    ) -> None:
        """The grid of a Cartesian communicator, with `corners` diagonal neighbours too; or one by its neighbours.

        `left` and `right` have a rank for each dimension, MPI.PROC_NULL for none.
        """
        super().__init__()
        self.comm = comm
        made = ctypes.byref(self._handle)
        if left or right:
            if len(left) != len(right):
                raise ValueError("left and right must have a rank for each dimension")
            sides = (integers(left), integers(right))
            call("starling_topology_grid_f", len(left), *sides, None, comm.py2f(), made)
        else:
            call("starling_topology_cartesian_f", comm.py2f(), int(corners), made)


class Map(_Handle):
    """Which part of a vector is exchanged: see the class methods."""

    _free = "starling_map_free"

    def __init__(self, function: str, *arguments: Any) -> None:
        """By a function of the library's; the class methods have the names."""
        super().__init__()
        call(function, *arguments, ctypes.byref(self._handle))

    @classmethod
    def halo(cls, width: int) -> Map:
        """A halo of so many cells on each side."""
        return cls("starling_map_halo", width)

    @classmethod
    def all(cls) -> Map:
        """All of it."""
        return cls("starling_map_all")

    @classmethod
    def list(cls, counts: Sequence[int], displacements: Sequence[int]) -> Map:
        """A part for each rank, in elements."""
        if len(counts) != len(displacements):
            raise ValueError("counts and displacements must have a number for each rank")
        return cls("starling_map_list", len(counts), integers(counts), integers(displacements))

    @classmethod
    def counts(cls, send: int, receive: int) -> Map:
        """So many elements to and from each rank."""
        return cls("starling_map_counts", send, receive)

    @classmethod
    def operator(cls, op: Any) -> Map:
        """All of it, reduced by an operator of MPI."""
        return cls("starling_map_operator_f", op.py2f())


class Vector(_Handle):
    """An array of the program's."""

    _free = "starling_vector_free"

    def __init__(self, array: Any, part: Map, *, values: bool = False) -> None:
        """On a contiguous array, in C's or Fortran's order. With `values` its last axis has the values of an element.

        The halo cells count among the elements of each axis. The array is kept while the vector is.
        """
        mpi: Any = importlib.import_module("mpi4py.MPI")
        super().__init__()
        self.array = array
        view = memoryview(array)
        if not (view.c_contiguous or view.f_contiguous) or view.shape is None:
            raise ValueError("a vector needs a contiguous array; numpy.ascontiguousarray makes one")
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
        """With a name for each value, by default its digits."""
        super().__init__()
        if names is not None and len(names) != len(values):
            raise ValueError("there must be a name for each value")
        texts = (ctypes.c_char_p * len(names))(*(one.encode() for one in names)) if names is not None else None
        call("starling_attribute_create", text(name), len(values), integers(values), texts, ctypes.byref(self._handle))


class AttributeSet(_Handle):
    """Attributes that belong together."""

    _free = "starling_attribute_set_free"

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        """In the order in which functions give values."""
        super().__init__()
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
    ) -> None:
        """`work` does it all, or begins what `finish` ends. `values`: one of each attribute."""
        super().__init__()
        self._steps = [_step(work), _step(finish) if finish is not None else WORK()]
        begin, end = self._steps
        rest = (None, _handle_of(attributes), integers(values), ctypes.byref(self._handle))
        call("starling_function_split", text(name), begin, WORK(), end, *rest)


def _step(work: Work) -> Any:
    def step(handle: int, _: int | None) -> int:
        request = Request.of(handle)
        try:
            return int(work(request) or 0)
        except BaseException as error:  # C cannot pass it on: `start` raises it
            request.error = error
            return 1

    return WORK(step)


class FunctionSet(_Handle):
    """Functions that do the same; the first one is the baseline."""

    _free = "starling_function_set_free"

    def __init__(self, name: str, functions: Sequence[Function]) -> None:
        """Of the program's own functions, which are kept while the set is."""
        super().__init__()
        self.functions = list(functions)
        handles = (ctypes.c_void_p * max(1, len(functions)))(*(one.handle.value for one in functions))
        call("starling_function_set_create", text(name), len(functions), handles, ctypes.byref(self._handle))

    @classmethod
    def predefined(cls, name: str) -> FunctionSet:
        """One of the library's: "neighborhood", "allreduce", "iallreduce"."""
        made = _Predefined.__new__(_Predefined)
        _Handle.__init__(made)
        made.functions = []
        call("starling_function_set_predefined", text(name), ctypes.byref(made.handle))
        return made


class _Predefined(FunctionSet):
    """A set of the library's, which is never freed."""

    def free(self) -> None:
        """Nothing."""

    def __del__(self) -> None:
        """Nothing."""


class Request(_Handle):
    """A pattern that the program repeats: a set on vectors and a topology."""

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
        """Collective. `receive` is `send` where it is left out; `strategy` is the run's."""
        super().__init__()
        self.functions = functions
        self.topology = topology
        self.send = send
        self.receive = receive if receive is not None else send
        self.error: BaseException | None = None
        parts = (functions.handle, _handle_of(topology), _handle_of(send), _handle_of(self.receive))
        call("starling_request_create", *parts, root, text(strategy), ctypes.byref(self._handle))
        self._all[self._handle.value or 0] = self

    @classmethod
    def of(cls, handle: int) -> Request:
        """The request of a handle."""
        return cls._all[handle]

    def free(self) -> None:
        """Frees it. Collective."""
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

    def start(self) -> None:
        """Carries out the pattern once. Collective. Raises what the function raised on this rank."""
        self._run("starling_request_start")

    def init(self) -> None:
        """Begins it; `wait` ends it."""
        self._run("starling_request_init")

    def wait(self) -> None:
        """Ends what `init` began."""
        self._run("starling_request_wait")

    def progress(self) -> bool:
        """Lets it advance; whether its part on this rank has ended."""
        complete = ctypes.c_int()
        self._run("starling_request_progress", ctypes.byref(complete))
        return bool(complete.value)

    def update(self, seconds: float) -> None:
        """The program's own time of the latest call."""
        self._run("starling_request_update", ctypes.c_double(seconds))

    def _text(self, name: str) -> str:
        found = ctypes.c_char_p()
        call(name, self._handle, ctypes.byref(found))
        return (found.value or b"").decode()

    @property
    def function(self) -> str:
        """The function of the present call, or of the next one."""
        return self._text("starling_request_function")

    @property
    def winner(self) -> str:
        """The function that was chosen. Raises Error while functions are tried."""
        return self._text("starling_request_winner")

    @property
    def exploring(self) -> bool:
        """Whether functions are tried."""
        found = ctypes.c_int()
        call("starling_request_exploring", self._handle, ctypes.byref(found))
        return bool(found.value)

    def attribute(self, name: str) -> int:
        """The value of an attribute of the function of the present call, or of the next one."""
        found = ctypes.c_int()
        call("starling_request_attribute", self._handle, text(name), ctypes.byref(found))
        return found.value


class Timer(_Handle):
    """Requests tuned by the time of a section of code: what runs within `with timer.section():`."""

    _free = "starling_timer_free"

    def __init__(self, requests: Sequence[Request]) -> None:
        """All have communicators of the same ranks in the same order."""
        super().__init__()
        handles = (ctypes.c_void_p * max(1, len(requests)))(*(one.handle.value for one in requests))
        call("starling_timer_create", len(requests), handles, ctypes.byref(self._handle))

    def start(self) -> None:
        """Begins a section."""
        call("starling_timer_start", self._handle)

    def stop(self) -> None:
        """Ends it."""
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


library()
