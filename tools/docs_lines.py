#!/usr/bin/env -S python3 -E
"""Whether the pages (docs/*.md, README.md) name what there is: files, folders, headings, functions with their lines.

    tools/docs_lines.py           says what is wrong, and ends with 1 if anything is
    tools/docs_lines.py --fix     writes the lines anew, by the functions' names
    tools/docs_lines.py --files FOLDER    prints the files of a folder, each with the first sentence of its head

A function stands in a page as `path:line` `name` or `path:line` `Class::name`."""

import functools
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
MAX_WORDS, MAX_WORDS_IN_ALL = 2500, 60_000  # of a page, of all of them
MAX_DISTANCE = 5  # lines: a function may move so far before its page must follow

LINE_OF = re.compile(r"`([\w./-]+\.(?:[ch]pp|asm|py)):(\d+)`")
LINE_AND_NAME = re.compile(LINE_OF.pattern + r" `([\w:~]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
PATH = re.compile(r"[\w.-]+(/[\w.*-]+)+/?|[\w-]+/")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b(?!\.md)")  # NAME.hpp stands for any
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# What `make install` puts the headers under; folders that are made, not kept.
INSTALLED = "mxk/"
MADE = ("build", "third_party")

SOURCES = (".hpp", ".cpp", ".asm", ".py")

Finding = str


@functools.cache
def files() -> tuple[str, ...]:
    """All files of the tree, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(name for name in listed.stdout.splitlines() if (ROOT / name).exists())


@functools.cache
def line_of(path: str, name: str) -> int | None:
    """The line in which the function of this name begins; None: it has none there."""
    lines = (ROOT / path).read_text().splitlines()
    of_class, _, function = name.rpartition("::")
    first = 0
    if of_class and not any(f"{name}(" in line for line in lines):
        is_class = re.compile(rf"^[^/]*\b(class|struct) (alignas\(\w+\) )?{of_class.split('::')[-1]}\b[^;]*$")
        first = next((at for at, line in enumerate(lines) if is_class.search(line)), len(lines))
        of_class = ""
    begins = re.compile(rf"(?<![.>])\b{re.escape(name if of_class else function)}\s*\(|^{re.escape(function)}:")
    for at in range(first, len(lines)):
        found = begins.search(lines[at])
        if found is None or re.match(r"\s*(//|return |if |for )", lines[at]):
            continue
        rest = " ".join([lines[at][found.start() :], *lines[at + 1 : at + 6]])
        body, end = rest.find("{"), rest.find(";")
        if found[0].endswith(":") or (body != -1 and (end == -1 or body < end)):
            return at + 1
    return None


def check_lines(page: str, text: str) -> Iterator[Finding]:
    """Each path:line names a function that begins there, or a few lines away."""
    named = {found.start() for found in LINE_AND_NAME.finditer(text)}
    for found in LINE_OF.finditer(text):
        if found.start() not in named:
            yield f"{page}: {found[0]}: expected a function's name behind it, in backticks"
    for found in LINE_AND_NAME.finditer(text):
        path, line, name = found[1], int(found[2]), found[3]
        if not (ROOT / path).is_file():
            yield f"{page}: {found[0]}: there is no such file"
        elif (actual := line_of(path, name)) is None:
            yield f"{page}: {found[0]}: there is no such function"
        elif abs(actual - line) > MAX_DISTANCE:
            yield f"{page}: {found[0]}: it begins in line {actual} (tools/docs_lines.py --fix)"


def anchors(path: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = HEADING.findall(FENCED.sub("", path.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(page: str, text: str) -> Iterator[Finding]:
    """Each link that is not to another site leads to a file, and to a heading in it."""
    for target in LINK.findall(FENCED.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        whole = (ROOT / page).parent / path if path else ROOT / page
        if not whole.exists():
            yield f"{page}: the link to {target}: there is no such file"
        elif anchor and anchor not in anchors(whole):
            yield f"{page}: the link to {target}: there is no such heading"


@functools.cache
def exists(path: str) -> bool:
    """Whether there are such files: `*` stands for any part of a name; a file's extension may be left out."""
    pattern = re.escape(path.removesuffix("/")).replace(r"\*", "[^/]*")
    if path.startswith("arch/") and path.endswith(".hpp"):  # the platform's folder is on the include path
        pattern = "(arch/(linux|x86_64)/)?" + pattern
    matching = re.compile(rf"{pattern}(/.*|\.\w+)?")
    return any(matching.fullmatch(name) for name in files())


def check_paths(page: str, text: str) -> Iterator[Finding]:
    """Each path in backticks that begins with a folder of the root, or of the installed headers, exists."""
    folders = {name.split("/")[0] for name in files() if "/" in name}
    for quoted in QUOTED.findall(FENCED.sub("", text)):
        path = re.sub(r":\d+$", "", quoted)
        if PATH.fullmatch(path) is None or path.split("/")[0] in MADE or PLACEHOLDER.search(path):
            continue
        if path.startswith(INSTALLED):
            stem = path.removeprefix(INSTALLED)
            if not any(name == stem or name.endswith("/" + stem) or name.startswith(stem) for name in files()):
                yield f"{page}: `{quoted}`: no such header is installed"
        elif path.split("/")[0] in folders and not exists(path):
            yield f"{page}: `{quoted}`: there is no such file"


def check_tables(page: str, text: str) -> Iterator[Finding]:
    """What the first column of a table of files names is a file, somewhere: `worker`, `mailbox.hpp`, `threads/`."""
    in_table = False
    for line in text.splitlines():
        if not line.startswith("|"):
            in_table = False
            continue
        first = line.split("|")[1]
        if re.match(r" (file|module)\b", first):
            in_table = True
        elif in_table:
            for name in QUOTED.findall(first):
                if not re.fullmatch(r"[\w./*-]+", name):
                    continue
                stem = re.escape(name.removesuffix("/")).replace(r"\*", "[^/]*")
                if not any(re.search(rf"(^|/){stem}(\.[\w.]+)?(/|$)", file) for file in files()):
                    yield f"{page}: `{name}` in a table of files: there is none"


def check_words(texts: Mapping[str, str]) -> Iterator[Finding]:
    """No page, and not all of them together, has more words than a person reads."""
    words = {page: len(text.split()) for page, text in texts.items()}
    for page, count in words.items():
        if count > MAX_WORDS:
            yield f"{page}: {count} words, expected up to {MAX_WORDS}"
    if (count := sum(words.values())) > MAX_WORDS_IN_ALL:
        yield f"all pages: {count} words, expected up to {MAX_WORDS_IN_ALL}"


def first_sentence(text: str) -> str:
    """Of the comment, or the docstring, that a file begins with; empty without one."""
    lines = itertools.dropwhile(lambda line: re.match(r"#!|\s*$", line), text.splitlines())
    mark = r"\s*(//+|#(?!include|pragma|define|if)|;+)"
    head = list(itertools.takewhile(lambda line: re.match(mark, line), lines))
    said = " ".join(re.sub(mark, "", line).strip() for line in head)
    if not head and (found := re.match(r'(?:#!.*\n)?\s*"""(.*?)"""', text, re.DOTALL)):
        said = " ".join(found[1].split())
    return re.split(r"(?<=[\w`)\]'\"]\.)\s", said, maxsplit=1)[0]


def list_files(folder: str) -> Iterator[str]:
    """A line for each source of the folder: a pair of header and source once, by the header's head."""
    names = [name for name in files() if name.startswith(f"{folder.rstrip('/')}/") and Path(name).suffix in SOURCES]
    for name in names:
        if name.endswith(".cpp") and name.removesuffix(".cpp") + ".hpp" in names:
            continue
        said = first_sentence((ROOT / name).read_text())
        yield f"{name}: {said}" if said else name


def findings() -> list[Finding]:
    """What is wrong in all pages."""
    checks = (check_lines, check_links, check_paths, check_tables)
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in PAGES}
    found = [finding for page, text in texts.items() for check in checks for finding in check(page, text)]
    return [*found, *check_words(texts)]


def fix() -> None:
    """Writes the lines of functions anew."""

    def refreshed(found: re.Match[str]) -> str:
        line = line_of(found[1], found[3]) if (ROOT / found[1]).is_file() else None
        return f"`{found[1]}:{line or found[2]}` `{found[3]}`"

    for path in PAGES:
        text = path.read_text()
        if (after := LINE_AND_NAME.sub(refreshed, text)) != text:
            path.write_text(after)


def main() -> int:
    """Checks the pages; with --fix, writes lines anew before."""
    if sys.argv[1:2] == ["--files"] and len(sys.argv) == 3:
        listed = list(list_files(sys.argv[2]))
        print("\n".join(listed) or f"there is no source in {sys.argv[2]}")
        return 0 if listed else 1
    if sys.argv[1:] == ["--fix"]:
        fix()
    elif sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    found = findings()
    print("\n".join(found) or f"pages: {len(PAGES)}, all that they name is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
