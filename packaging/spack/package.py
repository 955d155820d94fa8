# SPDX-License-Identifier: MIT
"""Spack: the libraries and the command, from the release tarball that POSEMILL_TARBALL names."""
import os

from spack.package import *


class Posemill(CMakePackage):
    """Interpolation of motion: rotation curves, positions and scales on OpenCL or plain C."""

    url = "file://" + os.environ.get("POSEMILL_TARBALL", "/posemill-1.0.0.tar.gz")

    license("MIT")

    version("1.0.0")

    variant("opencl", default=True, description="Run on OpenCL devices")
    variant("shared", default=True, description="Shared libraries")
    variant("motion", default=True, description="Motion files and the command")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("opencl-icd-loader", when="+opencl")
    depends_on("opencl-c-headers", when="+opencl")
    depends_on("giflib", when="+motion")
    depends_on("jansson", when="+motion")
    depends_on("libarchive", when="+motion")
    depends_on("xxhash", when="+motion")
    depends_on("zlib-api", when="+motion")

    def cmake_args(self):
        motion = [self.define_from_variant("POSEMILL_" + part, "motion")
                  for part in ("MOTION", "TOOLS", "GLTF", "NPZ", "BATCH", "ARCHIVES", "GIF")]
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("POSEMILL_OPENCL", "opencl"),
            self.define("BUILD_TESTING", False),
            self.define("POSEMILL_BENCH", False),
            self.define("POSEMILL_EXAMPLES", False),
            self.define("POSEMILL_MESHOPT", False),
            *motion,
        ]
