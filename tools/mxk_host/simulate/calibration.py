"""How near the model of a machine comes to the machine itself: the same commands in the Linux program on the one and in
the kernel on the other, row by row. What a machine's file was fitted to is told apart from what it was not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from mxk_host.stream import Row

# Within these the model is called near; of all rows together the order counts, too (Spearman's rank correlation).
LOWEST, HIGHEST, MIN_CORRELATION = 0.7, 1.4, 0.9
_SETS = {16 << 10: "16 KiB", 192 << 10: "192 KiB", 8 << 20: "8 MiB", 64 << 20: "64 MiB"}
# The kernel and the Linux program choose for themselves otherwise.
_PREFETCH = {"task": "--prefetch-hint t0 --prefetch 8", "batch": "--prefetch-hint t0"}


@dataclass(frozen=True)
class Probe:
    """Commands, and which of their rows are compared."""

    command: str
    cores: int
    fitted: bool  # whether parameters of the machine's file were chosen by its rows

    def name_of(self, row: Row) -> str | None:
        """What a row is called on both sides; None: it is not compared."""
        if row.get("measure") == "latency":
            return f"load, {_SETS[row['bytes']]}" if row["bytes"] in _SETS else None
        if row.get("measure") == "chains":
            return f"load, {row['chains']} chains" if row["chains"] in (4, 16) else None
        if row.get("measure") == "prefetch":
            return f"load, prefetched {row['distance']} ahead" if row["distance"] in (2, 16) else None
        if row["benchmark"] == "lines":
            return str(row["measure"]) if (row["from"], row["to"]) in ((0, 1), (0, 0)) else None
        cores = "1 core" if row["cores"] == 1 else f"{row['cores']} cores"
        how = "batch" if row["submit"] == "batch" else "task" if row["prefetch"] else "task, no prefetch"
        return f"{row['layout']}, {how}, {row['mix']}, {cores}"


def _table(layout: str, submit: str, *, fitted: bool) -> Probe:
    options = f"--layout {layout} --submit {submit} {_PREFETCH[submit]} --mix insert,find --ops {{ops}} --cores 1,2"
    return Probe(f"bench table {options}", 2, fitted)


PROBES = (
    Probe("bench memory --part latency --max 64Mi --loads 100K", 1, fitted=True),
    Probe("bench memory --part overlap --set 64Mi --loads 100K", 1, fitted=True),
    Probe("bench lines --measure round-trip,atomic-owned,atomic-remote", 2, fitted=True),
    _table("bucketed", "batch", fitted=True),
    _table("open", "task", fitted=True),
    _table("bucketed", "task", fitted=False),
    _table("open", "batch", fitted=False),
    _table("cuckoo", "batch", fitted=False),
    _table("cuckoo", "task", fitted=False),
    _table("chained", "task", fitted=False),
    Probe("bench table --mix insert,find --ops {ops} --cores 1,2 --prefetch 0", 2, fitted=False),
)


@dataclass(frozen=True)
class Compared:
    """A row of both sides, in nanoseconds per operation."""

    name: str
    fitted: bool
    native: float
    simulated: float

    @property
    def ratio(self) -> float:
        """More than 1: the model is slower than the machine."""
        return self.simulated / self.native

    @property
    def use(self) -> str:
        """What it was good for when the machine's file was written."""
        return "fitted" if self.fitted else "kept for validation"

    @property
    def near(self) -> bool:
        """Whether the ratio is within the bounds."""
        return LOWEST <= self.ratio <= HIGHEST


def nanoseconds(row: Row) -> float:
    """Per operation; of a throughput of several cores: of all of them together."""
    if "nanoseconds" in row:
        return float(row["nanoseconds"]["median"])
    return 1e9 / float(row["throughput"]["median"])


def by_name(probe: Probe, rows: Iterable[Row]) -> dict[str, float]:
    """Of the rows that are compared, each of which must have been verified."""
    return {name: nanoseconds(row) for row in rows if (name := probe.name_of(row)) is not None and row["verified"]}


def compared(probe: Probe, native: Sequence[Sequence[Row]], simulated: Sequence[Row]) -> list[Compared]:
    """`native`: of each round, whose median counts. Only rows that both sides have."""
    rounds = [by_name(probe, rows) for rows in native]
    modelled = by_name(probe, simulated)
    return [
        Compared(name, probe.fitted, median(it[name] for it in rounds), modelled[name])
        for name in modelled
        if all(name in it for it in rounds)
    ]


def rank_correlation(rows: Sequence[Compared]) -> float:
    """Spearman's."""
    from scipy.stats import spearmanr  # takes a while to read

    return float(spearmanr([it.native for it in rows], [it.simulated for it in rows]).statistic)


def verdict(rows: Sequence[Compared]) -> str:
    """A sentence: how many are near, how their order agrees."""
    near = sum(it.near for it in rows)
    return (
        f"{near} of {len(rows)} rows within {LOWEST} to {HIGHEST}; rank correlation {rank_correlation(rows):.3f} "
        f"(wanted {MIN_CORRELATION})"
    )


def verdicts(rows: Sequence[Compared]) -> list[str]:
    """Of all rows, and of those that say how far the model can be trusted."""
    return [f"All: {verdict(rows)}", f"Kept for validation: {verdict([it for it in rows if not it.fitted])}"]


def lines(rows: Sequence[Compared], origin: str) -> Iterable[str]:
    """A table for a page, and where it comes from."""
    yield "| row | native, ns | simulated, ns | simulated / native | |"
    yield "|---|---|---|---|---|"
    for it in rows:
        ratio = f"{it.ratio:.2f}" if it.near else f"**{it.ratio:.2f}**"
        yield f"| {it.name} | {it.native:.2f} | {it.simulated:.2f} | {ratio} | {it.use} |"
    yield ""
    yield f"{'. '.join(verdicts(rows))}."
    yield ""
    yield origin
