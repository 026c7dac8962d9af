"""Charts: labels that do not lie on each other, bars that have a colour."""

from xml.etree import ElementTree as ET

import pytest

from starling.pictures.chart import Axis, Bar, Bars, Chart, Curve


def test_labels_of_marks_that_are_near_each_other_are_in_rows_of_their_own() -> None:
    marks = [(4.0 * 1.5**i, f"{i}: groups_leader?mesh=4x2x2") for i in range(9)]
    curve = Curve("native", [(4.0, 1e-3), (256.0, 2e-3)], "#24292f")
    chart = Chart("times", Axis("bytes", str), Axis("seconds", str), [curve], marks=marks)
    places = []
    for text in ET.fromstring(chart.svg()).findall(".//{*}text"):
        if "groups_leader" in (text.text or ""):
            x, width = float(text.get("x", "")), 6.0 * len(text.text or "")
            places.append((text.get("y"), x - width * (text.get("text-anchor") == "end"), width))
    assert len(places) == len(marks)
    for i, (row, begin, width) in enumerate(places):
        for other, start, length in places[:i]:
            assert other != row or begin + width <= start or start + length <= begin


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_bar_of_one_size_shows_its_colour_beside_its_mark(share: float) -> None:
    bars = Bars("saved", "share", [("alltoallv", [Bar(share, share, share, "#d55e00", "point-to-point")])])
    (bar,) = [one for one in ET.fromstring(bars.svg()).findall(".//{*}rect") if one.get("fill-opacity")]
    assert float(bar.get("height", "")) >= 5
    top = min(float(one.get("d", "").split()[1].partition("H")[0]) for one in lines(bars.svg(), "grid"))
    assert float(bar.get("y", "")) >= top, "no bar is higher than all of the time"


def lines(svg: str, kind: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(svg).findall(".//{*}path") if one.get("class") == kind]


@pytest.mark.parametrize("factor", [1.0, 1.001, 1.3, 1.9, 2.6, 4.0, 30.0, 1e6])
@pytest.mark.parametrize("least", [1e-9, 9.7e-7, 0.0123, 8.0])
def test_an_axis_has_values_enough_to_read_it_by(least: float, factor: float) -> None:
    size = 3.0 + 1e9 * least
    curve = Curve("native", [(size, least), (size * factor, least * factor)], "#24292f")
    svg = Chart("times", Axis("bytes", "x {:.0f}".format), Axis("seconds", "y {:.9g}".format), [curve]).svg()
    for axis, fewest in (("x", 1), ("y", 2)):
        told = [one.text for one in ET.fromstring(svg).findall(".//{*}text") if (one.text or "").startswith(f"{axis} ")]
        assert fewest <= len(told) <= 12
        assert len(set(told)) == len(told)
