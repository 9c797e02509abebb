"""`tools/mxk report` about several machines: each row is of one of them, and what they measured stands side by side."""

import base64
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from helpers import Ended, drive
from mxk_host.report.browser import browser, open_page
from mxk_host.report.machines import side_by_side
from mxk_host.runs.log import Found
from mxk_host.runs.source import Run
from report_rows import MACHINE, Row, all_kinds, as_lines, spread

PHONE, LAPTOP = 400, 1280  # pixels
OTHER = MACHINE | {"cpu": "Another one", "cores": 64, "nodes": 4, "memory_bytes": 512 << 30, "build": "beef gcc"}


def rows_of(machine: Row | None, factor: float = 1.0, **others: Any) -> list[Row]:  # noqa: ANN401
    """Tables of two layouts, and what one core alone measured of memory."""
    rows = []
    for place, layout in enumerate(("bucketed", "open")):
        for cores in (1, 2):
            table = {"benchmark": "table", "layout": layout, "mix": "find", "operations": 8_000_000, "cores": cores}
            rows.append(table | {"throughput": spread(factor * cores * (place + 1) * 1e7)})
    for size in (4096, 1 << 30):
        latency = {"benchmark": "memory", "measure": "latency", "core": 0, "bytes": size}
        rows.append(latency | {"nanoseconds": spread(90 / factor if size > 4096 else 1.5)})
    said = {} if machine is None else {"machine": machine}
    return [row | {"quiet": True, "verified": True} | said | others for row in rows]


def written(folder: Path, *files: list[Row]) -> Ended:
    """The report about these files, 0.jsonl and so on, in page.html."""
    for number, rows in enumerate(files):
        (folder / f"{number}.jsonl").write_text(as_lines(rows))
    names = [str(folder / f"{number}.jsonl") for number in range(len(files))]
    ended = drive("report", *names, "--output", str(folder / "page.html"))
    assert ended.code == 0, ended.complaint
    return ended


def told(ended: Ended) -> list[str]:
    """The machines, as the command says them."""
    return [line.removeprefix("machine ") for line in ended.output.splitlines() if line.startswith("machine ")]


def machines(*files: list[Row]) -> list[tuple[Any, int]]:
    """The processor of each, and how many rows are of it."""
    found = [Run(rows=[Found(row, "") for row in rows]) for rows in files]
    runs, firsts = side_by_side(found)
    counts = [sum(len(run.rows) for run in runs if run.machine == place) for place in range(len(firsts))]
    return list(zip((first.get("machine", {}).get("cpu") for first in firsts), counts, strict=True))


A, B = "A: AMD EPYC 7451, 4 cores, 6 rows, not quiet: 0", "B: Another one, 64 cores, 6 rows, not quiet: 0"


@pytest.mark.parametrize("is_one_file", [True, False])
def test_rows_of_two_machines_are_never_put_together(tmp_path: Path, is_one_file: bool) -> None:
    both = [rows_of(MACHINE), rows_of(OTHER, 2.6)]
    assert told(written(tmp_path, *([both[0] + both[1]] if is_one_file else both))) == [A, B]
    page = (tmp_path / "page.html").read_text()
    for rate in (20.0, 52.0):
        assert f"<td>{rate:.1f} M ops/s</td>" in page
    assert "36.0 M ops/s" not in page, "which is that of neither"


@pytest.mark.parametrize(
    "same",
    [
        {"build": "beef gcc", "platform": "Linux 6.12", "memory_bytes": 1 << 30, "tsc_hz": 2_301_000_000},
        {"platform": "metal"},
        None,
    ],
)
def test_runs_of_one_machine_are_no_machines(tmp_path: Path, same: Row | None) -> None:
    first = rows_of(None if same is None else MACHINE)
    assert told(written(tmp_path, first, rows_of(None if same is None else MACHINE | same))) == []
    page = (tmp_path / "page.html").read_text()
    assert "<title>MXK: 0.jsonl, 1.jsonl</title>" in page
    assert 'id="table-of-machines"' not in page
    assert page.count('class="plot"') == 2, "one for both"
    assert "open \\u00b7 1.jsonl" in page


@pytest.mark.parametrize(
    "other",
    [{"cpu": "Another one"}, {"cores": 8}, {"nodes": 1}, {"hypervisor": "KVMKVMKVM"}, {"tsc_hz": 2_500_000_000}],
)
def test_what_tells_machines_apart(other: Row) -> None:
    assert [count for _, count in machines(rows_of(MACHINE), rows_of(MACHINE | other))] == [6, 6]
    assert [count for _, count in machines(rows_of(MACHINE) + rows_of(MACHINE | other))] == [6, 6]


def test_a_program_that_chooses_its_cores_is_on_the_same_machine() -> None:
    of_linux = MACHINE | {"platform": "Linux 6.1", "processors": 64}
    one, two = of_linux | {"cores": 1, "nodes": 1}, of_linux | {"cores": 2, "nodes": 2}
    assert [count for _, count in machines(rows_of(one), rows_of(two))] == [12]
    assert [count for _, count in machines(rows_of(one), rows_of(two | {"processors": 32}))] == [6, 6]


def test_rows_that_do_not_say_it_are_of_the_files_only_machine_or_of_an_unknown_one(tmp_path: Path) -> None:
    said = told(written(tmp_path, rows_of(MACHINE), rows_of(None)))
    assert said == [A, "B: unknown machine, 6 rows, not quiet: 0"]
    assert machines(rows_of(MACHINE) + rows_of(None)) == [(MACHINE["cpu"], 12)]
    both = rows_of(MACHINE) + rows_of(OTHER)
    assert machines(both + rows_of(None)) == [(MACHINE["cpu"], 6), (OTHER["cpu"], 6), (None, 6)]
    topology = {"topology": "this machine"}
    of_other = rows_of(OTHER)
    assert machines([topology, *rows_of(MACHINE), topology, topology, *of_other, topology])[1] == (OTHER["cpu"], 9)


EMULATED = {"cpu": "QEMU TCG", "cores": 4, "nodes": 2, "hypervisor": "TCG"}


def test_what_a_tool_has_measured_on_one_host_is_of_one_machine() -> None:
    guest = MACHINE | {"cores": 2, "hypervisor": "KVMKVMKVM", "platform": "metal"}
    of_host = [*rows_of(EMULATED), *rows_of(MACHINE)]
    assert machines(of_host) == [(MACHINE["cpu"], 12)]
    assert [count for _, count in machines(of_host + rows_of(guest))] == [6, 6, 6], "nothing says that it is the host's"
    assert machines(of_host + rows_of(guest, side="kernel")) == [(MACHINE["cpu"], 18)]
    two = machines(of_host + rows_of(guest, side="kernel") + rows_of(OTHER, side="linux"))
    assert two == [("QEMU TCG", 6), (MACHINE["cpu"], 12), (OTHER["cpu"], 6)]


def test_a_card_is_of_one_machine(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(as_lines(rows_of(MACHINE) + rows_of(MACHINE | {"cores": 64})))
    ended = drive("report", str(tmp_path / "rows.jsonl"), "--machine-card")
    assert ended.code == 2
    assert "expected runs of one machine, got AMD EPYC 7451, 4 cores and AMD EPYC 7451, 64 cores" in ended.complaint


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of two machines with everything: the second one is three times as fast, lacks a layout and has two runs."""
    folder = tmp_path_factory.mktemp("machines")
    measured = [
        [row | {"machine": machine, "quiet": True} for row in all_kinds()] + rows_of(machine, factor)
        for machine, factor in ((MACHINE, 1), (OTHER, 3))
    ]
    of_b = [row for row in measured[1] if (row.get("layout"), row.get("cores")) != ("open", 2)]
    noisy = [{"benchmark": "lines", "measure": "round-trip", "from": 0, "to": 1}]
    of_b = [row | {"quiet": False} if noisy[0].items() <= row.items() else row for row in of_b]
    for row in of_b:
        if row["benchmark"] == "memory" and "nanoseconds" in row:
            row["nanoseconds"] = spread(3 * row["nanoseconds"]["median"])
    ended = written(folder, measured[0], of_b, rows_of(OTHER, 4))
    assert [line.partition(",")[0] for line in told(ended)] == ["A: AMD EPYC 7451", "B: Another one"]
    return folder / "page.html"


def shown(page: Path, width: int) -> Iterator[Chrome]:
    with browser(width) as chrome:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        open_page(chrome, page)
        yield chrome


@pytest.fixture(scope="module")
def wide(page: Path) -> Iterator[Chrome]:
    yield from shown(page, LAPTOP)


# Of each plot with panels: where they are, their scales and the colours of their series.
PANELS = """
const articles = [...document.querySelectorAll("article")].filter((it) => it.querySelector(".plot"));
return Object.fromEntries(articles.map((it) => [
    it.querySelector("h3").textContent, [...it.querySelectorAll(".plot")].map((plot) => ({
        title: plot.parentElement.querySelector(".machine").textContent,
        left: plot.getBoundingClientRect().left, top: plot.getBoundingClientRect().top,
        right: plot.getBoundingClientRect().right,
        ranges: [plot._fullLayout.xaxis.range, plot._fullLayout.yaxis.range],
        highest: Math.max(...plot.data.flatMap((it) => it.y).filter((it) => typeof it === "number")),
        names: plot.data.map((it) => it.name),
        colours: Object.fromEntries(plot.data.filter((it) => it.legendgroup && it.marker)
            .map((it) => [it.legendgroup, it.marker.color + String([it.marker.symbol].flat()[0]).split("-open")[0]])),
        maps: plot.data.filter((it) => it.type === "heatmap").map((it) => [it.zmin, it.zmax]),
    }))]));
"""


def test_the_table_of_machines_says_what_they_are(wide: Chrome) -> None:
    table = [
        [cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")]
        for row in wide.find_elements(By.CSS_SELECTOR, "#table-of-machines tr")
    ]
    assert table[0][:2] == ["machine", "processor"]
    assert [row[:8] for row in table[1:]] == [
        ["A", "AMD EPYC 7451", "4", "2", "64 GiB", "Linux 6.1", "none", "0123456789"],
        ["B", "Another one", "64", "4", "512 GiB", "Linux 6.1", "none", "beef"],
    ]
    assert [row[9] for row in table[1:]] == ["0", "1"]


def test_panels_stand_beside_each_other_with_one_scale_and_one_colour_for_a_series(wide: Chrome) -> None:
    found = wide.execute_script(PANELS)
    both = {title: panels for title, panels in found.items() if len(panels) > 1}
    assert len(both) > 15
    for title, (a, b) in both.items():
        assert (a["title"], b["title"]) == ("A: AMD EPYC 7451, 4 cores", "B: Another one, 64 cores")
        assert a["top"] == b["top"], title
        assert a["right"] < b["left"], title
        assert a["ranges"] == b["ranges"], title
        assert a["colours"], title
        common = a["colours"].keys() & b["colours"].keys()
        assert {name: a["colours"][name] for name in common} == {name: b["colours"][name] for name in common}, title
    a, b = both["find, 8M operations"]
    assert (a["names"], a["highest"]) == (["bucketed", "open"], 40)
    assert set(b["names"]) >= {"bucketed · B: 1.jsonl", "bucketed · B: 2.jsonl"}, "runs are told apart in a panel"
    assert b["highest"] == 160
    assert a["ranges"][1][1] > 160


def test_maps_of_two_machines_have_the_same_colours_for_the_same_value(wide: Chrome) -> None:
    found = wide.execute_script(PANELS)
    (a,), (b,) = (found[f"Memory latency, node by node · {run}"] for run in ("A: 0.jsonl", "B: 1.jsonl"))
    assert a["maps"] == b["maps"]
    assert a["maps"][0][1] >= 3 * 92 * 1.7
    assert (a["top"], a["right"] < b["left"]) == (b["top"], True)


def cards(chrome: Chrome) -> dict[str, list[tuple[str, str, str]]]:
    """Of each row of cards: value, run, and one machine's by the other's."""
    return chrome.execute_script("""
        return Object.fromEntries([...document.querySelectorAll("#summary .numbers")].map((row) => [
            row.previousElementSibling.textContent, [...row.querySelectorAll("li")].map((it) => [
                it.querySelector("strong").firstChild.textContent.trim(), it.querySelector("small").textContent,
                it.querySelector(".by")?.textContent ?? ""])]));""")


def test_cards_stand_side_by_side_and_only_the_same_rows_are_divided(wide: Chrome) -> None:
    found = cards(wide)
    assert found["find"] == [
        ["40.0 M ops/s", "A: 0.jsonl", ""],
        ["60.0 M ops/s", "B: 1.jsonl", ""],  # of another layout
        ["160 M ops/s", "B: 2.jsonl", "A by B: 0.250"],
    ]
    assert [by for _, _, by in found["a cache line there and back"]] == ["", "A by B: 1.00 (B was not quiet)"]
    assert [run for _, run, _ in found["statements"]] == ["A: 0.jsonl", "B: 1.jsonl"]
    assert all(by == "" for _, _, by in found["statements"])


def test_each_row_of_a_table_names_its_machine_on_the_page_and_in_csv(wide: Chrome) -> None:
    for table in wide.find_elements(By.CSS_SELECTOR, "article table"):
        headings = [it.get_attribute("textContent") for it in table.find_elements(By.TAG_NAME, "th")]
        cells = wide.execute_script(
            "return [...arguments[0].querySelectorAll('tbody tr:not(.command)')]"
            ".map((row) => [...row.cells].map((it) => it.textContent))",
            table,
        )
        named = {row[headings.index("run")] for row in cells}
        assert named <= {"A: 0.jsonl", "B: 1.jsonl", "B: 2.jsonl"}
        link = table.find_element(By.XPATH, "./ancestor::article//a[@class='download']").get_attribute("href")
        csv = base64.b64decode((link or "").partition("base64,")[2]).decode()
        assert all(name in csv for name in named)


def test_the_switch_shows_one_machines_panels_and_those_in_full_width(page: Path) -> None:
    for chrome in shown(page, LAPTOP):
        chrome.find_element(By.CSS_SELECTOR, "input[name=run][value='0']").click()
        found = chrome.execute_script(PANELS)["find, 8M operations"]
        assert found[0]["right"] - found[0]["left"] > 1000
        assert found[1]["right"] == 0


def test_on_a_phone_panels_stand_below_each_other(page: Path) -> None:
    for chrome in shown(page, PHONE):
        assert chrome.execute_script("return document.documentElement.scrollWidth") == PHONE
        for title, panels in chrome.execute_script(PANELS).items():
            for above, below in pairwise(panels):
                assert (above["left"], above["top"] < below["top"]) == (below["left"], True), title
            assert all(panel["right"] <= PHONE for panel in panels)


def test_curves_are_latency_over_bandwidth_a_line_for_each_mix(tmp_path: Path) -> None:
    rows = [row for row in all_kinds() if row.get("measure") == "curve"]
    written(tmp_path, rows)
    page = (tmp_path / "page.html").read_text()
    figures = json.loads(page.partition('id="figures">')[2].partition("</script>")[0])
    (figure,) = figures
    assert [(it["name"], it["x"], it["y"]) for it in figure["data"]] == [
        ("read", [0, 17, 34], [92, 138, 184]),
        ("1:1", [0, 11, 22], [92, 138, 184]),
    ]
    assert figure["layout"]["xaxis"]["title"]["text"] == "GB/s that others use"
    assert "bench memory --part curves --set 67108864 --cores 0" in page
