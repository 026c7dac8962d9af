"""The Python package for patterns, in a process without the library: it is imported, documented, and runs baselines."""

from __future__ import annotations

import inspect
import itertools
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from starling import patterns
from starling.patterns import library, nouns, reference
from support.mpis import ROOT

PAGE = ROOT / "docs/patterns.md"


def untuned(functions: patterns.FunctionSet) -> patterns.Request:
    with pytest.warns(RuntimeWarning, match="the library is not loaded"):
        return patterns.Request(functions)


def test_help_shows_the_package_without_the_library() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "import starling.patterns as p; help(p)"], capture_output=True, text=True, check=True
    )
    assert "class Request" in shown.stdout
    assert shown.stderr == ""


def public() -> Iterator[tuple[str, object]]:
    for name in patterns.__all__:
        noun = getattr(patterns, name)
        yield name, noun
        for member, value in vars(noun).items():
            if member == "__init__" or not member.startswith("_"):
                yield f"{name}.{member}", value


@pytest.mark.parametrize(("name", "what"), [pytest.param(*one, id=one[0]) for one in public()])
def test_every_name_says_what_it_is(name: str, what: object) -> None:
    if name != "Error.__init__":
        assert (inspect.getdoc(what) or "").endswith((".", ":"))


def test_the_reference_on_the_page_is_that_of_the_code() -> None:
    text = PAGE.read_text()
    assert "### Request\n" in text
    assert reference.page(text) == text, "run make docs"


def test_the_reference_is_put_between_the_comments_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- python -->\nold\n<!-- end -->\nbehind\n")
    assert reference.main([str(page)]) == 0
    assert page.read_text() == f"before\n<!-- python -->\n{reference.reference()}<!-- end -->\nbehind\n"
    assert reference.main([]) == 2


def test_each_member_is_one_row_of_a_table_of_two_columns() -> None:
    rows = [line for line in reference.reference().splitlines() if line.startswith("|")]
    assert "| `FunctionSet.predefined(name: str) -> FunctionSet` | One" in "\n".join(rows)
    assert [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 3] == []


def test_the_reference_has_signatures_as_a_program_writes_them() -> None:
    told = reference.reference()
    assert "\n    functions: FunctionSet,\n    topology: Topology | None = None,\n" in told
    assert "| `FunctionSet.predefined(name: str) -> FunctionSet` | One of" in told
    assert "`progress() -> bool`" in told


def test_without_the_library_a_request_calls_the_first_function() -> None:
    calls: list[str] = []

    def told(name: str) -> patterns.Function:
        def begin(request: patterns.Request) -> None:
            calls.append(f"{name} begins as {request.function}, a = {request.attribute('a')}")

        def finish(_: patterns.Request) -> int:
            calls.append(f"{name} ends")
            return 0

        return patterns.Function(f"way {name}", begin, attributes, [ord(name)], finish=finish)

    attributes = patterns.AttributeSet([patterns.Attribute("a", [ord("x"), ord("y")])])
    request = untuned(patterns.FunctionSet("set", [told("x"), told("y")]))
    begun = "x begins as way_x, a = 120"
    with request:
        request.start()
        assert calls == [begun, "x ends"]
        request.init()
        assert not request.progress()
        assert calls[2:] == [begun]
        request.wait()
        assert calls[2:] == [begun, "x ends"]
        request.update(1.0)
        assert request.winner == "way_x"
        assert not request.exploring
        with pytest.raises(patterns.Error, match="no attribute 'b'") as raised:
            request.attribute("b")
        assert raised.value.code == 8
        timer = patterns.Timer([request])
        with timer.section():
            request.start()
        timer.free()
    assert len(calls) == 6


def test_what_a_request_without_the_library_tells_stands_at_the_programs_line() -> None:
    functions = patterns.FunctionSet("ring", [patterns.Function("native", lambda _: None)])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        patterns.Request(functions)
    (one,) = told
    assert one.filename == __file__
    assert str(one.message) == (
        "the library is not loaded: requests of 'ring' call only 'native'; "
        "start the program by: starling run -- mpirun ... python ..."
    )


def test_a_predefined_set_needs_the_library() -> None:
    with pytest.raises(patterns.Error, match="start the program by: starling run -- mpirun") as raised:
        patterns.FunctionSet.predefined("neighborhood")
    assert raised.value.code == 17


class Things:
    """What a function may not return."""

    def __bool__(self) -> bool:
        raise ValueError("The truth value of an array with more than one element is ambiguous")


@pytest.mark.parametrize(("returned", "what"), [(Things(), "Things"), ([1.0], "list"), (0.0, "float")])
def test_a_function_that_returns_something_else_than_an_error_number_is_named(returned: object, what: str) -> None:
    work = patterns.Function("library", lambda _: returned)  # type: ignore[arg-type,return-value]
    with untuned(patterns.FunctionSet("set", [work])) as request, pytest.raises(TypeError) as raised:
        request.start()
    assert str(raised.value) == f"function 'library' returned an object of type {what}; return None or an error number"


def test_an_error_number_and_an_exception_are_raised_by_the_start() -> None:
    def wrong(_: patterns.Request) -> None:
        raise ArithmeticError("no")

    with untuned(patterns.FunctionSet("set", [patterns.Function("f", lambda _: 7)])) as request:
        with pytest.raises(patterns.Error, match="the function f of set failed: error 7") as raised:
            request.start()
        assert raised.value.code == 13
    failing = patterns.FunctionSet("set", [patterns.Function("f", wrong)])
    with untuned(failing) as request, pytest.raises(ArithmeticError):
        request.start()


def test_what_cannot_be_is_refused() -> None:
    attributes = patterns.AttributeSet([patterns.Attribute("a", [1, 2])])
    for values in ([], [1, 2]):
        with pytest.raises(ValueError, match="a value of each attribute"):
            patterns.Function("f", lambda _: None, attributes, values)
    with pytest.raises(ValueError, match="needs a function"):
        patterns.FunctionSet("set", [])


def test_combinations_are_functions_in_the_order_of_c_without_those_excluded() -> None:
    told: list[int] = []

    def work(request: patterns.Request) -> None:
        told.extend(request.attribute(name) for name in ("partners", "depth"))

    partners = patterns.Attribute("partners", [0, 1], ["all at once", "pair"])
    attributes = patterns.AttributeSet([partners, patterns.Attribute("depth", [2, 4])])
    made = patterns.FunctionSet.combinations("ring", work, attributes, [(0, 2), (9, 9)])
    assert [one.name for one in made.functions] == ["ring.all_at_once.4", "ring.pair.2", "ring.pair.4"]
    assert [one.values for one in made.functions] == [[0, 4], [1, 2], [1, 4]]
    with untuned(made) as request:
        request.start()
        assert request.function == "ring.all_at_once.4"
    assert told == [0, 4]
    with pytest.raises(ValueError, match="needs a function"):
        patterns.FunctionSet.combinations("none", work, attributes, itertools.product([0, 1], [2, 4]))


def functions_of_c() -> set[str]:
    header = (ROOT / "include/starling/patterns.h").read_text()
    found = set(re.findall(r"\b(starling_\w+)\(", re.sub(r"/\*.*?\*/|\btypedef .*?;", "", header, flags=re.DOTALL)))
    assert len(found) > 40
    return found


def test_fortran_has_all_functions_of_c() -> None:
    module = (ROOT / "include/starling/starling.f90").read_text()
    in_fortran = set(re.findall(r"^ *(?:[\w()]+ )?function (starling_\w+)\(", module, re.MULTILINE))
    assert functions_of_c() - in_fortran == set()


OTHERWISE_IN_PYTHON = {
    "starling_vector_allocate": "array",  # of NumPy's
    "starling_function_create": "Function",  # by starling_function_split, which needs no finish
    "starling_function_set_combinations": "combinations",
    "starling_request_communicator": "topology",
    "starling_request_data": "send",
}
"""Functions of C that Python needs not call, and what programs use there."""


def test_python_has_all_functions_of_c() -> None:
    sources = "".join(Path(inspect.getfile(one)).read_text() for one in (library, nouns))
    in_python = {name.removesuffix("_f") for name in re.findall(r"\bstarling_(?!library)\w+", sources)}
    in_c = functions_of_c()
    assert in_python - in_c == set()
    assert in_c - in_python == OTHERWISE_IN_PYTHON.keys()
    for name in OTHERWISE_IN_PYTHON.values():
        assert re.search(rf"class {name}\b|def {name}\b|self\.{name} = ", sources), name


def test_python_knows_errors_by_the_numbers_of_c() -> None:
    header = (ROOT / "include/starling/patterns.h").read_text()
    in_c = {name: int(code) for name, code in re.findall(r"\bSTARLING_ERROR_(\w+) = (\d+)", header)}
    in_python = {name: code for name, code in vars(library).items() if name.isupper() and isinstance(code, int)}
    assert in_python
    assert in_python.items() <= in_c.items()
