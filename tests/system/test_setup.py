"""tools/setup and tools/configure, by what dpkg, apt, pip and CMake say and do: stand-ins for them, which install
nothing."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import ROOT
from mxk_host import cli
from mxk_host.groups import REQUIREMENTS, prepare

DPKG_QUERY = """#!/bin/sh
for name; do :; done
case "$2" in *Version*) echo "$QEMU_VERSION"; exit;; esac
grep -qx "$name" "$STAND_IN/installed" && printf installed
"""
APT_CACHE = """#!/bin/sh
printf '%s:\\n  Installed: (none)\\n  Candidate: ' "$2"
grep -qx "$2" "$STAND_IN/known" && echo 1.0 || echo '(none)'
[ -e "$STAND_IN/no-lists" ] || yes ' 500 a-mirror Packages' | head -n 4000 # more than a pipe holds
"""
APT_GET = """#!/bin/sh
echo "$*" >>"$STAND_IN/asked"
[ "$1" != update ] || cp "$STAND_IN/there" "$STAND_IN/known"
"""
CMAKE = """#!/bin/sh
echo "$*" >>"$STAND_IN/asked"
mkdir -p build/$2
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" >build/$2/CMakeCache.txt
touch build/$2/build.ninja
"""
PYTHON = """#!/bin/sh
echo "python $*" >>"$STAND_IN/asked"
case "$*" in *install*) exit "${PIP:-0}";; esac
"""
STAND_INS = {"dpkg-query": DPKG_QUERY, "apt-cache": APT_CACHE, "apt-get": APT_GET, "cmake": CMAKE}
Row = tuple[str, list[str], str]


def table() -> Iterator[Row]:
    """Group, packages and what to look for, of each line of the table in tools/setup."""
    text = (ROOT / "tools/setup").read_text()
    for line in re.search(r"^table='\n(.*?)^'", text, re.DOTALL | re.MULTILINE)[1].splitlines():
        group, names, look, _ = (cell.strip() for cell in line.split("|"))
        yield group, names.split(), look


def packages(*groups: str) -> list[str]:
    """Those of these groups, or of all, by their first names."""
    wanted = [names for group, names, _ in table() if not groups or group in groups]
    return [name.split("/")[0] for names in wanted for name in names if name != "?"]


class Machine:
    """A tree with tools/setup, on a machine with these packages, whose pip installs nothing."""

    def __init__(self, folder: Path, installed: list[str], there: list[str]) -> None:
        self.folder = folder
        for name in ("tools/setup", "tools/configure", "tools/requirements", "examples/python/requirements.txt"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, folder / name)
        self.program("build/venv/bin/python", PYTHON)
        for name, text in STAND_INS.items():
            self.program(f"bin/{name}", text)
        self.program("bin/id", "#!/bin/sh\necho 0\n")
        for name, lines in (("installed", installed), ("known", []), ("there", there), ("asked", [])):
            (folder / name).write_text("".join(f"{line}\n" for line in lines))

    def program(self, name: str, text: str) -> None:
        """A script in the tree."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(self, tool: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """What the tool did."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "STAND_IN": str(self.folder), "QEMU_VERSION": "1:7.2+dfsg-7"}
        line = [self.folder / "tools" / tool, *words]
        return subprocess.run(line, env=environment | variables, capture_output=True, text=True, check=False)

    def set_up(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """What tools/setup did."""
        return self.run("setup", *words, **variables)

    def asked(self) -> list[str]:
        """What apt-get, cmake and Python were called with."""
        return (self.folder / "asked").read_text().splitlines()


def without(*names: str) -> list[str]:
    """All packages by their first names, less these."""
    return [package for package in packages() if package not in names]


@pytest.mark.parametrize("there", [["libmimalloc2.0"], ["libmimalloc3"], ["libmimalloc3", "libmimalloc2.0"]])
def test_of_two_names_the_one_is_installed_that_apt_knows_after_its_update(tmp_path: Path, there: list[str]) -> None:
    machine = Machine(tmp_path, without("libmimalloc2.0", "cmake"), ["cmake", *there])
    ended = machine.set_up("linux")
    assert ended.returncode == 0, ended.stderr
    chosen = "libmimalloc3" if there == ["libmimalloc3"] else "libmimalloc2.0"
    assert machine.asked() == ["update", f"install -y --no-install-recommends cmake {chosen}"]


@pytest.mark.parametrize("name", ["libmimalloc2.0", "libmimalloc3"])
def test_either_name_is_enough(tmp_path: Path, name: str) -> None:
    machine = Machine(tmp_path, [*without("libmimalloc2.0"), name], [])
    ended = machine.set_up("linux")
    assert (ended.returncode, ended.stdout, machine.asked()) == (0, "", []), ended.stderr
    assert machine.set_up("--check", "linux").returncode == 0


def test_what_a_release_lacks_is_a_peer_less_in_one_line(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without("libtaskflow-cpp-dev", "nasm", "cmake"), ["cmake"])
    ended = machine.set_up("linux")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "setup: not in this release, and left out: libtaskflow-cpp-dev\n" in ended.stdout
    assert machine.asked()[-1] == "install -y --no-install-recommends cmake", "nasm is not of this group"
    (tmp_path / "installed").write_text("\n".join(without("libtaskflow-cpp-dev")))
    (tmp_path / "asked").write_text("")
    (tmp_path / "known").write_text("libtaskflow-cpp-dev\n")  # which nobody looks at: to ask takes a second
    again = machine.set_up("linux")
    assert (again.returncode, again.stdout, machine.asked()) == (0, "", []), "it is not looked for each time"


def test_without_lists_of_packages_apt_is_asked_for_them(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without("mold"), ["mold"])
    (tmp_path / "no-lists").touch()
    assert machine.set_up("linux").returncode == 0
    assert machine.asked() == ["update", "install -y --no-install-recommends mold"]


def test_a_check_installs_nothing_and_says_what_for(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without("nasm", "mold"), ["nasm"])
    ended = machine.set_up("--check", "iso", "linux")
    assert (ended.returncode, machine.asked()) == (1, [])
    assert "iso: nasm - the kernel" in ended.stderr
    assert ended.stdout == "can be had without, which costs peers or time: mold\n"
    assert "report: Python packages of tools/requirements/report.txt" in machine.set_up("--check", "report").stderr


def test_a_system_without_dpkg_is_asked_for_programs(tmp_path: Path) -> None:
    machine = Machine(tmp_path, [], [])
    tools = tmp_path / "few"
    tools.mkdir()
    for name in [
        "bash",
        "dirname",
        "grep",
        "sed",
        "uniq",
        "tr",
        "cat",
        "cmp",
        "awk",
        "g++",
        "ld",
        "cmake",
        "flock",
        "mkdir",
        "env",
    ]:
        (tools / name).symlink_to(shutil.which(name) or "")
    ended = machine.set_up("--check", "linux", PATH=str(tools))
    assert ended.returncode == 1
    assert "linux: ninja - the build" in ended.stderr
    assert "linux: pkg-config hwloc.pc numa.pc - topology" in ended.stderr
    assert "g++" not in ended.stderr
    refused = machine.set_up("linux", PATH=str(tools))
    assert refused.returncode == 1
    assert "expected a system with dpkg and apt to install these: install them by hand" in refused.stderr
    (tools / "pkg-config").symlink_to("/bin/true")
    (tools / "ninja").symlink_to("/bin/true")
    enough = machine.set_up("linux", PATH=str(tools))
    assert (enough.returncode, enough.stdout) == (0, ""), enough.stderr


def test_every_row_says_how_to_know_it_elsewhere() -> None:
    for group, names, look in table():
        assert look or "?" in names or not names or group in ("simulator",), names


def test_what_an_iso_needs_has_no_peers_and_the_linux_build_no_emulator() -> None:
    assert not [name for name in packages("iso") if "tbb" in name or "qemu" in name]
    assert not [name for name in packages("linux") if "qemu" in name or "grub" in name or "python" in name]


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_names_each_group(word: str) -> None:
    ended = subprocess.run([ROOT / "tools/setup", word], capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    for group, _, _ in table():
        assert re.search(rf"^  {group} ", ended.stdout, re.MULTILINE), group


def test_what_is_no_group_is_refused_with_the_names_of_all() -> None:
    for word in ("--chek", "isos", "x|y", ""):
        ended = subprocess.run([ROOT / "tools/setup", word], capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        groups = " ".join(dict.fromkeys(group for group, _, _ in table()))
        expected = f"expected --help, --check or groups ({groups}), got '{word}'"
        assert ended.stderr == f"tools/setup: {expected}\n"


def test_python_packages_come_by_group_once_and_need_nobody_again(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without(), [])
    first = machine.set_up("report")
    what = "pages, comparisons of runs and recorded workloads (260 MB)"
    assert first.stdout == f"setup: Python packages for {what}, into build/venv\n"
    assert any(line.endswith("-r " + str(tmp_path / "tools/requirements/report.txt")) for line in machine.asked())
    count = len(machine.asked())
    assert machine.set_up("report", PIP="1").stdout == ""
    assert len(machine.asked()) == count, "offline, too"
    (tmp_path / "tools/requirements/report.txt").write_text("# other (1 MB): packages\nrich\n")
    assert machine.set_up("report").stdout.startswith("setup: Python packages for other (1 MB)")


def test_without_pypi_one_message_says_what_does_not_run(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without(), [])
    ended = machine.set_up("tpch", PIP="1")
    assert ended.returncode == 1
    assert "the Python packages of tools/requirements/tpch.txt could not be installed from PyPI" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "build/venv/.tpch").exists()


def test_where_the_installed_qemu_is_new_it_is_the_new_one(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without(), [])
    ended = machine.set_up("machines", QEMU_VERSION="1:10.0.3+ds-0+deb13u1")
    assert (ended.returncode, machine.asked()) == (0, []), ended.stderr
    assert (tmp_path / "build/machines/qemu-10/usr").readlink() == Path("/usr")


def test_a_build_is_configured_once_and_after_more_was_installed(tmp_path: Path) -> None:
    machine = Machine(tmp_path, [], [])
    for _ in range(2):
        assert machine.run("configure", "linux").returncode == 0
    assert machine.asked() == ["--preset linux --log-level=NOTICE"]
    ninja, installed = tmp_path / "build/linux/build.ninja", tmp_path / "build/.installed"
    installed.touch()
    os.utime(installed, (ninja.stat().st_mtime + 1,) * 2)
    assert machine.run("configure", "linux").returncode == 0
    assert len(machine.asked()) == 2


def test_a_checkout_that_was_copied_or_moved_is_built_from_its_own_sources(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "a", [], [])
    machine.run("configure", "linux")
    (tmp_path / "a/build/linux/kept").touch()
    machine.run("configure", "linux")
    assert (tmp_path / "a/build/linux/kept").exists()
    (tmp_path / "a").rename(tmp_path / "b")
    machine.folder = tmp_path / "b"
    ended = machine.run("configure", "linux")
    assert "build/linux was made in another folder" in ended.stdout
    assert not (tmp_path / "b/build/linux/kept").exists()
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={tmp_path}/b\n" in (tmp_path / "b/build/linux/CMakeCache.txt").read_text()


def imported(path: Path) -> Iterator[str]:
    """The modules that a file names, in functions, too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{name.name}" for name in node.names))


def third_parties(module: str) -> set[str]:
    """The packages that are no part of Python which a module can come to import."""
    found: set[str] = set()
    seen: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        path = ROOT / "tools" / name.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name in seen or not path.is_file():
            continue
        seen.add(name)
        for other in imported(path):
            top = other.split(".")[0]
            if top == "mxk_host":
                left.append(other)
            elif top not in sys.stdlib_module_names:
                found.add(top)
    return found


@pytest.mark.parametrize("command", cli.MODULES)
def test_a_command_asks_for_all_that_it_imports(command: str) -> None:
    names = {"elftools": "pyelftools"}
    listed = {"selenium"}  # asked for with --pdf
    for group in ("driver", *cli.GROUPS.get(command, ())):
        lines = (REQUIREMENTS / f"{group}.txt").read_text().splitlines()
        listed |= {line.split("~")[0] for line in lines if not line.startswith("#")}
    needed = {names.get(name, name) for name in third_parties(f"mxk_host.cli.{cli.MODULES[command]}")}
    assert needed <= listed


def test_nothing_is_installed_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETUP", "no")
    prepare(["no such group"])
