"""What is known of a part's runs: a small file for each part and size in build/theses, which says what was run and
where its folder is. Only what was done for this build, this machine and this command counts as done."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from mxk_host import files, image
from mxk_host.machine import Boot
from mxk_host.runs.source import read_runs
from mxk_host.stream import Row
from mxk_host.theses.entries import Part, Run, Size

NOT_RUN = "not run"
_WHAT = "the state of a part (delete it, or run the part anew with --again)"


@dataclass(frozen=True)
class State:
    """A run of a part that has ended."""

    key: str  # of what was run
    folder: str  # of the results
    seconds: float
    failure: str  # empty: it is done
    line: str  # the command, with its options

    @property
    def is_done(self) -> bool:
        """Whether it succeeded, and its rows are still there."""
        return not self.failure and self._rows_file.is_file()

    def told(self) -> str:
        """In a word or a line."""
        return f"failed: {self.failure}" if self.failure else "done" if self.is_done else NOT_RUN

    @cached_property
    def rows(self) -> list[Row]:
        """What was measured and said, of one that is done; read once for all that is said of it."""
        # The rows alone: the simulator's own result, beside them, takes seconds to read.
        return [found.row for run in read_runs([str(self._rows_file)]) for found in run.rows]

    @property
    def _rows_file(self) -> Path:
        return Path(self.folder) / "results.jsonl"


@dataclass(frozen=True)
class States:
    """Those of a folder."""

    folder: Path

    def path(self, part: Part, size: Size) -> Path:
        """Of the file."""
        return self.folder / f"{part.name}.{size}.json"

    def read(self, part: Part, size: Size) -> State | None:
        """None: this command was never run to its end. Raises where the file is no state."""
        path = self.path(part, size)
        if not path.exists():
            return None
        text = files.read_text(path, _WHAT, 1 << 20)
        with files.expecting(f"{path}: {_WHAT}"):
            read = json.loads(text)
            state = State(**read)
            for name, value in read.items():
                if type(value) is not (float if name == "seconds" else str):
                    raise ValueError(f"{name} is {value!r:.40}")
            return state if state.line == part.runs[size].line else None

    def write(self, part: Part, size: Size, state: State) -> None:
        """In place of what was known."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files.write_text(self.path(part, size), json.dumps(asdict(state), indent=1) + "\n")


def key_of(run: Run, plugin: Path) -> str:
    """Of what a run's result depends on: the kernel, the plugin, the machine, the command and its options."""
    content = hashlib.sha256()
    for path in (image.image_path(Boot.KERNEL), plugin):
        content.update(hashlib.sha256(files.read_bytes(path, "a part of the build")).digest())
    content.update(run.described().flat().encode())
    content.update(run.line.encode())
    return content.hexdigest()
