"""The real rates of a lab's links and hosts, measured with TCP connections, beside the requested ones."""

from __future__ import annotations

import contextlib
import selectors
import socket
import statistics
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from starling.lab import idle, namespaces
from starling.lab.plan import Options, address, namespace
from starling.lab.state import LabError
from starling.messages import printable
from starling.networks.platform_file import Platform, rate_text

TOLERANCE = 0.08
"""How far a measured rate may be below or above what TCP can carry: 94 to 96 of 100 Mbit/s are usual."""
_ROUND_TRIPS = 200
_PIECE = 256 * 1024

Pair = tuple[str, str]


@dataclass(frozen=True)
class Measured:
    """One measurement: rates in bits per second, `expected` and `rate` of TCP payload; seconds one way; idle CPU."""

    what: str
    asked: int
    expected: float
    rate: float
    latency: float | None
    asked_latency: float
    cpu_idle: float
    ok: bool

    def as_json(self) -> dict[str, Any]:
        """The measurement as JSON values."""
        return asdict(self)

    def text(self) -> str:
        """One line for people."""
        near = f"{self.rate / self.expected:.0%} of the {rate_text(self.expected)} that TCP can have"
        delay = "" if self.latency is None else f", {self.latency * 1e6:.0f} us one way"
        if delay and self.asked_latency:
            delay += f" (the platform says {self.asked_latency * 1e6:.0f} us; a lab adds none)"
        return (
            f"{self.what}: asked {rate_text(self.asked)}, measured {rate_text(self.rate)} ({near}){delay}, "
            f"CPU {idle.percent(self.cpu_idle)} idle"
        )


def within_tolerance(measured: float, expected: float) -> bool:
    """Whether a link has the requested rate, as far as a short measurement shows."""
    return abs(measured / expected - 1) <= TOLERANCE


def pairs_to_measure(platform: Platform) -> list[Pair]:
    """The pairs of hosts to measure one after another: two neighbours, then the two farthest apart, both ways."""
    ring = platform.ring()
    if len(ring) < 2:
        return []
    farthest = max(ring[1:], key=lambda name: len(platform.path(ring[0], name)))
    return list(dict.fromkeys([(ring[0], ring[1]), (ring[0], farthest), (farthest, ring[0])]))


def bottleneck(platform: Platform, pair: Pair) -> int:
    """The rate of the slowest link between two hosts; of the memory, which must have one, within one."""
    start, end = pair
    if start == end:
        rate = platform.hosts[platform.host_names.index(start)].memory_rate
        if rate is None:
            raise ValueError(f"the memory of {start} has no rate")
        return rate
    return min(link.rate for link in platform.path(start, end))


def duration(rate: int, packet: int) -> float:
    """Seconds that a measurement needs: some hundred packets, at least 0.4 s."""
    return min(4.0, max(0.4, 300 * packet * 8 / rate))


@contextlib.contextmanager
def _connected(
    platform: Platform, prefix: str, pairs: Sequence[Pair]
) -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    """A TCP connection for each pair: the sockets of its first and second host."""
    numbers = {name: i for i, name in enumerate(platform.host_names)}
    with contextlib.ExitStack() as opened:
        found: list[tuple[socket.socket, socket.socket]] = []
        for start, end in pairs:
            with namespaces.inside(namespace(prefix, end)):
                listener = opened.enter_context(socket.create_server((address(numbers[end]), 0)))
            with namespaces.inside(namespace(prefix, start)):
                client = opened.enter_context(socket.create_connection(listener.getsockname(), timeout=10))
            listener.settimeout(10)
            server = opened.enter_context(listener.accept()[0])
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # no queue when closed
            found.append((client, server))
        yield found


def _latency(client: socket.socket, server: socket.socket) -> float:
    """Half the median round trip of a byte, in seconds."""
    times: list[float] = []
    for _ in range(_ROUND_TRIPS):
        start = time.perf_counter()
        client.sendall(b"?")
        server.recv(1)
        server.sendall(b"!")
        client.recv(1)
        times.append(time.perf_counter() - start)
    return statistics.median(times) / 2


def _rates(connections: Sequence[tuple[socket.socket, socket.socket]], seconds: float) -> list[float]:
    """Bits per second that arrive on each connection while all send, after a warm-up of a quarter of the time."""
    zeros = memoryview(bytes(_PIECE))
    into = bytearray(_PIECE)
    arrived = dict.fromkeys((server.fileno() for _, server in connections), 0)
    with selectors.DefaultSelector() as selector:
        for client, server in connections:
            client.setblocking(False)
            server.setblocking(False)
            selector.register(client, selectors.EVENT_WRITE, client)
            selector.register(server, selectors.EVENT_READ, server)
        begin = time.perf_counter() + seconds / 4
        start: float | None = None
        while (now := time.perf_counter()) < begin + seconds:
            if start is None and now >= begin:
                start = now
                arrived = dict.fromkeys(arrived, 0)
            for key, _ in selector.select(0.1):
                with contextlib.suppress(BlockingIOError):
                    if key.events & selectors.EVENT_READ:
                        arrived[key.fd] += key.data.recv_into(into)
                    else:
                        key.data.send(zeros)
        passed = time.perf_counter() - (begin if start is None else start)
    return [8 * arrived[server.fileno()] / passed for _, server in connections]


def _measure(platform: Platform, options: Options, prefix: str, pairs: Sequence[Pair], what: str) -> Measured:
    asked = min(bottleneck(platform, pair) for pair in pairs)
    expected = asked * options.payload_share
    try:
        with _connected(platform, prefix, pairs) as connections:
            latency = _latency(*connections[0]) if len(pairs) == 1 else None
            before = idle.ticks()
            rates = _rates(connections, duration(asked, max(options.packet, options.mtu)))
            share = idle.ticks().idle_since(before)
    except OSError as error:
        raise LabError(
            f"{what}: no connection: {printable(error.strerror or error)}; see what is there: starling lab status"
        ) from error
    # Where links have different rates, each pair is compared with its own; the worst pair is reported.
    bits, wanted = min(
        ((got, bottleneck(platform, pair)) for got, pair in zip(rates, pairs, strict=True)), key=lambda x: x[0] / x[1]
    )
    expected = wanted * options.payload_share
    delay = sum(link.latency for link in platform.path(*pairs[0])) if len(pairs) == 1 else 0.0
    return Measured(what, wanted, expected, bits, latency, delay, share, within_tolerance(bits, expected))


def check(platform: Platform, options: Options, prefix: str) -> Iterator[Measured]:
    """Measures some pairs of hosts, then all links at once, in both directions; then memories that have a rate.

    Raises LabError.
    """
    for start, end in pairs_to_measure(platform):
        links = len(platform.path(start, end))
        yield _measure(platform, options, prefix, [(start, end)], f"{start} to {end} over {links} links")
    ring = platform.ring()
    if len(ring) > 2:
        around = [(name, ring[(i + 1) % len(ring)]) for i, name in enumerate(ring)]
        yield _measure(platform, options, prefix, around, f"all {len(ring)} hosts to the next at once, the slowest")
    within = [(host.name, host.name) for host in platform.hosts if host.memory_rate]
    if within:
        yield _measure(platform, options, prefix, within[:1], f"memory of {within[0][0]}")
    if len(within) > 1:
        yield _measure(platform, options, prefix, within, f"memory of all {len(within)} hosts at once, the slowest")


def advice(measured: Measured) -> str:
    """The meaning of a measurement that is out of tolerance."""
    if measured.rate > measured.expected:
        return f"{measured.what}: faster than asked: the limits do not hold, so do not trust times measured here"
    if measured.cpu_idle < idle.CPU_BOUND:
        return (
            f"{measured.what}: the processors are too busy for this lab: end other jobs, or take fewer hosts, lower "
            "rates, or larger packets (--packet 9000)"
        )
    return f"{measured.what}: slower than asked although processors are idle; is another job running? Try again"
