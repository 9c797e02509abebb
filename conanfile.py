"""The library for Conan 2: conan create . (docs/library.md)."""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake
from conan.tools.files import copy
from conan.tools.system.package_manager import Apt, Dnf, PacMan

ROOMS = [
    "arch",
    "base",
    "bench",
    "boot",
    "examples",
    "hashtable",
    "kernel",
    "locks",
    "main",
    "peers",
    "query",
    "spaces",
    "tasks",
    "tests",
    "tools",
]


class Mxk(ConanFile):
    """What `make install` installs of the library, found by find_package(mxk). It has no build type."""

    name = "mxk"
    description = "Tasks on per-core queues, and hash tables over them"
    license = "Apache-2.0"
    topics = ("tasks", "coroutines", "hash-table", "numa")
    package_type = "static-library"
    settings = "os", "arch", "compiler"
    generators = "CMakeToolchain"
    exports = "CMakeLists.txt"
    exports_sources = ("CMakeLists.txt", "LICENSE", "NOTICE", *(f"{room}/*" for room in ROOMS))
    test_package_folder = "tests/conan"

    def set_version(self) -> None:
        """That of the sources."""
        text = (Path(self.recipe_folder) / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(mxk VERSION (\S+)", text)[1]

    def validate(self) -> None:
        """MXK reads its time from the processor, and knows Linux. Its target asks for C++20."""
        if str(self.settings.os) != "Linux" or str(self.settings.arch) != "x86_64":
            raise ConanInvalidConfiguration("mxk: expected Linux on x86_64")

    def system_requirements(self) -> None:
        """Topology and memory of nodes, by the system's own libraries."""
        Apt(self).install(["libhwloc-dev", "libnuma-dev"], check=True)
        Dnf(self).install(["hwloc-devel", "numactl-devel"], check=True)
        PacMan(self).install(["hwloc", "numactl"], check=True)

    def build(self) -> None:
        """The library alone, without the programs."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="mxk-library")
        cmake.build(target="mxk-headers")

    def package(self) -> None:
        """The component `library`, and the licences."""
        CMake(self).install(component="library")
        for name in ("LICENSE", "NOTICE"):
            copy(self, name, self.source_folder, str(Path(self.package_folder) / "licenses"))

    def package_info(self) -> None:
        """It has a CMake package of its own."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/mxk"]
        self.cpp_info.libs = ["mxk"]
        self.cpp_info.system_libs = ["hwloc", "numa", "pthread"]
