"""What the plugin says of measured parts that it sampled, a line for each, while the simulation runs: how much of a row
was modelled, and how far its times may be off."""

import json
from pathlib import Path
from typing import Any

from mxk_host import files

NAME = "samples.jsonl"
MIN_SHARE = 0.001  # of what is measured, to be modelled


class Samples:
    """Of the rows, in their order: each is about the measured parts since the row before, or about the same ones."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0  # lines
        self._last: dict[str, Any] = {}

    def of_next_row(self) -> dict[str, Any]:
        """`modelled`: share of its time; `error`: the 95 % limit as a share of its time, None where too few intervals
        were modelled."""
        if not self._path.exists():
            return self._last
        lines = files.read_text(self._path, NAME).splitlines()
        parts = [json.loads(line) for line in lines[self._read :]]
        self._read = len(lines)
        if cycles := sum(part["cycles"] for part in parts):
            modelled = sum(part["sampled"]["modelled"] for part in parts)
            errors = [(part["sampled"]["error"], part["cycles"]) for part in parts]
            known = all(error is not None for error, _ in errors)
            error = sum(error * weight for error, weight in errors) / cycles if known else None
            self._last = {
                "modelled": float(f"{modelled / cycles:.3g}"),
                "error": None if error is None else float(f"{error:.3g}"),
            }
        return self._last
