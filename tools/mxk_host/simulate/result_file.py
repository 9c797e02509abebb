"""Reads simulation.json, which the plugin writes at the end, and adds the names that the driver has found (names.py),
so that a report needs no kernel."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mxk_host import files
from mxk_host.errors import UsageError
from mxk_host.simulate.result import Channels, Core, Function, Line, Place, Region, Result, Stack

NAME = "simulation.json"
Json = Mapping[str, Any]


class ResultError(Exception):
    """It is not what a plugin writes; the message says where and what was expected."""


def _object(optional: Sequence[str] = (), **properties: Json) -> Json:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}
_ADDRESS = {"type": "string", "pattern": "^0x[0-9a-f]+$"}
_STACK = {"type": "object", "additionalProperties": _NUMBER}
_SPENT = {"instructions": _NUMBER, "cycles": _NUMBER, "stack": _STACK}
_NODE = {"type": ["integer", "null"]}
_CORE = _object(core=_NUMBER, node=_NUMBER, **_SPENT)
_CHANNELS = _object(node=_NUMBER, bytes=_NUMBER, busy=_NUMBER) | {"additionalProperties": False}
_FUNCTION = _object(["name"], address=_ADDRESS, name=_TEXT, **_SPENT)
_NUMBERS = dict.fromkeys(("offset", "bytes", "core", "reads", "writes"), _NUMBER)
_PLACE = _object(["function", "what"], code=_ADDRESS, function=_TEXT, what=_TEXT, **_NUMBERS) | {
    "additionalProperties": False
}
_MOVED = dict.fromkeys(("transfers", "invalidations", "cycles"), _NUMBER)
_LINE = _object(
    ["what", "node"], physical=_ADDRESS, virtual=_ADDRESS, what=_TEXT, node=_NODE, places=_list(_PLACE), **_MOVED
)
_PARTS = {"cores": _list(_CORE), "channels": _list(_CHANNELS), "functions": _list(_FUNCTION), "lines": _list(_LINE)}
_SAMPLED = _object(modelled=_NUMBER, skipped_instructions=_NUMBER, error={"type": ["number", "null"]})
_REGION = _object(["sampled"], begin=_NUMBER, end=_NUMBER, traffic=_list(_list(_NUMBER)), sampled=_SAMPLED, **_PARTS)
_RESULT = _object(machine=_TEXT, hertz=_NUMBER, instructions=_NUMBER, host_seconds=_NUMBER, regions=_list(_REGION))


def read_document(path: Path) -> Any:  # noqa: ANN401
    """Its JSON. Raises ResultError if there is none."""
    try:
        return json.loads(files.read_text(path, path.name))
    except UsageError as error:
        raise ResultError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path.name}: expected JSON: {error}") from error


def result_of(document: Any) -> Result:  # noqa: ANN401
    """Of a document that has been read. Raises ResultError if it is something else than expected."""
    from jsonschema import Draft202012Validator  # takes a while to read

    for error in Draft202012Validator(_RESULT).iter_errors(document):
        raise ResultError(f"{NAME}: {error.json_path}: {error.message:.200}")
    regions = list(map(_region, document["regions"]))
    return Result(*(document[name] for name in ("machine", "hertz", "instructions", "host_seconds")), regions)


def _region(it: Json) -> Region:
    traffic = it["traffic"]
    if any(len(row) != len(traffic) for row in traffic):
        raise ResultError(f"{NAME}: traffic: expected a square matrix of numbers, got {traffic!r:.40}")
    return Region(
        it["begin"],
        it["end"],
        [Core(one["core"], one["node"], *_spent(one)) for one in it["cores"]],
        traffic,
        [Channels(**one) for one in it["channels"]],
        [Function(int(one["address"], 16), *_spent(one), one.get("name", "")) for one in it["functions"]],
        list(map(_line, it["lines"])),
        it.get("sampled", {}).get("modelled"),
    )


def _spent(it: Json) -> tuple[float, float, Stack]:
    return it["instructions"], it["cycles"], Stack(it["stack"])


def _line(it: Json) -> Line:
    where = (int(it[name], 16) for name in ("physical", "virtual"))
    places = [Place(**(place | {"code": int(place["code"], 16)})) for place in it["places"]]
    return Line(*where, *(it[name] for name in _MOVED), places, it.get("what", ""), it.get("node"))


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
