"""What the report's plots say at a glance is what was measured: colours, bars, axes, levels; and the page in a narrow
window."""

import math
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from plotly.colors import sample_colorscale
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from helpers import drive
from mxk_host.report.browser import browser, open_page
from mxk_host.report.page import sections_of
from mxk_host.report.plot import Plot, bytes_axis, logarithmic
from mxk_host.report.summary import numbers_of
from mxk_host.runs.point import points_of
from mxk_host.runs.source import read_runs
from report_rows import MACHINE, Row, all_kinds, as_lines, spread

CAPTURED = Path(__file__).parent / "captured"
PHONE, LAPTOP = 400, 1280  # pixels


def throughput() -> list[Row]:
    """As `make bench` leaves them: one layout has no find, one peer one number of cores."""
    rows = []
    for mix in ("insert", "find"):
        table = {"benchmark": "table", "mix": mix, "dist": "uniform", "keys": "random", "operations": 8_000_000}
        layouts = ("bucketed", "chained", "open") if mix == "insert" else ("bucketed", "open")
        for place, layout in enumerate(layouts):
            of_one = spread((9 - place) * 4e6)
            rows += [table | {"layout": layout, "cores": 1, "throughput": of_one}]
            rows += [table | {"layout": layout, "cores": 2, "throughput": spread(2 * of_one["median"])}]
        for peer, cores in (("tbb-hash-map", 2), ("reference", 1), ("reference", 2)):
            peers = {"benchmark": "peer", "peer": peer, "kind": "peer", "cores": cores}
            rows.append(table | peers | {"throughput": spread(len(peer) * 1e6 * cores)})
    return [row | {"verified": True, "machine": MACHINE} for row in rows]


def ways() -> list[Row]:
    """As many lines as one plot may have."""
    row = {"benchmark": "rcu-read", "body": "empty"}
    return [
        row | {"kind": f"a way to read number {way}", "cores": cores, "throughput": spread(1e9 * (way + 1) * cores)}
        for way in range(16)
        for cores in (1, 2)
    ]


def plots_of(folder: Path, rows: Iterable[Row]) -> list[Plot]:
    """Those of a page about them."""
    file = folder / "rows.jsonl"
    file.write_text(as_lines(rows))
    runs = read_runs([str(file)])
    return [plot for section in sections_of(runs, points_of(runs[0].rows)) for plot in section.plots]


def traces(plots: Iterable[Plot]) -> Iterator[tuple[Plot, dict[str, Any]]]:
    for plot in plots:
        for trace in plot.figure["data"] if plot.figure is not None else ():
            yield plot, trace


def colours(plots: Iterable[Plot]) -> dict[str, set[tuple[str, str]]]:
    """Of each series on the page."""
    found: dict[str, set[tuple[str, str]]] = {}
    for _, trace in traces(plots):
        if "legendgroup" in trace and "markers" in trace["mode"]:
            symbols = {symbol.removesuffix("-open") for symbol in symbols_of(trace)}
            assert len(symbols) == 1
            found.setdefault(trace["legendgroup"], set()).add((trace["marker"]["color"], *symbols))
    return found


def symbols_of(trace: dict[str, Any]) -> list[str]:
    """Of its points, or the one of all."""
    symbol = trace["marker"]["symbol"]
    return symbol if isinstance(symbol, list) else [symbol]


def test_a_point_that_was_not_quiet_is_hollow(tmp_path: Path) -> None:
    rows = throughput()
    states = {1: False, 2: True, 4: None}
    rows += [row | {"cores": 4} for row in rows if row["cores"] == 2]
    rows = [row | {"quiet": states[row["cores"]]} for row in rows]
    found = set()
    for _, trace in traces(plots_of(tmp_path, rows)):
        if "quiet" in trace.get("meta", {}) and "lines" in trace["mode"]:
            symbols = symbols_of(trace)
            if len(symbols) == 1:
                symbols *= len(trace["x"])
            for cores, symbol in zip(trace["x"], symbols, strict=True):
                found.add((states[int(cores)], symbol.endswith("-open")))
    assert found == {(True, False), (False, True), (None, True)}


def test_a_series_has_one_colour_on_the_page_and_each_in_a_plot_its_own(tmp_path: Path) -> None:
    alone = {"rate": "50%"} | throughput()[0]  # a row in a plot of its own
    plots = plots_of(tmp_path, [*throughput(), alone, *ways(), *all_kinds()])
    found = colours(plots)
    assert {"bucketed", "chained", "tbb-hash-map", "a way to read number 15", "1 core"} <= found.keys()
    assert {name: looks for name, looks in found.items() if len(looks) > 1} == {}
    for plot in plots:
        of_lines = {
            trace["legendgroup"]: trace["marker"]["color"]
            for _, trace in traces([plot])
            if "legendgroup" in trace and not trace["meta"].get("is_row")
        }
        assert len(set(of_lines.values())) == len(of_lines), plot.title


def test_a_row_of_dots_has_the_colour_of_its_name_elsewhere_and_otherwise_none(tmp_path: Path) -> None:
    alone = {"rate": "50%"} | throughput()[2]
    rows = [*throughput(), alone, *(row for row in all_kinds() if row["benchmark"] == "adaptive ipc")]
    dots = {
        trace["y"][0]: trace["marker"]["color"]
        for _, trace in traces(plots_of(tmp_path, rows))
        if trace["meta"].get("is_row")
    }
    series = {name: colour for name, ((colour, _),) in colours(plots_of(tmp_path, throughput())).items()}
    assert dots["chained"] == series["chained"]
    assert dots["message"] == dots["lock"] not in series.values()


def bars(trace: dict[str, Any]) -> list[Any]:
    """The lengths that are drawn."""
    errors = trace.get("error_x") or trace.get("error_y") or {}
    return [length for length in errors.get("array", ()) if isinstance(length, float)]


def of_runs(rows: list[Row], n: int) -> list[Row]:
    """The same, measured n times."""
    return [
        {name: value | {"n": n} if "median" in str(value) else value for name, value in row.items()} for row in rows
    ]


SAYS_BARS = "the bars go from the smallest to the largest"


def test_bars_are_drawn_and_explained_only_where_there_were_several_runs(tmp_path: Path) -> None:
    measured = [*throughput(), *all_kinds()]
    for n, says, says_not in ((1, "One run each.", SAYS_BARS), (5, SAYS_BARS, "One run")):
        found = plots_of(tmp_path, of_runs(measured, n))
        with_marks = [plot for plot in found if any(it["type"] == "scatter" for _, it in traces([plot]))]
        assert len(with_marks) > 20
        for plot in with_marks:
            said = "95 % intervals" if n > 1 and "by each peer" in plot.title else says
            assert said in plot.caption or "variation" in plot.title, plot.title
            assert says_not not in plot.caption, plot.title
        assert any(bars(trace) for _, trace in traces(found)) == (n > 1)


def test_where_some_have_one_run_only_the_others_have_bars(tmp_path: Path) -> None:
    rows = [row for row in throughput() if row["mix"] == "insert"]
    plot = plots_of(tmp_path, [*of_runs(rows[:1], 1), *rows[1:]])[0]
    assert plot.caption.startswith(f"Medians; {SAYS_BARS} value measured, where there are several.")
    first = next(trace for _, trace in traces([plot]) if trace["name"] == "bucketed")
    assert (first["error_y"]["array"][0], len(bars(first))) == ("-", 1)


def ticks_in(axis: dict[str, Any]) -> list[float]:
    first, last = axis["range"]
    assert len(axis["tickvals"]) == len(axis["ticktext"]) == len(set(axis["ticktext"]))
    return [tick for tick in axis["tickvals"] if 10**first <= tick <= 10**last]


EDGES = ((), (1,), (143, 150), (23, 40), (1.05, 2.1), (2.1, 4.2), (9.9, 10.1), (1, 999), (1, 1e6), (1e-299, 1e29))


@pytest.mark.parametrize("make", [logarithmic, bytes_axis])
def test_a_logarithmic_axis_has_two_to_a_dozen_ticks(make: Callable[..., dict[str, Any]]) -> None:
    draw = random.Random(1)
    found = [(low, low * math.exp(draw.uniform(0, 9))) for low in (draw.uniform(1, 2000) for _ in range(500))]
    for values in (*EDGES, *found):
        axis = make(values, "")
        assert 2 <= len(ticks_in(axis)) <= 12, values
        assert all(axis["range"][0] < math.log10(value) < axis["range"][1] for value in values), values


def test_sizes_have_their_ticks_at_powers_of_two_evenly() -> None:
    sizes = [4096 * 2**step * factor for step in range(8) for factor in (1, 1.5)]  # 4, 6, 8, 12 KiB ...
    assert bytes_axis(sizes[1:], "")["ticktext"] == [f"{size} KiB" for size in (8, 16, 32, 64, 128, 256, 512)]
    wide = bytes_axis([6144, 1.5 * (1 << 30)], "")
    assert wide["ticktext"] == ["16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB", "1 GiB"]


def test_settings_that_are_close_have_no_ticks_on_each_other(tmp_path: Path) -> None:
    rows = [throughput()[0] | {"cores": cores} for cores in (1, 2, 3, 4, 64, 128)]
    axis = plots_of(tmp_path, rows)[0].figure["layout"]["xaxis"]
    assert (axis["tickvals"], axis["ticktext"]) == ([4, 64, 128], ["4", "64", "128"])


@pytest.mark.parametrize(("values", "max_difference"), [((167, 179), 0.2), ((10, 10), 0), ((0, 0), 0), ((50, 200), 1)])
def test_nearly_equal_cells_of_a_map_have_nearly_the_same_colour(
    tmp_path: Path, values: tuple[float, float], max_difference: float
) -> None:
    rows = [
        {"benchmark": "lines", "measure": "round-trip", "from": here, "to": 1 - here, "nanoseconds": spread(value)}
        for here, value in enumerate(values)
    ]
    _, drawn = next(traces(plots_of(tmp_path, rows)))
    places = [(value - drawn["zmin"]) / (drawn["zmax"] - drawn["zmin"]) for value in values]
    assert abs(places[1] - places[0]) <= max_difference + 1e-9
    if max_difference == 0.2:
        first, second = (sample_colorscale("Viridis", [place], colortype="tuple")[0] for place in places)
        assert math.dist(first, second) < 0.2  # of violet and yellow: 1.2


def test_a_peer_of_one_number_of_cores_is_a_level_to_compare_with(tmp_path: Path) -> None:
    plot = plots_of(tmp_path, throughput())[0]
    level, mark = [trace for _, trace in traces([plot]) if trace["legendgroup"] == "tbb-hash-map"]
    assert (mark["name"], mark["mode"], mark["x"], mark["y"]) == ("tbb-hash-map (2 cores only)", "markers", [2], [24.0])
    assert (level["mode"], level["x"], level["y"]) == ("lines", [1, 2], [24.0, 24.0])
    assert (level["line"]["dash"], level["line"]["color"]) == ("longdash", mark["marker"]["color"])
    assert (level["showlegend"], level["meta"]) == (False, mark["meta"]), "shown and hidden with its mark"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of one run as `make bench` leaves it; of several runs of all kinds."""
    folder = tmp_path_factory.mktemp("report")
    bench, machine = folder / "bench.jsonl", folder / "machine.jsonl"
    bench.write_text(as_lines([*throughput(), *ways()]))
    machine.write_text(as_lines(all_kinds()))
    runs = [[bench], [CAPTURED / "native.log", CAPTURED / "qemu.log", machine], [CAPTURED / "shared.log"]]
    made = []
    for number, of in enumerate(runs):
        made.append(folder / f"page-{number}.html")
        ended = drive("report", *map(str, of), "--output", str(made[-1]))
        assert ended.code == 0, ended.complaint
    return made


# Of each plot: texts that lie on each other or beyond the plot, and axes of numbers with fewer than two ticks.
FOUND = """
const found = [];
for (const plot of document.querySelectorAll(".plot")) {
    const title = plot.closest("article").querySelector("h3").textContent;
    const whole = plot.querySelector(".main-svg").getBoundingClientRect();
    const classes = "[class$='tick'] text, [class*='title'] text, text[class*='title'], .legendtext, .annotation-text";
    const texts = [...plot.querySelectorAll(classes)]
        .filter((it) => it.textContent && !["emulated", "simulated"].includes(it.textContent))
        .map((it) => [it.textContent, it.getBoundingClientRect()]);
    texts.forEach(([text, at], place) => {
        if (at.left < whole.left - 1 || at.right > whole.right + 1
            || at.top < whole.top - 1 || at.bottom > whole.bottom + 1)
            found.push(`${title}: "${text}" is cut off`);
        for (const [other, there] of texts.slice(place + 1))
            if (Math.min(at.right, there.right) - Math.max(at.left, there.left) > 1
                && Math.min(at.bottom, there.bottom) - Math.max(at.top, there.top) > 2)
                found.push(`${title}: "${text}" lies on "${other}"`);
    });
    for (const [name, axis] of Object.entries(plot._fullLayout).filter(([name]) => /^[xy]axis/.test(name)))
        if (axis.type !== "category" && plot.querySelectorAll(`.${axis._id}tick text`).length < 2)
            found.push(`${title}: ${name} has one tick`);
    if (plot.querySelector(".legend .scrollbar")?.getBBox().height) found.push(`${title}: the legend is cut off`);
    const height = plot._fullLayout._size.h;
    if (height < 30) found.push(`${title}: is ${height} pixels high`);
}
return [found, document.documentElement.scrollWidth, innerWidth];
"""


@pytest.mark.parametrize("width", [PHONE, LAPTOP])
def test_in_a_window_of_this_width_nothing_is_wider_and_no_text_lies_on_another(width: int, pages: list[Path]) -> None:
    with browser(width) as chrome:
        # A window has a minimum width, a phone has not.
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        for page in pages:
            open_page(chrome, page)
            chrome.execute_script("for (const it of document.querySelectorAll('details')) it.open = true")
            found, scrolled, inner = chrome.execute_script(FOUND)
            assert (scrolled, inner) == (width, width), page
            assert found == [], page
            assert chrome.get_log("browser") == []


def test_a_window_that_becomes_narrow_has_its_plots_drawn_anew(pages: list[Path]) -> None:
    def width(chrome: Chrome) -> int:
        return chrome.execute_script(
            "return Math.max(...[...document.querySelectorAll('.main-svg')].map(it => it.clientWidth))"
        )

    with browser(LAPTOP) as chrome:
        open_page(chrome, pages[0])
        assert width(chrome) > 1000
        chrome.set_window_size(600, 900)
        assert 300 < width(chrome) < 600


def test_the_table_of_mxk_that_is_measured_beside_peers_is_no_peer(tmp_path: Path) -> None:
    rows = throughput()
    own = next(row for row in rows if row.get("peer") == "tbb-hash-map") | {"peer": "mxk-table"}
    (tmp_path / "rows.jsonl").write_text(as_lines([*rows, own | {"throughput": spread(1e9)}]))
    found = [number.what for number in numbers_of(points_of(read_runs([str(tmp_path / "rows.jsonl")])[0].rows), 0, [])]
    assert any("fastest peer, tbb-hash-map" in what for what in found), found
    assert not any("mxk-table" in what for what in found), found


def test_a_number_is_divided_by_one_of_the_same_workload(tmp_path: Path) -> None:
    rows = throughput()
    peer = next(row for row in rows if row.get("peer") == "tbb-hash-map")
    others = [
        peer | {"throughput": spread(1e9), name: value} for name, value in (("dist", "zipf:0.99"), ("keys", "dense"))
    ]
    mine = next(row for row in rows if row["benchmark"] == "table" and row["mix"] == peer["mix"])
    skewed = mine | {"dist": "zipf:0.99", "throughput": spread(9e9)}

    def found(more: list[dict[str, object]]) -> list[tuple[str, str]]:
        (tmp_path / "rows.jsonl").write_text(as_lines([*rows, *more]))
        numbers = numbers_of(points_of(read_runs([str(tmp_path / "rows.jsonl")])[0].rows), 0, [])
        return [(number.value, number.what) for number in numbers]

    assert any("fastest peer" in what for _, what in found([]))
    assert found(others[:1]) == found([])
    assert found(others) == found([]), "of other keys"
    values = [value for value, _ in found([])]
    assert [value for value, _ in found([skewed])] == values, "of uniform keys where there are such"


def test_statements_stand_first_and_each_card_links_to_its_row(pages: list[Path]) -> None:
    with browser(LAPTOP) as chrome:
        open_page(chrome, pages[1])
        ids = [it.get_attribute("id") for it in chrome.find_elements(By.CSS_SELECTOR, "main > section")]
        assert ids[:3] == ["summary", "statements", "machines"]
        tables = chrome.find_elements(By.XPATH, "//h3[contains(., 'says')]/ancestor::section")
        assert {it.get_attribute("id") for it in tables} == {"statements"}
        assert chrome.execute_script("""
            const ids = [...document.querySelectorAll("[id]")].map((it) => it.id);
            return ids.length === new Set(ids).size;"""), "no two have the same name"
        cards = chrome.find_elements(By.CSS_SELECTOR, ".numbers li")
        assert len(cards) > 10
        for card in cards:
            value = card.find_element(By.TAG_NAME, "strong").text.splitlines()[0].removesuffix(" not quiet")
            link = card.find_element(By.TAG_NAME, "a")
            target = (link.get_attribute("href") or "").partition("#")[2]
            link.send_keys(Keys.ENTER)
            row = chrome.find_element(By.ID, target)
            assert row.is_displayed(), "also in what was closed"
            if target == "statements":
                holding = [
                    it for it in row.find_elements(By.CSS_SELECTOR, "tbody td:first-child") if it.text == "holds"
                ]
                assert value.startswith(f"{len(holding)} of ")
                continue
            assert row.tag_name == "tr"
            assert any(cell.text in link.text for cell in row.find_elements(By.TAG_NAME, "td")), link.text
            number = value.split()[0].rstrip(",")
            if "%" in value:
                assert f"{float(row.find_elements(By.TAG_NAME, 'td')[3].text.split()[0]):.0%}".rstrip("%") == number
            else:
                assert number in row.text, (value, row.text)
