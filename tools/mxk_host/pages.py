"""Pages that embed what was measured: so that no page has a figure of another run than the one it names. A page has
each block between two comments, and what is between them is replaced:

    <!-- compare: throughput -->
    <!-- end of compare: throughput -->
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from mxk_host import files
from mxk_host.errors import UsageError

_PAGE = "a page of text"


def put(page: Path, blocks: Mapping[str, Iterable[str]]) -> None:
    """Replaces the blocks that the page has a place for, by name; a page that is not there is made with all of them."""
    text = read(page, "".join(map(place, blocks)))
    files.write_text(page, replaced(text, blocks, page))


def read(page: Path, otherwise: str) -> str:
    """What the page says now; `otherwise` if it is not there."""
    return files.read_text(page, _PAGE) if page.exists() else otherwise


def replaced(text: str, blocks: Mapping[str, Iterable[str]], page: Path) -> str:
    """The text of the page with these blocks in their places."""
    found = [name for name in blocks if has(text, name)]
    if not found:
        wanted = " or ".join(map(_begin, blocks))
        raise UsageError(f"expected {page} to have a place for a table, {wanted}, or not to be there")
    for name in found:
        lines = "\n".join(map(_narrow, blocks[name]))
        old = re.compile(f"{re.escape(_begin(name))}\n.*?{re.escape(_end(name))}", re.DOTALL)
        text, count = old.subn(lambda _, name=name, lines=lines: f"{_begin(name)}\n{lines}\n{_end(name)}", text)
        if count != 1:
            raise UsageError(f"expected one {_end(name)} in {page} behind {_begin(name)}")
    return text


def _narrow(line: str) -> str:
    """A row of a table without the blanks beside its bars, which nobody sees; not where code or text has bars."""
    has_others = r"\|" in line or any("|" in code for code in re.findall("`[^`]*`", line))
    return re.sub(r" *\| *", "|", line) if line.startswith("|") and not has_others else line


def place(name: str) -> str:
    """An empty place for a block of this name."""
    return f"{_begin(name)}\n{_end(name)}\n"


def has(text: str, name: str) -> bool:
    """Whether a page has a place of this name."""
    return _begin(name) in text


def block(text: str, name: str) -> str:
    """What a page has in the place of this name; empty without one."""
    found = re.search(f"{re.escape(_begin(name))}\n(.*?){re.escape(_end(name))}", text, re.DOTALL)
    return found[1] if found else ""


def _begin(name: str) -> str:
    return f"<!-- {name} -->"


def _end(name: str) -> str:
    return f"<!-- end of {name} -->"
