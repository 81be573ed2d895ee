# SPDX-License-Identifier: MIT
"""Recipe for Spack 1.0 and newer: put it into a repository of your own as packages/subwave/package.py. The archive is
what `cpack --config CPackSourceConfig.cmake` makes of the sources; Spack looks for it in the folder where it is run."""
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Subwave(CMakePackage, CudaPackage, ROCmPackage):
    """SYCL's sub-groups and non-uniform groups on GPU wavefronts, for C: a library of matrix products and operations
    on arrays, headers for kernels, and a device that simulates waves on the CPU."""

    manual_download = True
    url = "file://{0}/subwave-0.1.0.tar.gz".format(os.getcwd())

    license("MIT")

    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("fortran", default=True, description="Build the Fortran modules")
    variant("tools", default=True, description="Build the commands subwave and subwave-bench")

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    # Writes the Fortran modules and the commands' manual pages.
    depends_on("python@3.9:", type="build")

    depends_on("hip@5.2:", when="+rocm")
    depends_on("cuda@12:", when="+cuda")
    depends_on("hip+cuda", when="+cuda")  # its headers for NVIDIA

    conflicts("+cuda", when="+rocm", msg="a library has the kernels of one kind of GPU")
    conflicts("cuda_arch=none", when="+cuda", msg="name the architectures: cuda_arch=90")
    conflicts("amdgpu_target=none", when="+rocm", msg="name the architectures: amdgpu_target=gfx90a")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SUBWAVE_FORTRAN", "fortran"),
            self.define_from_variant("SUBWAVE_TOOL", "tools"),
            self.define_from_variant("SUBWAVE_BENCH", "tools"),
            self.define("SUBWAVE_TESTS", False),
            self.define("SUBWAVE_EXAMPLES", False),
            self.define("SUBWAVE_WERROR", False),
        ]
        if self.spec.satisfies("+rocm"):
            args.append(self.define("SUBWAVE_GPU", "amd"))
            args.append(self.define_from_variant("SUBWAVE_AMD_ARCHITECTURES", "amdgpu_target"))
        elif self.spec.satisfies("+cuda"):
            args.append(self.define("SUBWAVE_GPU", "nvidia"))
            args.append(self.define_from_variant("CMAKE_CUDA_ARCHITECTURES", "cuda_arch"))
            args.append(self.define("SUBWAVE_HIP_INCLUDE_DIR", self.spec["hip"].prefix.include))
        else:
            args.append(self.define("SUBWAVE_GPU", "none"))
        return args
