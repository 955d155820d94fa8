# SPDX-License-Identifier: MIT
"""Conan 2: the libraries, from the tree that this file is in."""
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = Path(__file__).resolve().parents[2]


class Posemill(ConanFile):
    name = "posemill"
    version = "1.0.0"
    license = "MIT"
    description = "Interpolation of motion on OpenCL or plain C"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "opencl": [True, False], "motion": [True, False]}
    default_options = {"shared": False, "opencl": True, "motion": True}
    languages = "C"

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "host/*", "include/*", "kernels/*", "motion/*"):
            copy(self, pattern, ROOT, self.export_sources_folder)

    def validate(self):
        if self.settings.os == "Windows" and self.settings.compiler not in ("gcc", "clang"):
            raise ConanInvalidConfiguration("on Windows, GCC or Clang of MinGW-w64 with POSIX threads is required")

    def requirements(self):
        if self.options.opencl:
            self.requires("opencl-icd-loader/[>=2023]", transitive_headers=True)
        if self.options.motion:
            for library in ("giflib/[>=5.2]", "jansson/[>=2.14]", "libarchive/[>=3.6]", "meshoptimizer/[>=0.18]",
                            "xxhash/[>=0.8]", "zlib/[>=1.2.11 <2]"):
                self.requires(library)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        tools = CMakeToolchain(self)
        for option in ("MOTION", "GLTF", "NPZ", "BATCH", "MESHOPT", "ARCHIVES", "GIF"):
            tools.cache_variables["POSEMILL_" + option] = bool(self.options.motion)
        for option in ("TOOLS", "BENCH", "EXAMPLES"):
            tools.cache_variables["POSEMILL_" + option] = False
        tools.cache_variables["POSEMILL_OPENCL"] = bool(self.options.opencl)
        tools.cache_variables["BUILD_TESTING"] = False
        tools.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder) / "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "posemill")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "posemill::posemill")
        core.set_property("pkg_config_name", "posemill")
        core.libs = ["posemill"]
        core.system_libs = ["m", "pthread"]
        if self.options.shared:
            core.defines = ["POSEMILL_SHARED"]
        if self.options.opencl:
            core.requires = ["opencl-icd-loader::opencl-icd-loader"]
        if self.options.motion:
            motion = self.cpp_info.components["motion"]
            motion.set_property("cmake_target_name", "posemill::posemill_motion")
            motion.set_property("pkg_config_name", "posemill-motion")
            motion.libs = ["posemill_motion"]
            motion.requires = ["core", *(f"{name}::{name}" for name in (
                "giflib", "jansson", "libarchive", "meshoptimizer", "xxhash", "zlib"))]
