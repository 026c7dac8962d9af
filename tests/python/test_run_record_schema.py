"""The schema of the run record, against the record that tests/knowledge/record_json.cpp compares the library's with."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: dict[str, Any] = json.loads((ROOT / "python/starling/schemas/run-record-1.json").read_text())
SAMPLE: dict[str, Any] = json.loads((ROOT / "tests/knowledge/run-record.json").read_text())
LATER: dict[str, dict[str, Any]] = {
    "": {
        "merged": ["20240501T120000-node1-1.json"],
        "profile": {"order": [], "order_left_out": 0},
        "left_out": {
            "contexts": 3,
            "calls": 30,
            "seconds": 0.5,
            "tuning_seconds": 0.25,
            "slowest_seconds": 0.75,
            "slowest_tuning_seconds": None,
        },
    },
    "left_out": {"slowest_seconds": 0.75, "slowest_tuning_seconds": None},
    "run": {"machine": "node#", "probe_s": 0.25, "own_s": 0.125, "shares_processors": True, "unfinished": True},
    "contexts": {
        "nodes": 2,
        "ranks_per_node": 4,
        "layout": 17,
        "candidates_left_out": 2,
        "slowest_seconds": 0.5,
        "slowest_tuning_seconds": 0.25,
        "arrivals": {"calls": 8, "slowest_s": 0.01, "mean_s": 0.005, "fastest_s": 1e-5, "last": []},
        "profile": {
            "communicators": 1,
            "ranks": 4,
            "rank_seconds": 0.5,
            "slowest_rank": 1,
            "slowest_rank_seconds": 0.25,
            "quickest_rank": 2,
            "quickest_rank_seconds": 0.0625,
            "waiting_rank_seconds": None,
            "sampled_calls": 0,
            "last": [],
            "mean_bytes": 3,
        },
    },
    "candidates": {
        "agreed_s": 1.5e-5,
        "deviation_s": 2e-6,
        "earlier_s": 1.25e-5,
        "setup_s": 1.5e-3,
        "note": "large data is copied twice",
    },
}
"""Fields missing in records of older versions, so not required, by the field that contains them."""
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def objects(node: Any, where: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Every JSON object with its place, except those whose keys are data: settings and parameters."""
    if isinstance(node, dict):
        yield where, node
        for key, child in node.items():
            if key not in ("settings", "parameters"):
                yield from objects(child, (*where, key))
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from objects(child, (*where, index))


def at(record: dict[str, Any], where: tuple[str | int, ...]) -> dict[str, Any]:
    node: Any = record
    for step in where:
        node = node[step]
    assert isinstance(node, dict)
    return node


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    record = copy.deepcopy(SAMPLE)
    change(record)
    return record


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_what_the_library_writes_is_valid() -> None:
    VALIDATOR.validate(SAMPLE)


def later(where: tuple[str | int, ...]) -> dict[str, Any]:
    """Additional fields of newer records in the object at that place."""
    return LATER.get(next((step for step in reversed(where) if isinstance(step, str)), ""), {})


def test_every_field_is_required_but_later_ones_and_no_other_is_known() -> None:
    record = copy.deepcopy(SAMPLE)
    for where, node in list(objects(record)):
        node.update(later(where))
    VALIDATOR.validate(record)
    for where, node in objects(record):
        extended = copy.deepcopy(record)
        at(extended, where)["unheard_of"] = 1
        assert not VALIDATOR.is_valid(extended), where
        for key in node:
            shortened = copy.deepcopy(record)
            del at(shortened, where)[key]
            assert VALIDATOR.is_valid(shortened) == (key in later(where)), (*where, key)


def test_every_field_is_described() -> None:
    fields = [field for _, node in objects(SCHEMA["$defs"]) for field in node.get("properties", {}).items()]
    conditions = [{"const": True}, {"const": ""}, {"minLength": 1}]
    undescribed = [name for name, field in fields if "description" not in field and field not in conditions]
    assert undescribed == []


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(schema=2),
        lambda record: record["run"].update(ranks=0),
        lambda record: record["run"].update(started="yesterday"),
        lambda record: record["run"]["settings"].update(iterations=10),
        lambda record: record["contexts"][0].update(calls=-1),
        lambda record: record["contexts"][0].update(seconds=-0.5),
        lambda record: record["contexts"][0].update(bytes=1.5),
        lambda record: record["contexts"][0].update(winner=1),
        lambda record: record["contexts"][0].update(bucket=None),
        lambda record: record["contexts"][0].update(operator_class="sum"),
        lambda record: record["contexts"][0]["phases"]["settled"].update(calls=0.5),
        lambda record: record["contexts"][0].update(winner="chain?segment"),
        lambda record: record["contexts"][0]["candidates"][0].update(median_s="fast"),
        lambda record: record["contexts"][0]["candidates"][0].update(reason="eligible and yet refused"),
        lambda record: record["contexts"][0]["candidates"][2].update(reason=""),
        lambda record: record["contexts"][0]["candidates"][1]["parameters"].update(segment=[8192]),
        lambda record: record["contexts"][0]["decisions"][0].update(to=None),
    ],
)
def test_a_wrong_value_is_noticed(change: Callable[[dict[str, Any]], object]) -> None:
    assert not VALIDATOR.is_valid(changed(change))


def test_what_was_never_measured_is_null() -> None:
    VALIDATOR.validate(changed(lambda record: record["contexts"][0].update(native_s=None, seconds=None)))
