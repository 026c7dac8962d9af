"""The library that makes a polling rank wait: counted in questions, not in time."""

import os
import subprocess
import sys

import pytest

from starling.installation import variants

# A thread writes to a pipe when `vain` questions whether it can be read have been answered with no.
PROGRAM = """
import os, select, sys, threading
kind, vain = sys.argv[1], int(sys.argv[2])
reader, writer = os.pipe()
if kind == "poll":
    asking = select.poll()
else:
    asking = select.epoll()
asking.register(reader, select.POLLIN)
asked, enough = 0, threading.Event()
threading.Thread(target=lambda: (enough.wait(), os.write(writer, b"!"))).start()
while True:
    answer = asking.poll(0)
    asked += 1
    if asked == vain:
        enough.set()
    if answer:
        break
print(asked, answer == [(reader, select.POLLIN)])
"""


def questions(kind: str, vain: int, **variables: str) -> int:
    """How often the program asked until the pipe could be read."""
    [shim] = [path / "libstarling-idle.so" for path in variants.package_folders("lib")]
    assert shim.is_file(), f"{shim} is not installed"
    without = {"STARLING_IDLE_US", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"}
    env = {name: value for name, value in os.environ.items() if name not in without}
    env.update(variables, LD_PRELOAD=str(shim))
    line = [sys.executable, "-c", PROGRAM, kind, str(vain)]
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=True, timeout=60)
    asked, right = done.stdout.split()
    assert right == "True"
    return int(asked)


@pytest.mark.parametrize("kind", ["poll", "epoll"])
@pytest.mark.parametrize("rank", ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"])
def test_the_second_vain_question_of_a_rank_waits_for_the_answer(kind: str, rank: str) -> None:
    assert questions(kind, 1, STARLING_IDLE_US="1000000", **{rank: "0"}) <= 3


@pytest.mark.parametrize("kind", ["poll", "epoll"])
@pytest.mark.parametrize(
    "variables",
    [{}, {"STARLING_IDLE_US": "1000000"}, {"PMI_RANK": "0"}, {"STARLING_IDLE_US": "0", "PMI_RANK": "0"}],
    ids=["nothing", "no rank", "no time", "time 0"],
)
def test_others_are_answered_at_once(kind: str, variables: dict[str, str]) -> None:
    assert questions(kind, 1000, **variables) >= 1000


def test_a_wait_ends_when_its_time_is_over() -> None:
    assert questions("poll", 20, STARLING_IDLE_US="1000", PMI_RANK="0") >= 20
