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


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_a_bar_of_one_size_shows_its_colour_beside_its_mark(share: float) -> None:
    bars = Bars("saved", "share", [("alltoallv", [Bar(share, share, share, "#d55e00", "point-to-point")])])
    (bar,) = [one for one in ET.fromstring(bars.svg()).findall(".//{*}rect") if one.get("fill-opacity")]
    assert float(bar.get("height", "")) >= 5
