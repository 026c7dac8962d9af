"""Making a lab and taking it down, also the remains of an interrupted command."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from starling.lab import namespaces
from starling.lab import state as states
from starling.lab.plan import ETC_NETNS, MOST_HOSTS, Options, Plan, Step, limits, mark, plan
from starling.lab.state import LabError, State, check_prefix, folder, locked, read, require, write
from starling.launchers import process
from starling.messages import printable
from starling.networks.platform_file import Platform

TOOLS = ("ip", "tc", "nsenter", "unshare")
_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal came while a lab was being made."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _run(step: Step, lock: int) -> None:
    done = subprocess.run(step.argv, input=step.text, capture_output=True, text=True, check=False, pass_fds=[lock])
    if done.returncode == 0:
        return
    reason = next((line for line in done.stderr.splitlines() if line.strip()), f"exit status {done.returncode}")
    advice = f"the command was: {' '.join(step.argv)}"
    if "not permitted" in done.stderr or "Permission denied" in done.stderr:
        advice = "namespaces are not permitted here; in a container, give it CAP_SYS_ADMIN and CAP_NET_ADMIN"
    elif "not supported" in done.stderr or "Unknown device type" in done.stderr or "kind is unknown" in done.stderr:
        advice = "the kernel lacks something: modprobe -a bridge veth sch_tbf"
    raise LabError(f"{step.does}: {printable(reason.strip())}; {advice}")


def _congestion_available(name: str) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if name not in available:
        raise LabError(f"--congestion {printable(name)}: not in this kernel; take one of: {', '.join(available)}", 2)


def up(platform: Platform, options: Options, prefix: str, log: Callable[[str], None]) -> State:
    """Makes a lab. Remains of an interrupted predecessor are taken down first, if no process runs in them.

    Raises LabError. After an error or a signal nothing is left of the lab.
    """
    check_prefix(prefix)
    if problem := options.problem():
        raise LabError(problem, 2)
    if len(platform.hosts) > MOST_HOSTS:
        raise LabError(f"{printable(platform.name)}: {len(platform.hosts)} hosts; a lab has {MOST_HOSTS} at most", 2)
    _congestion_available(options.congestion)
    require(*TOOLS)
    todo = plan(platform, options, prefix, folder(prefix))
    state = State(
        schema=1,
        prefix=prefix,
        stage="making",
        namespaces=todo.namespaces,
        platform=platform.as_json(),
        mtu=options.mtu,
        packet=options.packet,
        congestion=options.congestion,
    )
    with locked() as lock:
        _check_free(prefix, todo, log)
        with process.raising(Interrupted, *_ENDING):
            try:
                write(state)
                _make(todo, lock)
                state = state.model_copy(update={"stage": "up"})
                write(state)
            except (LabError, OSError, Interrupted) as error:
                for number in _ENDING:
                    signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the removal
                _take_down(prefix, read(prefix))
                if isinstance(error, OSError):
                    raise LabError(
                        f"{printable(error.filename)}: {error.strerror}; nothing is left of the lab"
                    ) from error
                raise
    return state


def set_rate(prefix: str, host: str, rate: int | None) -> int:
    """Sets another rate for a host's link while the lab is up, or the original one; returns it, bits per second.

    The description of the lab stays unchanged: programs on it are not informed. Raises LabError.
    """
    states.up(prefix)
    require(*TOOLS)
    with locked() as lock:
        state = states.up(prefix)
        platform = state.described()
        if host not in platform.host_names:
            raise LabError(f"no host {printable(host)} in lab {prefix}; starling lab status --json lists them", 2)
        made_with = platform.links_of(host)[0].rate
        wanted = made_with if rate is None else rate
        for step in limits(platform, state.options, prefix, host, wanted):
            _run(step, lock)
        others = {name: bits for name, bits in state.rates.items() if name != host}
        changed = {} if wanted == made_with else {host: wanted}
        write(state.model_copy(update={"rates": {**others, **changed}}))
    return wanted


def _check_free(prefix: str, todo: Plan, log: Callable[[str], None]) -> None:
    """Checks that an earlier lab of this prefix has left nothing, and that nobody else uses our names."""
    earlier = read(prefix)
    if earlier is not None:
        name = earlier.platform["name"]
        busy = namespaces.processes(earlier.namespaces)
        if busy:
            pid = min(busy)
            raise LabError(
                f"lab {prefix} ({printable(name)}) runs {len(busy)} processes, "
                f"{namespaces.command_of(pid)} ({pid}) for one; "
                f"to end them and it: starling lab down --prefix {prefix}"
            )
        if earlier.stage == "up":
            raise LabError(
                f"lab {prefix} ({printable(name)}) is up already; first: starling lab down --prefix {prefix}"
            )
        log(f"removing what an interrupted `starling lab up` left of {prefix} ({printable(name)})")
    _take_down(prefix, earlier)
    if taken := namespaces.existing(todo.namespaces):
        raise LabError(
            f"a network namespace {taken[0]} is there that is not of this lab; choose another --prefix, "
            f"or if nobody needs it: ip netns delete {taken[0]}"
        )
    if others := [path for path in todo.files if path.exists()]:
        raise LabError(f"{printable(others[0])} is there and not of this lab; choose another --prefix, or move it away")


def _make(todo: Plan, lock: int) -> None:
    for path, text in todo.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for step in todo.steps:
        _run(step, lock)


def down(prefix: str) -> tuple[int, int] | None:
    """Takes a lab down, complete or not; returns its numbers of namespaces and processes, None if there is no lab.

    Raises LabError where something could not be removed.
    """
    check_prefix(prefix)
    require(*TOOLS)
    with locked():
        state = read(prefix)
        if state is None and not _marked(prefix) and not folder(prefix).exists():
            return None
        return _take_down(prefix, state)


def _marked(prefix: str) -> list[Path]:
    """Folders below /etc/netns that a lab of this prefix wrote; they outlive a reboot, its state does not."""
    return [path.parent for path in ETC_NETNS.glob(f"{prefix}-*/hosts") if _is_ours(path, prefix)]


def _is_ours(hosts: Path, prefix: str) -> bool:
    try:
        text = hosts.read_bytes()
    except OSError:
        return False
    return not text or text.startswith(mark(prefix).encode())  # empty: it was about to be written


def _take_down(prefix: str, state: State | None) -> tuple[int, int]:
    ours = state.namespaces if state else ()
    there = namespaces.existing(ours)
    ended = namespaces.end_processes(there)
    if there:
        lines = "".join(f"netns delete {name}\n" for name in there)
        subprocess.run(["ip", "-force", "-batch", "-"], input=lines, capture_output=True, text=True, check=False)
    place = folder(prefix)
    for path in [*place.glob("uts/*"), *place.glob("ipc/*")]:
        while _is_mounted(path):
            try:
                namespaces.unmount(path)
            except OSError as error:
                raise LabError(
                    f"{printable(path)}: {error.strerror}; try again: starling lab down --prefix {prefix}"
                ) from error
    for path in {*_marked(prefix), *(ETC_NETNS / name for name in ours)}:
        if _is_ours(path / "hosts", prefix):
            (path / "hosts").unlink()
        _remove_if_empty(path)
    _remove_if_empty(ETC_NETNS)
    if left := namespaces.existing(ours):
        busy = namespaces.processes(left)
        held = f", held by {namespaces.command_of(min(busy))} ({min(busy)})" if busy else ""
        raise LabError(
            f"{printable(left[0])} could not be removed{held}; try again: starling lab down --prefix {prefix}"
        )
    shutil.rmtree(place, ignore_errors=True)  # last, as the state is in it
    return len(there), ended


def _remove_if_empty(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.rmdir()


def _is_mounted(path: Path) -> bool:
    """Whether a namespace is mounted on this file: then its file system is not that of its folder."""
    try:
        return path.stat().st_dev != path.parent.stat().st_dev
    except FileNotFoundError:
        return False
