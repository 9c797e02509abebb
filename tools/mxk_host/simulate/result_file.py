"""Reads simulation.json, which the plugin writes at the end, and adds the names that the driver has found (names.py),
so that a report needs no kernel."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from mxk_host.simulate.result import Channels, Core, Function, Line, Place, Region, Result, Stack

NAME = "simulation.json"
_T = TypeVar("_T")


class ResultError(Exception):
    """It is not what a plugin writes; the message says where and what was expected."""


def read_document(path: Path) -> Any:  # noqa: ANN401
    """Its JSON. Raises ResultError if there is none."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise ResultError(f"expected {path.name}: {error.strerror}") from error
    except ValueError as error:
        raise ResultError(f"{path.name}: expected JSON: {error}") from error


def result_of(document: Any) -> Result:  # noqa: ANN401
    """Of a document that has been read. Raises ResultError if it is something else than expected."""
    it = _Object(document, "")
    instructions, seconds = it.number("instructions"), it.number("host_seconds")
    return Result(it.text("machine"), it.number("hertz"), instructions, seconds, it.each("regions", _region))


class _Object:
    """A JSON object whose fields are taken by type; a message names the place of what is wrong."""

    def __init__(self, value: Any, where: str) -> None:  # noqa: ANN401
        if not isinstance(value, dict):
            raise ResultError(
                f"simulation.json: expected an object{' at ' + where if where else ''}, got {value!r:.40}"
            )
        self._value, self._where = value, where

    def number(self, name: str) -> float:
        value = self._get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(name, "a number", value)
        return value

    def text(self, name: str, default: str | None = None) -> str:
        value = self._value.get(name, default) if default is not None else self._get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text", value)
        return value

    def address(self, name: str) -> int:
        value = self._get(name)
        try:
            return int(value, 16) if isinstance(value, str) else int(value)
        except (TypeError, ValueError):
            raise self._wrong(name, "an address as hexadecimal text", value) from None

    def each(self, name: str, make: Callable[["_Object"], _T]) -> list[_T]:
        value = self._get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list", value)
        return [make(_Object(it, f"{self._where}{name}[{place}].")) for place, it in enumerate(value)]

    def stack(self) -> Stack:
        inner = _Object(self._get("stack"), f"{self._where}stack.")
        return Stack({part: inner.number(part) for part in inner.names()})

    def matrix(self, name: str) -> list[list[float]]:
        value = self._get(name)
        rows = value if isinstance(value, list) else []
        numbers = [cell for row in rows if isinstance(row, list) for cell in row]
        square = isinstance(value, list) and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
        if not square or not all(isinstance(cell, int | float) for cell in numbers):
            raise self._wrong(name, "a square matrix of numbers", value)
        return rows

    def names(self) -> list[str]:
        return list(self._value)

    def node(self, name: str) -> int | None:
        value = self._value.get(name)
        return value if isinstance(value, int) else None

    def _get(self, name: str) -> Any:  # noqa: ANN401
        if name not in self._value:
            raise ResultError(f"simulation.json: {self._where}{name} is missing")
        return self._value[name]

    def _wrong(self, name: str, wanted: str, value: Any) -> ResultError:  # noqa: ANN401
        return ResultError(f"simulation.json: {self._where}{name}: expected {wanted}, got {value!r:.40}")


def _region(it: _Object) -> Region:
    return Region(
        it.number("begin"),
        it.number("end"),
        it.each("cores", _core),
        it.matrix("traffic"),
        it.each("channels", lambda one: Channels(int(one.number("node")), one.number("bytes"), one.number("busy"))),
        it.each("functions", _function),
        it.each("lines", _line),
    )


def _core(it: _Object) -> Core:
    number, node = int(it.number("core")), int(it.number("node"))
    return Core(number, node, it.number("instructions"), it.number("cycles"), it.stack())


def _function(it: _Object) -> Function:
    address, name = it.address("address"), it.text("name", "")
    return Function(address, it.number("instructions"), it.number("cycles"), it.stack(), name)


def _line(it: _Object) -> Line:
    return Line(
        it.address("physical"),
        it.address("virtual"),
        it.number("transfers"),
        it.number("invalidations"),
        it.number("cycles"),
        it.each("places", _place),
        it.text("what", ""),
        it.node("node"),
    )


def _place(it: _Object) -> Place:
    offset, size, core = (int(it.number(name)) for name in ("offset", "bytes", "core"))
    code, reads, writes = it.address("code"), it.number("reads"), it.number("writes")
    return Place(offset, size, core, code, reads, writes, it.text("function", ""), it.text("what", ""))


def named_document(document: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """What the plugin wrote, with the names that `result` has, so that they outlive this build of the kernel."""
    regions = []
    for written, region in zip(document["regions"], result.regions, strict=True):
        functions = [it | {"name": f.name} for it, f in zip(written["functions"], region.functions, strict=True)]
        lines = []
        for it, line in zip(written["lines"], region.lines, strict=True):
            places = [
                place | {"function": found.function, "what": found.what}
                for place, found in zip(it["places"], line.places, strict=True)
            ]
            lines.append(it | {"what": line.what, "node": line.node, "sharing": line.sharing, "places": places})
        regions.append(written | {"functions": functions, "lines": lines})
    return {**document, "regions": regions}
