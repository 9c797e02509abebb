"""The Debian packages that `make packages` makes: in a root of their own, as dpkg has them."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import ROOT, succeed

PACKAGES = ("mxk", "libmxk-dev", "mxk-kernel")
STATED = re.search(r"project\(mxk VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


class System:
    """A root in which dpkg installs, and knows nothing else: what packages depend on is that of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / folder).mkdir(parents=True)
        (root / "var/lib/dpkg/status").touch()

    def dpkg(self, *words: str | Path) -> str:
        """One call of it, as any user."""
        options = [f"--root={self.root}", "--force-not-root", "--force-depends", "--force-script-chrootless"]
        return succeed("dpkg", *options, f"--log={self.root / 'dpkg.log'}", *words)

    def version_of(self, package: str) -> str:
        """Of what is installed."""
        return self.dpkg("--admindir", self.root / "var/lib/dpkg", "--status", package).split("Version: ")[1].split()[0]

    def files(self) -> Iterator[str]:
        """All that is no record of dpkg's."""
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if not path.is_dir() and not name.startswith(("var/", "dpkg.log")):
                yield name


@pytest.fixture(scope="module")
def made() -> dict[str, Path]:
    """The file of each package. Making them checks them with lintian, too."""
    folder = ROOT / "build/packages"
    succeed("make", "-C", ROOT, "SETUP=no", "packages", timeout=600)
    return {name: folder / f"{name}_{STATED}_amd64.deb" for name in PACKAGES}


def older(package: Path, folder: Path) -> Path:
    """The same with a smaller version, and a file that the newer one has no more."""
    succeed("dpkg-deb", "--raw-extract", package, folder / "older")
    control = folder / "older/DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", "Version: 0.0.1", control.read_text()))
    (folder / "older/usr/bin/mxk-of-before").touch()
    succeed("dpkg-deb", "--root-owner-group", "--build", folder / "older", folder / "older.deb")
    return folder / "older.deb"


def test_a_tftp_server_may_read_all_of_the_directory() -> None:
    files = [path for path in (ROOT / "build/metal/pxe").rglob("*") if path.is_file()]
    assert len(files) > 50
    assert [str(path) for path in files if not path.stat().st_mode & 0o004] == []


@pytest.mark.long(reason="compresses the kernels, and lintian reads all")
def test_packages_are_installed_used_upgraded_and_removed(made: dict[str, Path], tmp_path: Path) -> None:
    system = System(tmp_path / "root")
    system.dpkg("--install", older(made["mxk"], tmp_path))
    assert system.version_of("mxk") == "0.0.1"
    assert "usr/bin/mxk-of-before" in system.files()
    system.dpkg("--install", *made.values())
    assert [system.version_of(name) for name in PACKAGES] == [STATED] * 3
    installed = list(system.files())
    assert "usr/bin/mxk-of-before" not in installed

    usr = system.root / "usr"
    assert succeed(usr / "bin/mxk", "--version").startswith(f"mxk {STATED} ")
    assert "\ndrift: insert" in succeed(usr / "bin/mxk", "bench table --ops 1M")
    assert b"tasks on per-core queues" in gzip.decompress((usr / "share/man/man1/mxk.1.gz").read_bytes())
    assert (usr / "share/doc/mxk-kernel/OFL-1.1.txt").is_file()
    for package in PACKAGES:
        there = {path.name.removesuffix(".gz") for path in (usr / "share/doc" / package).iterdir()}
        assert {"copyright", "changelog", "NOTICE"} <= there

    main = tmp_path / "main.cpp"
    main.write_text((ROOT / "examples/hello_task/main.cpp").read_text())
    settings = {"PKG_CONFIG_PATH": str(usr / "lib/pkgconfig")}
    flags = succeed("pkg-config", "--cflags", "--libs", "mxk", **settings).split()
    succeed("g++", main, "-o", tmp_path / "hello", *flags)
    assert succeed(tmp_path / "hello")

    for name in ("mxk.elf", "mxk-test.elf", "mxk.iso"):
        assert (usr / "lib/mxk" / name).read_bytes() == (ROOT / "build/metal" / name).read_bytes()
    assert (usr / "lib/mxk/pxe/boot/mxk.elf").is_file()
    system.dpkg("--purge", *PACKAGES)
    assert list(system.files()) == []
