"""The report as a reader has it: opened in a browser without a window and without network. What it looks like is kept
as pictures in build/results/report-test, for people to look at."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from helpers import ROOT, drive
from mxk_host.report.adaptive import adaptive_plots
from mxk_host.report.browser import browser, open_page, prefer_dark, print_page
from mxk_host.report.shared import shared_plots
from mxk_host.runs.log import Found
from mxk_host.runs.point import points_of
from report_rows import all_kinds, as_lines, spread

CAPTURED = Path(__file__).parent / "captured"
PICTURES = ROOT / "build/results/report-test"
LAPTOP = 1280  # pixels
EMULATED = "emulated"
ROWS = len(all_kinds())


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report about three runs: native, emulated, and what the machine is like."""
    folder = tmp_path_factory.mktemp("report")
    machine = folder / "machine.jsonl"
    machine.write_text(as_lines(all_kinds()) + '{"benchmark":"lines","from":\n')
    page = folder / "page.html"
    runs = [str(CAPTURED / "native.log"), str(CAPTURED / "qemu.log"), str(machine)]
    ended = drive("report", *runs, "--output", str(page))
    assert (ended.code, ended.output.partition("\n")[0]) == (0, f"report: {page}")
    assert f"machine.jsonl: damaged lines left out: 1\n  line {ROWS + 1}: no whole JSON row" in ended.complaint
    return page


@pytest.fixture(scope="module")
def light(page: Path) -> Iterator[Chrome]:
    """The page in light colours; what it asked for is logged."""
    with browser(LAPTOP, log=True) as chrome:
        open_page(chrome, page)
        yield chrome


def picture(chrome: Chrome, name: str) -> None:
    """Keeps the whole page as it is."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    height = chrome.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": LAPTOP, "height": height, "scale": 0.5}
    taken = chrome.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    (PICTURES / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))


def plots(chrome: Chrome) -> dict[str, dict[str, Any]]:
    """Of each plot, by its title: how many points it shows, by what Plotly drew, and what is written across it."""
    return chrome.execute_script("""
        return Object.fromEntries([...document.querySelectorAll(".plot")].map((plot) => [
            plot.closest("article").querySelector("h3").textContent, {
                given: plot.data.filter((it) => it.hoverinfo !== "skip")  // a level is no point
                    .map((it) => (it.z ? it.z.flat() : it.x).filter((value) => value !== null).length),
                drawn: plot.querySelectorAll(".point").length,
                maps: plot.querySelectorAll(".hm image").length,
                spread: plot.data.flatMap((it) => (it.error_x ?? it.error_y)?.array ?? [])
                    .filter((length) => typeof length === "number").length,
                bars: plot.querySelectorAll("path.yerror, path.xerror").length,
                axis: {type: plot.layout.xaxis?.type, title: plot.layout.xaxis?.title?.text},
                highest: Math.max(...plot.data.flatMap((it) => it.z ? it.z.flat() : it.y)),
                visible: plot.data.map((trace) => trace.visible !== false),
                across: [...plot.querySelectorAll(".annotation-text")].map((it) => it.textContent),
                width: plot.querySelector(".main-svg").getBoundingClientRect().width,
            }]));""")


def test_every_plot_has_its_points(light: Chrome) -> None:
    found = plots(light)
    assert len(found) == 31
    for title, plot in found.items():
        assert plot["given"], title
        assert min(plot["given"]) > 0, title
        if plot["maps"]:
            assert plot["maps"] == len(plot["given"]), title
        else:
            assert plot["drawn"] == sum(plot["given"]), title
            assert plot["bars"] == plot["spread"], title
            assert plot["bars"] or "latency" in title or "variation" in title, title
        assert 0 < plot["width"] < LAPTOP, title
    assert found["Memory latency by working set"]["drawn"] == 19
    assert found["Latency by page size: what the TLB reaches"]["given"] == [19, 10, 1]
    assert found["insert, 200K operations, uniform, random keys"]["given"] == [2] * 6
    assert found["Memory latency, node by node · C: machine.jsonl"]["given"] == [4, 4, 4]
    assert found["A cache line there and back, core by core · C: machine.jsonl"]["given"] == [12]
    sizes = found["Throughput by size of the table: find, uniform, random keys"]
    assert sizes["given"] == [12, 12]
    assert sizes["axis"] == {"type": "log", "title": "size of the table"}
    of_one_core = found["Figure 4.5: insert, 24M operations"]
    assert of_one_core["highest"] == pytest.approx(2)  # not 8, which is that of all four
    assert found["Figure 4.2: insert, 24M operations"]["given"] == [6, 6]
    assert found["Figure 4.10: insert, 24M operations"]["given"] == [2, 2]
    assert found["An atomic addition, by who has the line · C: machine.jsonl"]["given"] == [4, 12, 12]


def test_what_the_source_says_of_adaptive_locks_is_judged(light: Chrome) -> None:
    section = light.find_element(By.ID, "statements")
    table = section.find_element(By.XPATH, ".//h3[contains(., 'adapt: what the source says')]/..//tbody")
    rows = [
        [cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in table.find_elements(By.TAG_NAME, "tr")
    ]
    judged = {said: (measured, here) for here, _, said, _, measured in rows}
    assert len(judged) == 11  # all but that of 16 cores
    assert [said for said, (_, here) in judged.items() if here != "holds"] == ["ipc: messages cost 2.9 to 8.6 % (%)"]
    assert judged["ipc: messages cost 2.9 to 8.6 % (%)"] == ("30.0", "does not hold")
    assert judged["mapping, 256 pages: 32 % (%)"] == ("32.0", "holds")
    assert judged["independent: coarse grows linearly: its growth, for each core"] == ("1.00", "holds")


@pytest.mark.parametrize(("lock", "left"), [(20.9, []), (21.0, ["20.0"])])
def test_what_is_left_of_a_lock_that_hardly_costs_anything_is_not_judged(lock: float, left: list[str]) -> None:
    cycles = (("none", 20.0), ("lock", lock), ("dynamic", 20.2))
    rows = [
        {"benchmark": "adaptive ipc", "measure": way, "cores": [0], "cycles": spread(value)} for way, value in cycles
    ]
    statements = adaptive_plots(points_of([Found(it | {"verified": True}, "") for it in rows]), ["run"])[0]
    found = [line.cells for line in statements.lines if any("dynamic locks remove" in str(cell) for cell in line.cells)]
    assert [cells[-1] for cells in found] == left


def test_what_operations_took_besides_time_is_counted(light: Chrome) -> None:
    table = light.find_element(By.ID, "adaptive").find_element(
        By.XPATH, ".//h3[contains(., 'page, counted')]/..//table"
    )
    headings = [cell.get_attribute("textContent") for cell in table.find_elements(By.XPATH, ".//thead//th")]
    rows = [
        [cell.get_attribute("textContent") for cell in row.find_elements(By.TAG_NAME, "td")]
        for row in table.find_elements(By.XPATH, ".//tbody/tr")
    ]
    places = [headings.index(name) for name in ("locking", "locks", "messages")]
    counted = [[row[place] for place in places] for row in rows if len(row) == len(headings)]
    assert ["fine", "1.00", "0.000"] in counted
    assert ["message", "0.000", "1.01"] in counted


def test_orders_of_locks_stand_as_the_program_has_judged_them_above_their_plots(light: Chrome) -> None:
    section = light.find_element(By.ID, "statements")
    table = section.find_element(By.XPATH, ".//h3[contains(., 'what the source says of their order')]/..//tbody")
    rows = [
        [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
        for row in table.find_elements(By.CSS_SELECTOR, "tr:not(.command)")
    ]
    judged = [(row[3], row[0]) for row in rows]
    assert judged == [(">= 1.50", "holds"), (">= 1.00", "does not hold")]
    titles = [heading.text for heading in light.find_elements(By.CSS_SELECTOR, "#locks h3")]
    assert any("WBAB: the same above the wait" in title for title in titles)
    assert any("fairness and what it took" in title for title in titles)


def test_what_is_emulated_says_so_across_its_plot_and_nothing_else_does(light: Chrome) -> None:
    found = plots(light)
    across = {title for title, plot in found.items() if EMULATED in plot["across"]}
    assert across == {"insert, 50K operations, uniform, random keys emulated"}
    assert light.find_element(By.CSS_SELECTOR, ".emulated-note").is_displayed()


def test_no_error_no_network_and_no_scrolling_sideways(light: Chrome) -> None:
    assert light.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in light.get_log("performance")]
    asked = [it["params"]["request"]["url"] for it in events if it["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert any(url.startswith("file:") for url in asked), "the log has requests"
    for details in light.find_elements(By.TAG_NAME, "details"):
        light.execute_script("arguments[0].open = true", details)
    wider = """return [...document.querySelectorAll("*")].filter((it) => !it.closest(".plot, script, style, head")
        && it.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(it).position !== "absolute")
        .map((it) => it.outerHTML.slice(0, 80))"""
    assert light.execute_script(wider) == []
    assert light.execute_script("return document.documentElement.scrollWidth") <= LAPTOP
    picture(light, "light-all-open")
    for details in light.find_elements(By.TAG_NAME, "details"):
        light.execute_script("arguments[0].open = false", details)


def test_statements_findings_commands_and_data_are_there(light: Chrome) -> None:
    text = light.execute_script("return document.body.textContent")
    assert "SLIT: from node 1 to node 0 it says 40, measured is 17 (10: the node itself)" in text
    assert "tools/mxk run --cpus 2 --nodes 2 -- 'bench table --cores 1,2 --ops 50K --repeat 3 --json'" in text
    statements = light.find_elements(
        By.XPATH, "//h3[contains(., 'Figure 4.2: what the thesis says')]/..//tbody/tr[not(@class='command')]"
    )
    assert [row.text.split(" ", 1)[0] for row in statements] == ["holds", "does"]
    assert statements[1].get_attribute("class") == "failed"
    href = light.find_element(By.CSS_SELECTOR, "#data a[download='C-machine.jsonl.csv']").get_attribute("href")
    table = base64.b64decode(href.partition("base64,")[2]).decode().splitlines()
    assert len(table) == 1 + ROWS
    assert {"benchmark", "nanoseconds.median", "machine.cpu"} <= set(table[0].split(","))
    assert f"line {ROWS + 1}: no whole JSON row" in text


def test_the_switch_is_reached_and_used_by_keys(light: Chrome) -> None:
    picture(light, "light")
    reached: list[str] = []
    for _ in range(60):
        light.switch_to.active_element.send_keys(Keys.TAB)
        active = light.switch_to.active_element
        reached.append(active.get_attribute("href") or active.get_attribute("value") or active.tag_name)
        if active.tag_name == "summary":
            break
    assert any(str(it).endswith("#throughput") for it in reached), reached
    assert "all" in reached
    assert reached[-1] == "summary", "the numbers below a plot can be opened"
    light.find_element(By.CSS_SELECTOR, "input[name=run]:checked").send_keys(Keys.ARROW_RIGHT)
    found = plots(light)
    assert found["insert, 200K operations, uniform, random keys"]["visible"] == [True] * 6
    shown = {it.text for it in light.find_elements(By.CSS_SELECTOR, "article:not([hidden]) h3") if it.is_displayed()}
    assert "insert, 200K operations, uniform, random keys" in shown
    assert "Figure 4.2: insert, 24M operations" not in shown, "it is of another machine"
    assert not any("machine.jsonl" in title for title in shown)
    light.find_element(By.CSS_SELECTOR, "input[name=run]:checked").send_keys(Keys.ARROW_LEFT)
    assert all(all(plot["visible"]) for plot in plots(light).values())


def test_dark_and_printed(light: Chrome) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    text = "return getComputedStyle(document.querySelector('.plot .xtick text')).fill"
    assert light.execute_script(ground) == "rgb(252, 252, 251)"
    prefer_dark(light, True)
    assert light.execute_script(ground) == "rgb(20, 23, 27)"
    WebDriverWait(light, 10, poll_frequency=0.05).until(lambda it: it.execute_script(text) == "rgb(229, 232, 236)")
    picture(light, "dark")
    print_page(light, PICTURES / "printed.pdf")
    prefer_dark(light, False)
    assert (PICTURES / "printed.pdf").read_bytes().startswith(b"%PDF-")


def test_what_all_cores_share_has_plots_of_its_own(tmp_path: Path) -> None:
    page = tmp_path / "shared.html"
    ended = drive("report", str(CAPTURED / "shared.log"), "--output", str(page))
    assert ended.code == 0, ended.complaint
    with browser(LAPTOP, log=True) as chrome:
        open_page(chrome, page)
        found = plots(chrome)
        picture(chrome, "shared")
        headings = [it.text for it in chrome.find_elements(By.CSS_SELECTOR, "#shared h3")]
        tables = {
            article.find_element(By.CSS_SELECTOR, "h3").text: [
                [cell.get_attribute("textContent").strip() for cell in row.find_elements(By.CSS_SELECTOR, "td")]
                for row in article.find_elements(By.CSS_SELECTOR, "tbody tr:not(.command)")
            ]
            for article in chrome.find_elements(By.CSS_SELECTOR, "#shared article")
        }
        assert chrome.get_log("browser") == []
    sections, one_list, resize, shared = (
        "Read sections per second: empty",
        "One sorted list: 100 keys, uniform, 10 % updates",
        "Look-ups while a table doubles: 100K keys",
        "Shared and partitioned: find, 100K operations, uniform, random keys",
    )
    assert headings == [sections, one_list, resize, shared]
    for title, lines in ((sections, 4), (one_list, 4), (shared, 2)):
        assert found[title]["given"] == [2] * lines, title
        assert found[title]["axis"]["title"] == "cores", title
    assert found[resize]["given"] == [8, 8], "p50 and p99 of two tables, two numbers of cores, two phases"
    assert found[resize]["axis"]["type"] == "log"
    assert all(found[title]["drawn"] == sum(found[title]["given"]) for title in headings)
    rows = {row[0]: row for row in tables[resize]}
    assert len(rows) == len(tables[resize]) == 8, "each with a name of its own"
    p99, p99_quiet, within = rows["concurrent, 1 core, growing"][5:8]
    assert p99_quiet == rows["concurrent, 1 core, quiet"][5] != p99
    assert within in ("yes", "NO")
    assert {row[0] for row in tables[sections]} == {"qsbr", "rwlock", "rwlock-shared", "urcu-qsbr"}
    assert {row[0] for row in tables[shared]} == {
        "shared: concurrent-lines, batch",
        "partitioned: bucketed, batch",
    }
    assert "What read sections and grace periods cost" in found


def test_all_ways_to_protect_a_reader_are_lines_of_one_plot() -> None:
    row = {"benchmark": "rcu-read", "body": "empty"}
    measured = {"throughput": spread(1e9), "verified": True}
    rows = [row | {"kind": f"kind-{kind}", "cores": cores} | measured for kind in range(13) for cores in (1, 2)]
    (plot,) = shared_plots(points_of([Found(it, "") for it in rows]), [], ["run"])
    assert plot.figure is not None
    assert [it["name"] for it in plot.figure["data"]] == [f"kind-{kind}" for kind in range(13)]


def test_pdf_by_the_command_and_nothing_to_show(tmp_path: Path) -> None:
    run = tmp_path / "20260101T000000.000Z"
    run.mkdir()
    (run / "results.jsonl").write_text(as_lines(all_kinds()[:20]))
    ended = drive("report", str(run), "--pdf", timeout=60)
    assert (ended.code, ended.output) == (0, f"report: {run}/report.html\nprinted: {run}/report.pdf\n"), ended.complaint
    assert (run / "report.pdf").stat().st_size > 10_000
    (tmp_path / "empty.log").write_text("MXK\nmxk> topology\n")
    ended = drive("report", str(tmp_path / "empty.log"))
    assert (ended.code, "there is nothing to show in empty.log" in ended.complaint) == (2, True)
