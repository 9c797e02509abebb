"""What is promised of a fresh Debian, in a root that mmdebstrap makes: nobody's leftovers, its own compilers."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import ROOT

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
COUNT = """import mxk, numpy
table = mxk.Table()
table.add(numpy.random.default_rng(1).integers(0, 1_000_000, 24_000_000), 1)
print(len(table), table.items()[1].sum())
"""
NEEDS_ROOT = "expected root, mmdebstrap and its right to mount: tools/setup does not install it"


class Root:
    """A system of its own below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, line: str) -> str:
        """What a shell line in /src prints; it must succeed."""
        kept = {name: value for name, value in os.environ.items() if name.endswith("_proxy") or name == "PIP_CERT"}
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", **kept}
        command = ["chroot", self.folder, "/bin/bash", "-c", f"cd /src && {line}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000, env=environment)
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout


@pytest.fixture(params=["bookworm", "trixie"])
def system(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    """Of that release, with this checkout's last commit in /src."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip(NEEDS_ROOT)
    folder = tmp_path / "root"
    packages = "--include=ca-certificates,git,make"
    subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", packages, request.param, folder], check=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "src"], check=True)
    for file in (CERTIFICATES, Path("/etc/resolv.conf")):
        shutil.copy(file, folder / str(file).lstrip("/"))
    mounts = {"proc": ["-t", "proc", "proc"], "dev": ["--bind", "/dev"], "sys": ["--bind", "/sys"]}
    try:
        for place, words in mounts.items():
            subprocess.run(["mount", *words, folder / place], check=True)
        yield Root(folder)
    finally:
        for place in mounts:
            subprocess.run(["umount", "--lazy", folder / place], check=False)


@pytest.mark.skipif("MXK_LONG_TESTS" not in os.environ, reason="long: MXK_LONG_TESTS is not set")
@pytest.mark.long(reason="installs and compiles all in a fresh Debian 12 and a fresh Debian 13")
def test_a_fresh_debian(system: Root) -> None:
    system.run("make linux")
    assert "  yes\n" in system.run("build/linux/mxk 'bench table --ops 1M'")
    assert not (system.folder / "usr/bin/qemu-system-x86_64").exists()
    system.run("make iso")
    assert (system.folder / "src/build/metal/mxk.iso").is_file()
    system.run("make python")
    system.run("make packages")
    system.run("apt-get install -y --no-install-recommends ./build/packages/*.deb")
    assert system.run("cd / && mxk --version").startswith("mxk ")
    system.run("cp -r examples /tmp/ && cmake -S /tmp/examples -B /tmp/built && cmake --build /tmp/built")
    assert "hello from core 0" in system.run("/tmp/built/hello_task")
    system.run("make wheel")
    system.run("python3 -m venv /tmp/clean && /tmp/clean/bin/pip install --quiet --find-links build/wheels mxk")
    (system.folder / "tmp/count.py").write_text(COUNT)
    assert system.run("cd / && /tmp/clean/bin/python /tmp/count.py") == "1000000 24000000\n"
    system.run(
        "python3 -m venv /tmp/conan && /tmp/conan/bin/pip install --quiet conan && /tmp/conan/bin/conan profile detect"
    )
    assert "hello from core 0" in system.run("/tmp/conan/bin/conan create . 2>&1")
    system.run("apt-get purge -y mxk libmxk-dev mxk-kernel")
    assert not (system.folder / "usr/bin/mxk").exists()
