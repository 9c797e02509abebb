"""The job of `tools/mxk theses`: runs parts that are not done yet, judges their statements, lists them, writes the
page."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxk_host import files, pages, results
from mxk_host.commands import command_text
from mxk_host.errors import DriverError, ExitCode
from mxk_host.image import shown
from mxk_host.runner import signals_unwind
from mxk_host.runs.point import machine_of, simulation_of
from mxk_host.simulate import job as simulation
from mxk_host.theses.entries import Claim, Judged, Part, Run, Size, Thesis
from mxk_host.theses.state import NOT_RUN, State, States, key_of

_ENDED_BY_SIGNAL = 128
_SEED = 1


@dataclass(frozen=True)
class Settings:
    """How parts are run."""

    states: States
    size: Size
    again: bool
    plugin: Path
    results: Path
    build: bool
    timeout: float  # seconds, of a part


def run(settings: Settings, parts: Sequence[Part]) -> None:
    """Runs those that are not done for this build, machine and command. A part that fails does not keep the others from
    running; at the end it raises for the first of them. Ended by a signal, it keeps what is done."""
    simulation.expect_ready(settings.plugin, build=settings.build)
    failed: list[DriverError] = []
    # A damaged state is told before anything runs.
    known_of = {} if settings.again else {part.name: settings.states.read(part, settings.size) for part in parts}
    with signals_unwind():
        for number, part in enumerate(parts, 1):
            known = known_of.get(part.name)
            key = key_of(part.runs[settings.size], settings.plugin)
            if known is not None and known.is_done and known.key == key:
                print(f"{part.name}: done before, in {_time(known.seconds)}")
                continue
            it = part.runs[settings.size]
            print(f"{part.name}: part {number} of {len(parts)}, about {_time(it.minutes * 60)}: {it.line}")
            try:
                _run_part(settings, part, key)
            except DriverError as error:
                if error.code >= _ENDED_BY_SIGNAL or error.code == ExitCode.USAGE:
                    raise
                print(f"{part.name}: failed: {error}")
                failed.append(error)
    if failed:
        raise DriverError(f"{len(failed)} of {len(parts)} parts failed; the first: {failed[0]}", failed[0].code)


def _run_part(settings: Settings, part: Part, key: str) -> None:
    it = part.runs[settings.size]
    folder, start = results.new_folder(settings.results), time.monotonic()
    failure: DriverError | None = None
    planned = simulation.Simulation(
        it.described(), None, it.mem, _SEED, it.whole, command_text([it.command]), settings.plugin, it.sample
    )
    try:
        simulation.simulate(planned, build=False, timeout=settings.timeout, folder=folder)
    except DriverError as error:
        if error.code >= _ENDED_BY_SIGNAL:
            raise  # as if it had not begun
        failure = error
    state = State(key, str(folder.resolve()), time.monotonic() - start, str(failure or ""), it.line)
    settings.states.write(part, settings.size, state)
    if failure is not None:
        raise failure


def show_list(states: States, parts: Sequence[Part], size: Size) -> None:
    """A line for each part, with its state and how long it takes."""
    for part in parts:
        state = states.read(part, size)
        seconds = state.seconds if state is not None and state.is_done else part.runs[size].minutes * 60
        told = NOT_RUN if state is None else state.told()
        names = ", ".join(claim.name for claim in part.claims)
        print(f"{part.name} ({_time(seconds)}): {told}: {names}\n  {part.runs[size].line}")


def show(states: States, parts: Sequence[Part], size: Size | None) -> int:
    """What each statement of these parts comes to, in this size, or as on the page; how many do not hold."""
    wrong = 0
    for part in parts:
        state = _stored(states, part)[1] if size is None else states.read(part, size)
        for claim in part.claims:
            judged = _judged(claim, state)
            wrong += judged.holds is False
            print(f"{claim.name}: {claim.says}: {judged.measured} (there {claim.thesis}): {_verdict(claim, judged)}")
    return wrong


def put(states: States, theses: Sequence[Thesis], parts: Sequence[Part], page: Path) -> None:
    """Writes what is stored of these theses into their places in the page: of each part the full size if it is done,
    else the small one. Runs nothing."""
    chosen = [thesis for thesis in theses if any(part in parts for part in thesis.parts)]
    blocks = {f"theses: {thesis.name}": _lines(states, thesis) for thesis in chosen}
    text = pages.read(page, "")
    text += "".join(f"\n{pages.place(name)}" for name in blocks if not pages.has(text, name))
    files.write_text(page, pages.replaced(text, blocks, page))
    print(f"{shown(page)}: {', '.join(thesis.name for thesis in chosen)}")


def _lines(states: States, thesis: Thesis) -> Iterator[str]:
    yield f"## {thesis.title}"
    yield ""
    yield "|figure|what it says|there|simulated| |"
    yield "|---|---|---|---|---|"
    origins: dict[str, list[str]] = {}
    for part in thesis.parts:
        size, state = _stored(states, part)
        if state is not None:
            origins.setdefault(_origin(part.runs[size], size, state), []).append(f"`{part.name}`")
        begin = f"`{part.name}`: "
        for claim in part.claims:
            judged = _judged(claim, state)
            value = "" if state is None else judged.measured
            yield f"|{begin}{claim.where}|{claim.says}|{claim.thesis}|{value}|{_verdict(claim, judged)}|"
            begin = ""
    yield ""
    yield "; ".join(f"{origin}: {', '.join(names)}" for origin, names in origins.items())


def _origin(it: Run, size: Size, state: State) -> str:
    how = f"{it.machine} x{it.scale_caches:g}" if it.scale_caches else it.machine
    how += " --smt" if it.smt else ""
    if it.sample < 1:
        errors = [simulation_of(row).get("error") for row in state.rows]
        known = [error for error in errors if isinstance(error, float)]
        how += f" --sample {it.sample:g}, rows to {100 * max(known):.1f} %" if known else f" --sample {it.sample:g}"
    build = next((str(machine_of(row)["build"]) for row in state.rows if "build" in machine_of(row)), "?")
    return f"{how}, {size}, {build.split()[0]}"


def _stored(states: States, part: Part) -> tuple[Size, State | None]:
    known = ((size, states.read(part, size)) for size in Size)
    return next(((size, it) for size, it in known if it is not None and it.is_done), (Size.SMALL, None))


def _judged(claim: Claim, state: State | None) -> Judged:
    if state is None or not state.is_done:
        return Judged(NOT_RUN if state is None else state.told(), None)
    return claim.judged(state.rows)


def _verdict(claim: Claim, judged: Judged) -> str:
    if judged.holds is None:
        return NOT_RUN if judged.measured == NOT_RUN else "not told"
    return "holds" if judged.holds else f"no: {claim.why or 'open'}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
