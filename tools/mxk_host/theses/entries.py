"""The files of statements, tools/theses/*.toml: read and checked, so that everything later trusts them. A file is a
thesis; its parts are what is simulated, one run each; its statements say what the rows of a part have to show."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from math import inf, isnan
from pathlib import Path
from typing import Any

from mxk_host import files
from mxk_host.commands import command_text
from mxk_host.errors import UsageError
from mxk_host.image import ROOT, shown
from mxk_host.simulate.keys import Value
from mxk_host.simulate.machine_file import MachineFile, machine_names, read_machine
from mxk_host.simulate.samples import MIN_SHARE
from mxk_host.simulate.shape import shape_of
from mxk_host.statement import Statement
from mxk_host.stream import Row
from mxk_host.theses.expression import CHOICE, FORMS, Choice, MissingError, Rows, number_said, said

FOLDER = ROOT / "tools/theses"
_MAX_BYTES = 1 << 20


class Size(StrEnum):
    """How large the runs are: as the source's, or so that each ends in minutes."""

    FULL = "full"
    SMALL = "small"


@dataclass(frozen=True)
class Run:
    """What is simulated."""

    machine: str
    command: str
    minutes: float  # estimated
    mem: str = "4G"
    scale_caches: float | None = None
    smt: bool = False  # all threads of its cores are on
    sample: float = 1  # that share of what is measured is modelled
    whole: bool = False  # of benchmarks that do not say what their measured part is

    def described(self) -> MachineFile:
        """Its machine. Raises as read_machine."""
        machine = read_machine(self.machine, None)
        if self.smt:
            machine = machine.with_threads()
        return machine if self.scale_caches is None else machine.with_last_caches(self.scale_caches)

    @property
    def line(self) -> str:
        """What does the same."""
        scaled = f" --scale-caches {self.scale_caches:g}" if self.scale_caches else ""
        sampled = f" --sample {self.sample:g}" if self.sample < 1 else ""
        options = f"{scaled}{' --smt' if self.smt else ''}{sampled} --mem {self.mem}{' --whole' if self.whole else ''}"
        return f"tools/mxk simulate --machine {self.machine}{options} -- '{self.command}'"


@dataclass(frozen=True)
class Judged:
    """What a run says of a statement. `holds` None: nothing; then `measured` says why."""

    measured: str
    holds: bool | None


@dataclass(frozen=True)
class Claim:
    """A statement of a source."""

    name: str
    part: str
    where: str  # section or figure
    says: str
    thesis: str  # its value there
    form: str  # said, or one of FORMS
    of: Any  # what the form takes
    between: tuple[float, float] | None
    field: str = "throughput"
    rows: Choice | None = None
    why: str = ""  # it does not hold

    def judged(self, rows: Sequence[Row]) -> Judged:
        """By the rows of its part."""
        try:
            if self.form == "said":
                row = said(rows, self.of)
                if self.between is None:
                    return Judged(str(row.get("measured")), row.get("holds"))
                value, shown_value = number_said(row), str(row.get("measured"))
            else:
                value = FORMS[self.form].value(Rows(rows, self.field, self.rows), self.of)
                shown_value = f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
        except MissingError as error:
            return Judged(str(error), None)
        low, high = self.between or (1, inf)
        statement: Statement[float] = Statement(self.says, low, high, lambda it: it)
        return Judged(shown_value, statement.holds(value))


@dataclass(frozen=True)
class Part:
    """A run in its sizes, and what is said of it."""

    name: str
    runs: Mapping[Size, Run]
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Thesis:
    """A file."""

    name: str
    title: str
    parts: Sequence[Part]


def _text(wanted: str, pattern: str) -> Value:
    return Value(wanted, lambda it: isinstance(it, str) and re.fullmatch(pattern, it) is not None)


_NAME = _text("a name of up to 40 small letters, digits, dots and -", r"[a-z0-9][a-z0-9.-]{0,39}")
_LINE = _text("a line of 1 to 400 characters", r"[^\x00-\x1f]{1,400}")
_MEMORY = _text("memory such as 4G", r"[1-9]\d{0,5}[MG]")
_COMMAND = _text("console commands with --json", r".*--json.*")
_POSITIVE = Value("a number above 0", lambda it: type(it) in (int, float) and 0 < it < inf)
_SHARE = Value(f"a share from {MIN_SHARE} to 1", lambda it: type(it) in (int, float) and MIN_SHARE <= it <= 1)
_MACHINE = Value("a machine, one of `tools/mxk simulate machines`", lambda it: it in machine_names())
_BETWEEN = Value(
    "[low, high], two numbers, the larger one behind, each maybe inf",
    lambda it: isinstance(it, list) and len(it) == 2 and all(type(x) in (int, float) and not isnan(x) for x in it)
    and it[0] <= it[1],
)  # fmt: skip
_TRUTH = Value("true or false", lambda it: isinstance(it, bool))
_TABLE = Value("a table", lambda it: isinstance(it, dict))
_TABLES = Value(
    "tables [[statement]]", lambda it: isinstance(it, list) and all(isinstance(claim, dict) for claim in it)
)

_THESIS_KEYS = {"title": _LINE, "part": _TABLE, "statement": _TABLES}
_RUN_KEYS = {
    "command": _COMMAND,
    "minutes": _POSITIVE,
    "mem": _MEMORY,
    "scale_caches": _POSITIVE,
    "sample": _SHARE,
    "smt": _TRUTH,
    "whole": _TRUTH,
}
_PART_KEYS = {"machine": _MACHINE, **_RUN_KEYS, "small": _TABLE}
_CLAIM_KEYS = {
    "name": _NAME, "part": _LINE, "where": _LINE, "says": _LINE, "thesis": _LINE, "between": _BETWEEN, "field": _LINE,
    "rows": CHOICE, "why": _LINE, "said": _LINE, **{name: form.expected for name, form in FORMS.items()},
}  # fmt: skip
_KINDS = ("said", *FORMS)


def read_theses(folder: Path = FOLDER) -> list[Thesis]:
    """All of the folder's files, by their names. Raises with all that is wrong: file, statement, key, and what was
    expected."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise UsageError(f"expected files of statements, *.toml, in {shown(folder)}, got none")
    problems: list[str] = []
    theses = [thesis for path in paths if (thesis := _read(path, problems)) is not None]
    names: dict[str, str] = {}
    for thesis in theses:
        of_parts = [name for part in thesis.parts for name in (part.name, *(claim.name for claim in part.claims))]
        for name in (thesis.name, *of_parts):
            if name in names:
                problems.append(f"{thesis.name}.toml: {name}: expected another name: it is in {names[name]}.toml, too")
            names[name] = thesis.name
    if problems:
        raise UsageError("\n".join(problems))
    return theses


def choose(theses: Sequence[Thesis], names: Sequence[str]) -> list[Part]:
    """The parts of these theses, parts and statements; all without names."""
    parts = [(thesis, part) for thesis in theses for part in thesis.parts]
    known = {name for thesis, part in parts for name in _names(thesis, part)}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise UsageError(f"expected names of theses, parts or statements (--list), got {name}{hint}")
    return [part for thesis, part in parts if not names or set(names) & set(_names(thesis, part))]


def _names(thesis: Thesis, part: Part) -> list[str]:
    return [thesis.name, part.name, *(claim.name for claim in part.claims)]


def _read(path: Path, problems: list[str]) -> Thesis | None:
    """None where its structure is wrong; `problems` gets what that is."""
    try:
        document = tomllib.loads(files.read_text(path, "a file of statements", _MAX_BYTES))
    except (ValueError, RecursionError) as error:
        problems.append(f"{shown(path)}: expected TOML: {error}")
        return None
    found = list(_problems(document))
    problems += [f"{shown(path)}: {problem}" for problem in found]
    if found:
        return None
    claims = [_claim(it) for it in document["statement"]]
    parts = [
        Part(name, _runs(it), [claim for claim in claims if claim.part == name])
        for name, it in document["part"].items()
    ]
    return Thesis(path.stem, document["title"], parts)


def _runs(it: Mapping[str, Any]) -> dict[Size, Run]:
    full = {name: value for name, value in it.items() if name != "small"}
    return {Size.FULL: Run(**full), Size.SMALL: Run(**(full | it.get("small", {})))}


def _claim(it: Mapping[str, Any]) -> Claim:
    form = next(name for name in _KINDS if name in it)
    between = tuple(it["between"]) if "between" in it else FORMS[form].between if form in FORMS else None
    same = {
        name: it[name] for name in ("name", "part", "where", "says", "thesis", "field", "rows", "why") if name in it
    }
    return Claim(**same, form=form, of=it[form], between=between)


def _problems(document: Mapping[str, Any]) -> Iterator[str]:
    wrong = list(_keys(document, _THESIS_KEYS, ("title", "part", "statement")))
    yield from wrong
    if wrong:
        return
    for name, part in document["part"].items():
        yield from (f"part {name}: {problem}" for problem in _part_problems(name, part))
    for number, claim in enumerate(document["statement"], 1):
        yield from (f"statement {claim.get('name', number)}: {it}" for it in _claim_problems(claim, document["part"]))


def _part_problems(name: str, part: Any) -> Iterator[str]:  # noqa: ANN401
    if problem := _NAME.problem(name) or _TABLE.problem(part):
        yield problem
        return
    wrong = list(_keys(part, _PART_KEYS, ("machine", "command", "minutes")))
    if not wrong:
        wrong += [f"small.{it}" for it in _keys(part.get("small", {}), _RUN_KEYS, ())]
    yield from wrong
    if wrong:
        return
    for run in _runs(part).values():
        try:
            command_text([run.command])
            shape_of(run.described(), None, run.mem)
        except UsageError as error:
            yield str(error)


def _claim_problems(claim: Mapping[str, Any], parts: Mapping[str, Any]) -> Iterator[str]:
    yield from _keys(claim, _CLAIM_KEYS, ("name", "part", "where", "says", "thesis"))
    if claim.get("part") not in list(parts):
        yield f"part: expected one of {', '.join(parts)}, got {claim.get('part')!r:.60}"
    forms = [name for name in _KINDS if name in claim]
    if len(forms) != 1:
        yield f"expected one of {', '.join(_KINDS)}, got {' and '.join(forms) or 'none'}"
    elif "between" not in claim and forms[0] != "said" and FORMS[forms[0]].between is None:
        yield f"between: missing; a {forms[0]} needs it"


def _keys(it: Mapping[str, Any], known: Mapping[str, Value], needed: Sequence[str]) -> Iterator[str]:
    for name, value in it.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            yield f"{name}: unknown; expected {', '.join(known)}" + (f" (did you mean {near[0]}?)" if near else "")
        elif problem := known[name].problem(value):
            yield f"{name}: {problem}"
    yield from (f"{name}: missing; {known[name].wanted} is needed" for name in needed if name not in it)
