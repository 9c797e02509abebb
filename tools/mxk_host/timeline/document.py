"""A recording in the trace-event format that Perfetto and chrome://tracing open: nodes are processes, cores their
threads, tasks complete events, hops flows, what takes no time instants."""

from collections.abc import Iterator
from typing import Any

from mxk_host.timeline.names import Names
from mxk_host.timeline.recording import TURNS, Core, Event, Kind, Recording
from mxk_host.timeline.sums import Sums

_CATEGORY = {
    Kind.TASK: "task", Kind.THREAD: "thread", Kind.GROWTH_STEP: "table", Kind.OWNER_CHANGE: "table", Kind.HOP: "hop",
    Kind.PREEMPTION: "thread", Kind.SEMAPHORE_WAIT: "thread",
}  # fmt: skip
_NAME = {
    Kind.ROUND: "round", Kind.SAFE_POINT: "safe point", Kind.IDLE: "idle", Kind.SLEEP: "asleep",
    Kind.GROWTH_STEP: "growth step", Kind.HOP: "hop", Kind.WAKE: "wakes another", Kind.PREEMPTION: "preempted",
    Kind.SEMAPHORE_WAIT: "waits for a semaphore", Kind.OWNER_CHANGE: "owns a part of a table",
}  # fmt: skip

TraceEvent = dict[str, Any]


def document(recording: Recording, names: Names, sums: list[Sums], complaints: list[str]) -> dict[str, Any]:
    """The whole file."""
    origin = min((core.started for core in recording.cores if core.started), default=0)
    writer = _Writer(recording, names, origin)
    to_milliseconds = 1e3 / recording.frequency
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "recording": recording.name,
            "platform": recording.platform,
            "build": recording.build,
            "tsc_hz": recording.frequency,
            "complaints": complaints,
            "cores": [
                {
                    "core": each.core,
                    "span_ms": each.span * to_milliseconds,
                    "tasks": each.task_count,
                    "tasks_ms": each.tasks * to_milliseconds,
                    "rounds_ms": each.rounds * to_milliseconds,
                    "safe_points_ms": each.safe_points * to_milliseconds,
                    "idle_ms": each.idle * to_milliseconds,
                    "busy_counted_ms": each.busy_counted * to_milliseconds,
                    "lost": core.lost,
                    "complete": each.is_complete,
                }
                for each, core in zip(sums, recording.cores, strict=True)
            ],
        },
        "traceEvents": [*writer.rows(), *writer.events(), *writer.flows()],
    }


class _Writer:
    def __init__(self, recording: Recording, names: Names, origin: int) -> None:
        self._recording = recording
        self._names = names
        self._origin = origin
        self._scale = 1e6 / recording.frequency

    def rows(self) -> Iterator[TraceEvent]:
        for node in sorted({core.node for core in self._recording.cores}):
            yield {"ph": "M", "name": "process_name", "pid": node, "tid": 0, "args": {"name": f"node {node}"}}
        for core in self._recording.cores:
            row = self._row(core)
            yield {"ph": "M", "name": "thread_name", **row, "args": {"name": f"core {core.number}"}}
            yield {"ph": "M", "name": "thread_sort_index", **row, "args": {"sort_index": core.number}}

    def events(self) -> Iterator[TraceEvent]:
        for core in self._recording.cores:
            for event in core.events:
                yield from self._event(core, event)

    def flows(self) -> Iterator[TraceEvent]:
        for number, (sender, hop, receiver, arrival) in enumerate(arrivals(self._recording), 1):
            common = {"name": "hop", "cat": "hop", "id": number}
            yield {"ph": "s", **common, **self._row(sender), "ts": self._time(hop.begin)}
            yield {"ph": "f", "bp": "e", **common, **self._row(receiver), "ts": self._time(arrival.begin)}

    def _event(self, core: Core, event: Event) -> Iterator[TraceEvent]:
        row, name = self._row(core), self._name(event)
        category = _CATEGORY.get(event.kind, "worker")
        if event.begin == event.end and event.kind >= Kind.HOP:
            yield self._instant(row, name, category, event.begin, _arguments(event))
            return
        begin, end = self._time(event.begin), self._time(event.end)
        yield {"ph": "X", "name": name, "cat": category, **row, "ts": begin, "dur": round(end - begin, 3),
               "args": _arguments(event)}  # fmt: skip
        if event.kind is Kind.SLEEP:
            yield self._instant(row, "sleep", "worker", event.begin, {})
            yield self._instant(row, "wake", "worker", event.end, {})

    def _instant(self, row: TraceEvent, name: str, category: str, time: int, arguments: TraceEvent) -> TraceEvent:
        return {"ph": "i", "s": "t", "name": name, "cat": category, **row, "ts": self._time(time), "args": arguments}

    def _name(self, event: Event) -> str:
        return self._names.of(event.detail) if event.kind in TURNS else _NAME[event.kind]

    def _time(self, stamp: int) -> float:
        """Microseconds since the first core began, to the nanosecond."""
        return round((stamp - self._origin) * self._scale, 3)

    def _row(self, core: Core) -> TraceEvent:
        return {"pid": core.node, "tid": core.number}


def arrivals(recording: Recording) -> Iterator[tuple[Core, Event, Core, Event]]:
    """Each hop with the turn of the same task that it led to. A task is in one place at a time, so that its address is
    enough to tell: its first turn behind the hop. If that is on another core, the arrival was lost."""
    moments: list[tuple[int, int, Core, Event]] = []
    for core in recording.cores:
        for event in core.events:
            if event.kind is Kind.HOP:
                moments.append((event.begin, 0, core, event))
            elif event.kind in TURNS:
                moments.append((event.begin, 1, core, event))
    moments.sort(key=lambda moment: moment[:2])
    under_way: dict[int, tuple[Core, Event]] = {}
    for _, _, core, event in moments:
        if event.kind is Kind.HOP:
            under_way[event.subject] = core, event
        elif (sent := under_way.pop(event.subject, None)) is not None and sent[1].detail == core.number:
            yield *sent, core, event


def _arguments(event: Event) -> TraceEvent:
    match event.kind:
        case Kind.TASK:
            return {"task": hex(event.subject), "function": hex(event.detail)}
        case Kind.THREAD:
            return {"thread": hex(event.subject), "function": hex(event.detail)}
        case Kind.PREEMPTION:
            return {"thread": hex(event.subject)}
        case Kind.SEMAPHORE_WAIT:
            return {"thread": hex(event.subject), "semaphore": hex(event.detail)}
        case Kind.HOP:
            return {"task": hex(event.subject), "to core": event.detail}
        case Kind.WAKE:
            return {"core": event.detail}
        case Kind.GROWTH_STEP | Kind.OWNER_CHANGE:
            return {"table": hex(event.subject)}
    return {}
