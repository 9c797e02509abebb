"""What the rounds of a comparison amount to: medians, ratios, shares and figures, as the one JSON document that the
table is drawn from."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mxk_host.builds.statistics import median_with_interval
from mxk_host.compare import plan
from mxk_host.compare.cells import Cells, paired_ratio, spread
from mxk_host.compare.figures import FIGURES, evaluate
from mxk_host.compare.plan import Cell, Column, Engine, Kind, Part, Settings
from mxk_host.compare.run import Record, Sample
from mxk_host.quiet import MIN_ROUNDS


def summarise(settings: Settings, engines: dict[Part, list[Engine]], record: Record) -> dict[str, Any]:
    """The whole result. `engines`: those of each part that measures tables, the one that ratios are about first, built
    or not."""
    cells = Cells(record)
    rows = []
    for part, measured in engines.items():
        built = [engine for engine in measured if not engine.missing]
        rows += _rows(part, built, settings.columns(part), cells)
    for part in plan.SEVERAL_IN_ONE:
        mine = [sample for sample in record.samples if sample.cell.part is part]
        measures = list(dict.fromkeys(sample.cell.column for sample in mine))
        rows += _rows(part, _engines_of(mine), measures, cells)
    everyone = list({engine.name: engine for measured in engines.values() for engine in measured}.values())
    built = [engine for engine in everyone if not engine.missing]
    failures = [{"process": name, "reason": reason} for name, reason in record.failures.items()]
    if record.rounds_complete >= MIN_ROUNDS:
        failures += [_beyond(row) for row in rows if row.get("share", {}).get("low", 0) > 1]
    return {
        "benchmark": "compare",
        "command": settings.command,
        "started": settings.started,
        "operations": settings.operations,
        "cores": settings.cores,
        "seed": settings.seed,
        "rounds": record.rounds_complete,
        "rounds_asked": settings.rounds or "auto",
        "quick_look": record.rounds_complete < MIN_ROUNDS,
        "interrupted": record.interrupted is not None,
        "signal": record.interrupted,
        "verified": not failures and bool(rows) and all(row["verified"] for row in rows),
        "ratios_of": {part: name for part, measured in engines.items() if (name := _baseline(part, measured))},
        "dist": {Part.ZIPF: plan.ZIPF} if Part.ZIPF in engines else {},
        "bounds": [engine.name for engine in built if engine.kind is Kind.BOUND],
        "rows": rows,
        "figures": evaluate(FIGURES, cells, settings.parts),
        "unsupported": [
            {"section": cell.part, "engine": cell.engine, **_column(cell.column), "reason": reason}
            for cell, reason in record.unsupported.items()
        ],
        "missing": [{"engine": engine.name, "reason": engine.missing} for engine in everyone if engine.missing],
        "failures": failures,
        "machine": next((s.row["machine"] for s in record.samples if "machine" in s.row), {}),
        "warnings": _warnings(record.samples),
        "skipped": _skipped(settings, record),
        "engines": [{"name": e.name, "kind": e.kind, "library": e.library, "setup": e.setup} for e in built],
        "load_before": record.load_before,
    }


def _warnings(samples: Iterable[Sample]) -> list[dict[str, Any]]:
    """Each warning once, with the number of processes that gave it. Those that differ in figures only are one."""
    texts: dict[str, list[str]] = {}
    processes: dict[str, set[tuple[str, int]]] = {}
    for sample in samples:
        for text in sample.row.get("warnings", ()):
            kind = re.sub(r"-?\d+(\.\d+)?", "0", text)
            texts.setdefault(kind, []).append(text)
            processes.setdefault(kind, set()).add((sample.process, sample.round))
    return [
        {"text": same[0], "processes": len(processes[kind]), "figures_differ": len(set(same)) > 1}
        for kind, same in texts.items()
    ]


def _skipped(settings: Settings, record: Record) -> list[str]:
    texts = [text for sample in record.samples for text in sample.row.get("skipped", ())]
    if Part.GROUP_BY in settings.parts and not plan.group_by_processes(settings):
        texts.append(f"{Part.GROUP_BY}, for which 'make python' has to be run first")
    return list(dict.fromkeys(texts))


def _engines_of(samples: Sequence[Sample]) -> list[Engine]:
    engines = {}
    for sample in samples:
        is_mxk = sample.row["benchmark"] in plan.COST_BENCHMARKS or sample.cell.engine in (
            plan.GROUP_BY_ENGINE,
            plan.RCU_ENGINE,
        )
        is_mxk = is_mxk or (sample.cell.part is Part.RCU and sample.row["library"] == "none")
        is_mxk = is_mxk or sample.cell.part is Part.GRACE
        kind = Kind.MXK if is_mxk else Kind.PEER
        library = sample.row.get("library", "").removesuffix("none")
        engines.setdefault(sample.cell.engine, Engine(sample.cell.engine, kind, library))
    return sorted(engines.values(), key=lambda engine: (engine.kind is not Kind.MXK, engine.name != plan.RCU_ENGINE))


def _rows(part: Part, engines: Sequence[Engine], columns: Sequence[Column], cells: Cells) -> list[dict[str, Any]]:
    """A row for each engine and column: measured, or not verified because the engine failed."""
    bounds = [engine.name for engine in engines if engine.kind is Kind.BOUND]
    baseline = _baseline(part, engines)
    rows = []
    for engine in engines:
        for column in columns:
            cell = Cell(part, engine.name, column)
            mine, failed = cells.values(cell), cells.failed(cell)
            if not mine.by_round and not failed:
                continue  # not supported, or the comparison was interrupted before
            row: dict[str, Any] = {"section": part, "engine": engine.name, "kind": engine.kind}
            row |= {"library": engine.library} | _column(column)
            measured: dict[str, Any] = {
                plan.cost_unit(part) if part in plan.TIMED else "throughput": spread(mine.counted)
            }
            if engine.name != baseline:
                measured["ratio"] = paired_ratio(cells.values(Cell(part, baseline, column)), mine)
            if engine.kind is not Kind.BOUND and bounds:
                measured["share"] = _share(cells, cell)
            if part in (Part.TABLE, Part.LOAD):
                measured["latency"] = cells.latency(cell)
            if part is Part.TABLE:
                measured["memory"] = cells.memory(cell)
            row |= {name: value for name, value in measured.items() if value}
            noise = cells.noise(cell)
            if left_out := len(mine.by_round) - len(mine.rounds):
                row["disturbed_rounds"] = left_out
            row |= {"quiet": cells.is_quiet(cell)} | ({"not_quiet": noise} if noise else {})
            rows.append(row | {"verified": bool(mine.by_round) and not failed})
    return rows


def _baseline(part: Part, engines: Sequence[Engine]) -> str:
    """Whom ratios are about: the first one of MXK's; empty if there is none."""
    if part in plan.TIMED:
        return plan.COST_ENGINE
    return next((engine.name for engine in engines if engine.kind is Kind.MXK), "")


def _share(cells: Cells, cell: Cell) -> dict[str, Any] | None:
    """What an engine reaches of the bounds, with the interval of the median: 95 %, by rank."""
    ratios = cells.values(cell).over(cells.values(cell._replace(engine=plan.BOUND)))
    if not ratios.by_round:
        return None
    found = median_with_interval({0: ratios.counted})
    return {**(spread(ratios.counted) or {}), "low": found.low, "high": found.high}


def _beyond(row: dict[str, Any]) -> dict[str, Any]:
    """A share whose whole interval is above 1 is no share: what it is of is no bound, or was disturbed."""
    share, what = row["share"], f"{row['mix']} at {row['cores']} cores"
    why = f"{what}: {share['median']:.2f} of the bounds ({share['low']:.2f} to {share['high']:.2f}), expected up to 1"
    return {"process": plan.process_name(Part(row["section"]), row["engine"], row["cores"]), "reason": why}


def _column(column: Column) -> dict[str, Any]:
    if column.cores is None:
        return {"measure": column.what}
    return {"mix": column.what, "cores": column.cores}
