"""The tuning table of a search: choices by curves and crossings, and all measurements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from starling.tables.expressed import PREFIX
from starling.tables.table import NATIVE, AtRunTime, Choice, InRow, Interval, Made, Shape, Table
from starling.tables.table import Point as Measured
from starling.tuning.belief import Estimate
from starling.tuning.curves import Curve, Span, costs, spans
from starling.tuning.job import Machine
from starling.tuning.known import Known, growth
from starling.tuning.points import Point, knows_size
from starling.tuning.samples import Summary
from starling.tuning.search import Search


def curves(known: Known, points: list[Point]) -> dict[str, Curve]:
    """The curves of all ways that were measured at any of the points, native first."""
    ways = dict.fromkeys([NATIVE, *(way for point in points for way in known.measured(point))])
    found: dict[str, Curve] = {}
    for way in ways:
        measured = [way in known.measured(point) for point in points]
        estimates: list[Estimate | None] = [
            known.estimate(way, point) if way == NATIVE or way not in known.points[point].out or way_was else None
            for point, way_was in zip(points, measured, strict=True)
        ]
        few = [i for i, point in enumerate(points) if measured[i] and known.is_of_few(way, point)]
        found[way] = Curve(estimates, measured, few)
    return found


def _at_run_time(ways: dict[str, Curve], inside: range) -> AtRunTime:
    """The way that costs least in an interval among those that every program can change to."""
    these = {way: one for way, one in ways.items() if not way.startswith(PREFIX)}
    at_each = [costs(these, i) for i in inside]
    best = min(these, key=lambda way: sum(one[way] for one in at_each))
    log = fmean(one.mean for i in inside if (one := these[best].estimates[i]) is not None)
    return AtRunTime(way=best, gain=math.exp(-log)) if log < 0 else AtRunTime(way=NATIVE, gain=1.0)


def _seconds(known: Known, way: str, point: Point) -> float | None:
    """Of a call by a way, in a row where the choice rests on that; None where it was not measured like that."""
    at = known.points[point]
    if at.rows.count:
        return at.rows.seconds(way) if at.rows.verdict(way) else None
    return Summary.of(at.seconds[way]).median if at.seconds.get(way) else None


def _in_row(known: Known, way: str, point: Point) -> InRow | None:
    rows = known.points[point].rows
    seconds, ratio = rows.seconds(way), rows.ratio(way)
    if seconds is None or ratio is None:
        return None
    return InRow(mean_s=seconds, samples=rows.calls(way), of_native=math.exp(ratio.mean), counts=rows.count)


def _seconds_at_ends(known: Known, points: list[Point], curve: Curve, span: Span) -> tuple[float, float]:
    """Expected of a call at both ends of an interval, or at the last measured size where it has no end."""

    def at_point(i: int) -> float | None:
        estimate = curve.estimates[i] if 0 <= i < len(points) else None
        if estimate is None:
            return None
        # Its own calls tell most, if they are of the kind of native's: those may have been made when the machine was
        # slower.
        own = _seconds(known, span.way, points[i]) if curve.measured[i] else None
        native = _seconds(known, NATIVE, points[i]) or 0.0
        return native * math.exp(estimate.mean) if own is None else own

    def at(size: int, inner: int, outer: int) -> float:
        """On the line between the logarithms of two points, or as far beyond the last one as the size tells."""
        here, there = at_point(inner) or 0.0, at_point(outer)
        bytes_ = points[inner].bytes
        if not here or not there:
            return here * growth(bytes_, size)
        share = (math.log1p(size) - math.log1p(bytes_)) / (math.log1p(points[outer].bytes) - math.log1p(bytes_))
        return here * math.pow(there / here, share)

    last = points[span.last].bytes if span.end is None else span.end
    return at(span.start, span.first, span.first - 1), at(last, span.last, span.last + 1)


def _interval(known: Known, points: list[Point], ways: dict[str, Curve], span: Span) -> Interval:
    inside = range(span.first, span.last + 1)
    gain = math.exp(-fmean(one.mean for i in inside if (one := ways[span.way].estimates[i]) is not None))
    is_of_library = span.way.startswith(PREFIX)
    if span.way == NATIVE:
        rivals = [(known.best(points[i]), i) for i in inside]
        (rival, log), _ = min(rivals, key=lambda one: one[0][1])
        why = "nothing measured is faster" if rival == NATIVE else f"{rival} is not faster for certain, {-log:+.1%}"
    else:
        why = f"{gain:.2f} times as fast as native at {len(inside)} size{'s' * (len(inside) > 1)}"
        in_row = sum(known.points[points[i]].rows.verdict(span.way) is not None for i in inside)
        if in_row:
            why += f", at {in_row} by calls in a row"
        if span.crossing:
            why += f"; its curve crosses the one before at {span.start} bytes"
    return Interval.model_validate(
        {
            "from": span.start,
            "below": span.end,
            "way": span.way,
            "seconds": _seconds_at_ends(known, points, ways[span.way], span),
            "gain": 1.0 if span.way == NATIVE else gain,
            "why": why,
            "at_run_time": _at_run_time(ways, inside) if is_of_library else None,
        }
    )


def choices(known: Known, nodes: Sequence[int]) -> list[Choice]:
    """What to use, for each collective and spread of ranks of which native was measured.

    `nodes` has the node of each rank of the job.
    """
    groups: dict[Shape, list[Point]] = {}
    for point in sorted(known.points):
        if known.points[point].native is not None:
            groups.setdefault(Shape(point.collective, point.ranks, *point.spread(nodes)), []).append(point)
    found = []
    for shape, measured in groups.items():
        collective = shape.collective
        points = measured if knows_size(collective) else [max(measured, key=known.plan.__getitem__)]
        ways = curves(known, points)
        of_sizes = spans([point.bytes for point in points], ways)
        if not knows_size(collective):
            of_sizes = [replace(one, start=0, end=None) for one in of_sizes]
        intervals = [_interval(known, points, ways, span) for span in of_sizes]
        found.append(Choice(**shape._asdict(), intervals=intervals))
    return found


def _measurements(known: Known, nodes: Sequence[int]) -> Iterable[Measured]:
    for point in sorted(known.points):
        spread = point.spread(nodes)
        processors = known.points[point].processors
        for way in known.measured(point):
            one = Summary.of(known.points[point].seconds[way])
            yield Measured(
                collective=point.collective,
                bytes=point.bytes,
                ranks=point.ranks,
                nodes=spread.nodes,
                ranks_per_node=spread.fullest,
                way=way,
                median_s=one.median,
                low_s=None if one.half_width is None else one.low,
                high_s=None if one.half_width is None else one.high,
                samples=one.count,
                of_native=math.exp(known.behind_barriers(way, point).mean),
                cpu_idle=round(processors.share, 3) if processors else None,
                in_row=_in_row(known, way, point),
            )


def table(search: Search, nodes: Sequence[int], machine: Machine, made: Made, platform: str = "") -> Table:
    """The table of all that was measured in a job, of each of whose ranks `nodes` has the node."""
    return Table(
        schema="starling-table-1",
        machine=machine.name,
        mpi_flavour=machine.mpi_flavour,
        mpi_version=machine.mpi_version,
        made=made,
        platform=platform,
        notes=search.notes,
        choices=choices(search.known, nodes),
        points=list(_measurements(search.known, nodes)),
    )
