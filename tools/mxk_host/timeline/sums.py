"""Where each core's time went, from its events; checked against what the worker itself counted as idle."""

from collections.abc import Iterable
from dataclasses import dataclass

from mxk_host.timeline.recording import TURNS, WORK, Core, Event, Kind


@dataclass
class Sums:
    """Cycles of one core, but for the counts."""

    core: int
    span: int
    tasks: int = 0  # without what ran inside of one that waited
    task_count: int = 0
    rounds: int = 0
    safe_points: int = 0
    idle: int = 0
    busy_counted: int = 0  # what is not idle by the worker's statistics, which `cores` shows
    is_complete: bool = True

    @property
    def busy(self) -> int:
        """Tasks, and what the worker did between them."""
        return self.tasks + self.rounds + self.safe_points


def sums_of(core: Core) -> Sums:
    """Of the whole time from trace on to trace off, as far as events are there."""
    span = core.stopped - core.started
    sums = Sums(core.number, span, busy_counted=span - core.idle, is_complete=core.is_complete)
    for event, own in own_times(core.events):
        if event.kind in TURNS:
            sums.tasks += own
            sums.task_count += 1
        elif event.kind is Kind.ROUND:
            sums.rounds += own
        elif event.kind is Kind.SAFE_POINT:
            sums.safe_points += own
        else:
            sums.idle += own
    return sums


def own_times(events: Iterable[Event]) -> list[tuple[Event, int]]:
    """Tasks, rounds, safe points and idle times, each with the cycles in which nothing else of these ran inside."""
    done: list[tuple[Event, int]] = []
    ended: list[Event] = []  # that nothing has been found around yet
    for event in events:
        if event.kind is not Kind.IDLE and event.kind not in WORK:
            continue
        inside = 0
        while ended and ended[-1].begin >= event.begin:
            inner = ended.pop()
            inside += inner.end - inner.begin
        ended.append(event)
        done.append((event, event.end - event.begin - inside))
    return done
