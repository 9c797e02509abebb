"""tools/setup, by what dpkg and apt say that they have: stand-ins for them, which install nothing."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT

DPKG_QUERY = """#!/bin/sh
for name; do :; done
case "$2" in *Version*) echo "$QEMU_VERSION"; exit;; esac
grep -qx "$name" "$STAND_IN/installed" && printf installed
"""
APT_CACHE = """#!/bin/sh
printf '%s:\\n  Installed: (none)\\n  Candidate: ' "$2"
grep -qx "$2" "$STAND_IN/known" && echo 1.0 || echo '(none)'
"""
APT_GET = """#!/bin/sh
echo "$*" >>"$STAND_IN/asked"
[ "$1" != update ] || cp "$STAND_IN/there" "$STAND_IN/known"
"""


class Machine:
    """A tree with tools/setup and its Python environment, on a machine with these packages."""

    def __init__(self, folder: Path, installed: list[str], there: list[str]) -> None:
        self.folder = folder
        for name in ("tools/setup", "tools/requirements.txt", "examples/python/requirements.txt"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        requirements = [folder / name for name in ("tools/requirements.txt", "examples/python/requirements.txt")]
        self.program("build/venv/bin/python", "#!/bin/sh\n")
        (folder / "build/venv/.requirements").write_text("".join(path.read_text() for path in requirements))
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-cache", APT_CACHE), ("apt-get", APT_GET)):
            self.program(f"bin/{name}", text)
        self.program("bin/id", "#!/bin/sh\necho 0\n")
        for name, packages in (("installed", installed), ("known", []), ("there", there), ("asked", [])):
            (folder / name).write_text("".join(f"{package}\n" for package in packages))

    def program(self, name: str, text: str) -> None:
        """A script in the tree."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def set_up(self, *options: str, qemu: str = "1:7.2+dfsg-7") -> subprocess.CompletedProcess[str]:
        """What tools/setup did."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "STAND_IN": str(self.folder), "QEMU_VERSION": qemu}
        line = [self.folder / "tools/setup", *options]
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)

    def asked(self) -> list[str]:
        """What apt-get was called with."""
        return (self.folder / "asked").read_text().splitlines()


def packages() -> list[str]:
    """All that it needs, as it names them."""
    listed = re.search(r"^packages=\((.*?)^\)", (ROOT / "tools/setup").read_text(), re.DOTALL | re.MULTILINE)
    return re.sub(r"#.*|'", "", listed[1]).split()


def without(*names: str) -> list[str]:
    """All of them by their first names, less these."""
    return [package.split("|")[0] for package in packages() if package.split("|")[0] not in names]


@pytest.mark.parametrize("there", [["libmimalloc2.0"], ["libmimalloc3"], ["libmimalloc3", "libmimalloc2.0"], []])
def test_of_two_names_the_one_is_installed_that_apt_knows_after_its_update(tmp_path: Path, there: list[str]) -> None:
    machine = Machine(tmp_path, without("libmimalloc2.0", "ccache"), ["ccache", *there])
    ended = machine.set_up()
    assert ended.returncode == 0, ended.stderr
    chosen = "libmimalloc3" if there == ["libmimalloc3"] else "libmimalloc2.0"  # of an unknown one apt-get says so
    assert machine.asked() == ["update", f"install -y --no-install-recommends ccache {chosen}"]


@pytest.mark.parametrize("name", ["libmimalloc2.0", "libmimalloc3"])
def test_either_name_is_enough(tmp_path: Path, name: str) -> None:
    machine = Machine(tmp_path, [*without("libmimalloc2.0"), name], [])
    ended = machine.set_up()
    assert (ended.returncode, ended.stdout, machine.asked()) == (0, "", []), ended.stderr
    assert machine.set_up("--check").returncode == 0


def test_a_check_installs_nothing_and_names_both(tmp_path: Path) -> None:
    machine = Machine(tmp_path, without("libmimalloc2.0"), ["libmimalloc3"])
    ended = machine.set_up("--check")
    assert (ended.returncode, machine.asked()) == (1, [])
    assert "missing packages: libmimalloc2.0|libmimalloc3 " in ended.stderr


def test_where_the_installed_qemu_is_new_it_is_the_new_one(tmp_path: Path) -> None:
    machine = Machine(tmp_path, [*without(), "bochs", "bochs-term", "bochsbios", "vgabios"], [])
    ended = machine.set_up("--machines", qemu="1:10.0.3+ds-0+deb13u1")
    assert (ended.returncode, machine.asked()) == (0, []), ended.stderr
    assert (tmp_path / "build/machines/qemu-10/usr").readlink() == Path("/usr")
