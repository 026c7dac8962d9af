"""Readers of data accept any file quickly, or refuse it in one line."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from starling.algorithms.prediction import size
from starling.lab import measured
from starling.launchers import elf, launcher, variables
from starling.messages import in_one_line
from starling.networks import platform_file, slurm_topology
from starling.parameters import journal as parameters_journal
from starling.parameters import space
from starling.records import history, record
from starling.records.history_folder import newest_first
from starling.records.world import world
from starling.runs import options
from starling.runs import settings as starling_settings
from starling.tables import table as tables
from starling.tuning import journal, json_lines, points

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = (ROOT / "tests/knowledge/run-record.json").read_text()
LONGEST = 1200
"""Most characters of a refusal: some values, and the valid ones."""

REFUSALS = (
    record.RecordError,
    platform_file.PlatformError,
    starling_settings.SettingsError,
    measured.MeasuredError,
    tables.TableError,
    points.PlanError,
    json_lines.JournalError,
)

# A stall is a failure: an input of some hundred bytes takes milliseconds, even on a busy machine.
fuzzed = settings(
    deadline=10_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

numbers = st.one_of(st.integers(), st.floats(), st.sampled_from([10**400, -(2**63), 1e308, 5e-324]))
scalars = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=40), st.sampled_from(["s0", "h[0-3]", "1gbit"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)


def refused_in_a_line(read: Callable[[], object]) -> None:
    try:
        read()
    except (*REFUSALS, ValueError) as refusal:
        assert type(refusal) in (*REFUSALS, ValueError), refusal
        line = str(refusal)
        assert in_one_line(line) == line
        assert 0 < len(line) <= LONGEST


@st.composite
def spoilt(draw: st.DrawFn, text: str) -> bytes:
    """A file of JSON with some of its values replaced, or some of its bytes."""
    if draw(st.booleans()):
        data = bytearray(text.encode())
        for _ in range(draw(st.integers(1, 4))):
            at = draw(st.integers(0, len(data)))
            data[at : at + draw(st.integers(0, 20))] = draw(st.binary(max_size=20))
        return bytes(data)
    whole = json.loads(text)
    for _ in range(draw(st.integers(1, 3))):
        inner: Any = whole
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            key = draw(st.sampled_from(keys))
            if not (isinstance(inner[key], dict | list) and inner[key]) or draw(st.integers(0, 5)) == 0:
                break
            inner = inner[key]
        if isinstance(inner, dict) and draw(st.booleans()):
            inner[draw(st.text(max_size=20))] = inner.pop(key)
        else:
            inner[key] = draw(values)
        if not whole:
            break
    return json.dumps(whole).encode()


@fuzzed
@example(data=b'{"run": {"program": "", "ranks": 1e999, "mpi_flavour": "", "mpi_version": ""}}')
@given(data=st.one_of(spoilt(SAMPLE), values.map(lambda value: json.dumps(value).encode()), st.binary()))
def test_records_and_the_history_of_them(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "20240501T120000-host-1.json"
    file.write_bytes(data)
    refused_in_a_line(lambda: record.read(file))
    found = history.read(tmp_path)
    assert len(found.entries) + len(found.skipped) + len(found.held) == 1
    for one in found.skipped:
        assert in_one_line(one.why) == one.why
    assert newest_first(tmp_path) == [file]
    world(file)


PROFILED = json.dumps(
    {
        "run": {"ranks": 4},
        "contexts": [
            {
                "collective": "alltoallv",
                "ranks": 4,
                "profile": {"rank_seconds": 2.0, "waiting_rank_seconds": 0.5, "mean_bytes": 8.0},
            },
            {"collective": "bcast", "ranks": 4, "bytes": 8, "seconds": 1.0},
        ],
    }
)


@fuzzed
@example(data=PROFILED.replace("4", "1e999").encode())
@example(data=PROFILED.replace("2.0", "1" + "0" * 400).encode())
@given(data=st.one_of(spoilt(PROFILED), values.map(lambda value: json.dumps(value).encode()), st.binary()))
def test_profiles(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    file.write_bytes(data)
    refused_in_a_line(lambda: points.from_profile(file, None, [0, 0, 1, 1], [2, 4]))


MEASURED = {"race": 0, "collective": "bcast", "ranks": 2, "bytes": 8, "way": "ring", "seconds": [1.0]}
TRIED = {"of": "pair", "settings": {"limit": "8"}, "took": 1.0, "figures": [1.0, 2.0]}


@fuzzed
@example(data=json.dumps({**MEASURED, "bytes": float("inf")}).encode())
@given(data=st.one_of(spoilt(json.dumps(MEASURED)), spoilt('{"ended": 0, "elapsed": 1.5}'), st.binary()))
def test_what_tuning_measured_before_it_was_interrupted(data: bytes) -> None:
    heading = json.dumps({"schema": journal.SCHEMA})
    refused_in_a_line(lambda: journal.parse(f"{heading}\n{data.decode(errors='replace')}\n", "table.json"))


@fuzzed
@example(data=b"[" * 100000)
@example(data=json.dumps({**TRIED, "took": 10**400}).encode())
@given(data=st.one_of(spoilt(json.dumps(TRIED)), st.binary()))
def test_what_the_search_of_parameters_measured_before_it_was_interrupted(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "settings.jsonl"
    file.write_bytes(json.dumps({"schema": parameters_journal.SCHEMA}).encode() + b"\n" + data + b"\n")
    refused_in_a_line(lambda: parameters_journal.Journal(file, {}).close())


@fuzzed
@example(text="limit=1K.." + "9" * 5000 + "*2", where=None)
@example(text="limit=0..999999999999", where=None)
@example(text="limit=1,2", where="limit < " + "9" * 5000 + "K")
@given(
    text=st.one_of(
        st.text(),
        st.from_regex(r"[a-z]+=[0-9]{1,30}[KMG]?(\.\.[0-9]{1,30}[KMG]?([*+][0-9]{1,4})?)?", fullmatch=True),
    ),
    where=st.one_of(st.none(), st.text(max_size=20), st.just("limit < 5")),
)
def test_parameters_to_search(text: str, where: str | None) -> None:
    try:
        space.combinations(space.parameters(space.lines(text)), [] if where is None else [where])
    except space.SpaceError as refusal:
        assert in_one_line(str(refusal)) == str(refusal)


TABLE = (ROOT / "tests/fuzz/corpus/table/manual.json").read_text()


@fuzzed
@given(data=st.one_of(spoilt(TABLE), values.map(lambda value: json.dumps(value).encode()), st.binary()))
def test_tuning_tables(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_bytes(data)
    with suppress(*REFUSALS):
        found = tables.read(file)
        assert tables.parse(tables.to_text(found)) == found
    refused_in_a_line(lambda: tables.read(file))


PLATFORM = json.dumps(
    {
        "schema": 1,
        "name": "two",
        "switches": ["s[0-1]"],
        "hosts": ["h[0-3]", {"name": "g1", "ranks": 2}],
        "links": [
            {"between": ["s0", "s1"], "rate": "1gbit", "latency": "5us"},
            {"between": ["h[0-3]", "s0"], "rate": 1000000},
            {"between": ["g1", "s1"], "rate": 1000000},
        ],
    }
)


@fuzzed
@given(data=st.one_of(spoilt(PLATFORM), st.binary()))
def test_platform_files(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "platform.json"
    file.write_bytes(data)
    refused_in_a_line(lambda: platform_file.read(file))


names = st.text(alphabet="nh0189[]-,:x ", max_size=30)


@fuzzed
@given(
    lines=st.lists(
        st.one_of(
            st.builds("SwitchName={} Nodes={}".format, names, names),
            st.builds("SwitchName={} Switches={}\\".format, names, names),
            st.text(max_size=40),
        ),
        max_size=6,
    )
)
def test_slurms_topology(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "topology.conf"
    file.write_text("\n".join(["SwitchName=s0 Nodes=n[0-3]", *lines]), errors="replace")
    refused_in_a_line(lambda: platform_file.read(file))


@fuzzed
@given(text=st.one_of(names, st.text()))
def test_host_lists_short_names_rates_and_sizes(text: str) -> None:
    for read in (
        slurm_topology.host_list,
        platform_file.names,
        platform_file.short,
        platform_file.bits_per_second,
        platform_file.seconds,
        size,
        history.age,
    ):
        refused_in_a_line(lambda read=read: read(text))  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        "," * 100000,
        "n[" * 50000,
        "n[0-65535]," * 2000,
        f"{'n' * 100000}[0-65535]",
        f"n[{'0' * 4000}-65535]",
        "[" * 99,
        f"single:{'9' * 5000}",
        f"n[{'9' * 5000}]",
        f"n[{'0-65534,' * 2000}1]",
    ],
    ids=lambda text: f"{text[:12]}...",
)
def test_names_that_would_take_all_time_or_memory(text: str) -> None:
    for read in (slurm_topology.host_list, platform_file.names, platform_file.short):
        refused_in_a_line(lambda read=read: read(text))  # type: ignore[misc]


toml_values = st.one_of(values.map(json.dumps), st.text(max_size=20), st.sampled_from(["1e999", "nan", "0x1f", "[[]]"]))


@fuzzed
@given(
    lines=st.lists(
        st.one_of(
            st.builds("{} = {}".format, st.sampled_from(sorted(starling_settings.KEYS)), toml_values),
            st.builds("{} = {}".format, st.text(max_size=10), toml_values),
            st.text(max_size=40),
        ),
        max_size=4,
    )
)
def test_settings_files(lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "starling.toml"
    file.write_text("\n".join(["[run]", *lines]), errors="replace")
    refused_in_a_line(lambda: starling_settings.read_file(file))


@fuzzed
@given(data=st.one_of(spoilt('{"schema": 1, "command": [], "machine": {}, "measurements": []}'), st.binary()))
def test_measured_times(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "times.json"
    file.write_bytes(data)
    refused_in_a_line(lambda: measured.read(file))


PROGRAM = Path("/bin/sh").read_bytes()[:4096]


@fuzzed
@given(at=st.integers(0, 700), by=st.binary(max_size=16), length=st.integers(0, 4096))
def test_executables(at: int, by: bytes, length: int, tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes((PROGRAM[:at] + by + PROGRAM[at + len(by) :])[:length])
    elf.needs(file)
    for _ in elf.libraries(file, {}):
        pass


@fuzzed
@given(
    words=st.lists(
        st.one_of(
            st.sampled_from(
                ["mpirun", "-n", "--", ":", "-x", "A=1", "-genv", "--export=ALL", "env", "timeout", "./app"]
            ),
            st.text(max_size=10),
        ),
        min_size=1,
        max_size=8,
    ),
    kind=st.sampled_from(list(launcher.Kind)),
)
def test_launcher_lines(words: list[str], kind: launcher.Kind) -> None:
    with suppress(UnicodeEncodeError):
        options.typed(words)
    mpirun = launcher.Identity(kind, None, "1")
    found = launcher.locate(words, lambda word: mpirun if word == "mpirun" else None)
    line, _ = variables.rewrite(words, found, {variables.PRELOAD: "/l.so", "STARLING_ITER": "1"}, {})
    assert [word for word in line if word in words] or not words
    list(launcher.programs(words, found, lambda word: word == "./app"))


@pytest.mark.parametrize(
    "read",
    [
        record.read,
        platform_file.read,
        starling_settings.read_file,
        tables.read,
        world,
        lambda file: points.from_profile(file, None, [0] * 4),
        lambda file: history.read(file.parent),
    ],
)
def test_files_without_end_are_not_read_whole(read: Callable[[Path], object], tmp_path: Path) -> None:
    file = tmp_path / "20240501T120000-host-1.json"
    file.touch()
    os.truncate(file, 1 << 40)
    refused_in_a_line(lambda: read(file))


def test_a_pipe_among_records_is_no_record(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "20240501T120000-host-1.json")
    assert newest_first(tmp_path) == []
