"""What the rounds of a comparison amount to: medians, ratios and shares, as the one JSON document that the table is
drawn from. A ratio is taken between two runs of the same round, and what is shown is the median of these ratios: a
machine that becomes slower over the rounds moves both sides of each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from mxk_host.compare_plan import LEAST_ROUNDS, TASK_ENGINE, Column, Engine, Kind, Settings
from mxk_host.compare_run import Record, Sample

Rounds = Mapping[int, float]  # a verified value for each round that has one


def spread(values: Iterable[float]) -> dict[str, float] | None:
    """Median and extremes; None without values."""
    values = list(values)
    if not values:
        return None
    return {"n": len(values), "median": median(values), "min": min(values), "max": max(values)}


def paired_ratio(over: Rounds, under: Rounds) -> dict[str, float] | None:
    """The spread of over / under, taken within each round that has both."""
    return spread(over[number] / under[number] for number in sorted(over.keys() & under.keys()) if under[number] > 0)


def summarise(settings: Settings, engines: Sequence[Engine], record: Record) -> dict[str, Any]:
    """The whole result. `engines`: those of the table, the one that ratios are about first, built or not."""
    tables = [sample for sample in record.samples if sample.column.cores is not None]
    tasks = [sample for sample in record.samples if sample.column.cores is None]
    built = [engine for engine in engines if not engine.missing]
    rows = _rows("table", built, settings.columns, tables, engines[0].name, record)
    measures = list(dict.fromkeys(sample.column for sample in tasks))
    rows += _rows("tasks", _task_engines(tasks), measures, tasks, TASK_ENGINE, record)
    return {
        "benchmark": "compare",
        "operations": settings.operations,
        "cores": settings.cores,
        "seed": settings.seed,
        "rounds": record.rounds_complete,
        "rounds_asked": settings.rounds,
        "quick_look": record.rounds_complete < LEAST_ROUNDS,
        "interrupted": record.interrupted is not None,
        "verified": not record.failures and bool(rows) and all(row["verified"] for row in rows),
        "ratios_of": engines[0].name,
        "references": [engine.name for engine in built if engine.kind is Kind.REFERENCE],
        "rows": rows,
        "unsupported": [
            {"engine": engine, **_column(column), "reason": reason}
            for (engine, column), reason in record.unsupported.items()
        ],
        "missing": [{"engine": engine.name, "reason": engine.missing} for engine in engines if engine.missing],
        "failures": [{"engine": name, "reason": reason} for name, reason in record.failures.items()],
        "machine": next((s.row["machine"] for s in record.samples if "machine" in s.row), {}),
        "warnings": _warnings(record.samples),
        "skipped": list(dict.fromkeys(text for sample in tasks for text in sample.row.get("skipped", ()))),
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


def _task_engines(samples: Sequence[Sample]) -> list[Engine]:
    engines = {}
    for sample in samples:
        kind = Kind.MXK if sample.row["benchmark"] == "task" else Kind.PEER
        engines.setdefault(sample.engine, Engine(sample.engine, kind, sample.row.get("library", "")))
    return sorted(engines.values(), key=lambda engine: engine.kind is not Kind.MXK)


def _rows(
    section: str,
    engines: Sequence[Engine],
    columns: Sequence[Column],
    samples: Sequence[Sample],
    baseline: str,
    record: Record,
) -> list[dict[str, Any]]:
    """A row for each engine and column: measured, or not verified because the engine failed. `baseline`: the engine
    that ratios are about."""
    rounds: dict[tuple[str, Column], dict[int, float]] = {}
    wrong = {(sample.engine, sample.column) for sample in samples if not sample.verified}
    for sample in samples:
        if sample.verified:
            rounds.setdefault((sample.engine, sample.column), {})[sample.round] = sample.value
    references = [engine.name for engine in engines if engine.kind is Kind.REFERENCE]
    rows = []
    for engine in engines:
        for column in columns:
            mine = rounds.get((engine.name, column), {})
            failed = (engine.name, column) in wrong or (section == "table" and engine.name in record.failures)
            if not mine and not failed:
                continue  # not supported, or the comparison was interrupted before
            row: dict[str, Any] = {"section": section, "engine": engine.name, "kind": engine.kind}
            row |= {"library": engine.library} | _column(column)
            measured: dict[str, Any] = {"throughput" if section == "table" else "cycles": spread(mine.values())}
            if engine.name != baseline:
                measured["ratio"] = paired_ratio(rounds.get((baseline, column), {}), mine)
            if engine.kind is not Kind.REFERENCE:
                measured["share"] = _shares(rounds, mine, references, column)
            row |= {name: value for name, value in measured.items() if value}
            rows.append(row | {"verified": bool(mine) and not failed})
    return rows


def _shares(
    rounds: Mapping[tuple[str, Column], Rounds], mine: Rounds, references: Sequence[str], column: Column
) -> dict[str, Any]:
    """What an engine reaches of each reference that has this column."""
    shares = {name: paired_ratio(mine, rounds.get((name, column), {})) for name in references}
    return {name: share for name, share in shares.items() if share is not None}


def _column(column: Column) -> dict[str, Any]:
    if column.cores is None:
        return {"measure": column.what}
    return {"mix": column.what, "cores": column.cores}
