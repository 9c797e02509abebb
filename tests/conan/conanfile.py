"""What Conan builds and runs to see that the package works: an example over find_package(mxk)."""

from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Test(ConanFile):
    """One program."""

    settings = "os", "arch", "compiler", "build_type"

    def layout(self) -> None:
        """Outside the sources."""
        cmake_layout(self, build_folder="../../build/conan")

    def requirements(self) -> None:
        """The package that is tested."""
        self.requires(self.tested_reference_str)

    def generate(self) -> None:
        """Nothing beside the sources."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.generate()

    def build(self) -> None:
        """By CMake."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self) -> None:
        """It ends with 0."""
        self.run(str(Path(self.build_folder) / "hello"))
