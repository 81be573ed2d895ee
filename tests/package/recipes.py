# SPDX-License-Identifier: MIT
"""The recipes for Spack and EasyBuild, without either: what they say of the version and of CMake is what CMakeLists.txt
says; the archive that they name is the one that cpack makes; and the sources in it configure with the options that they
pass, each of which the build knows. Spack's and EasyBuild's own names are stood in for by what the recipes use of them."""
import argparse
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import types

CMAKE = {True: "ON", False: "OFF"}


class Spec:
    """A spec of Spack's with these variants."""
    def __init__(self, variants):
        self.variants = variants
        self.prefix = types.SimpleNamespace(include="/somewhere/include")

    def satisfies(self, what):
        return self.variants[what[1:]] is (what[0] == "+")

    def __getitem__(self, name):
        return self


class Package:
    """Of Spack's packages what the recipe calls."""
    def __init__(self, variants):
        self.spec = Spec(variants)

    def define(self, name, value):
        value = CMAKE[value] if isinstance(value, bool) else ";".join(value) if isinstance(value, tuple) else value
        return "-D%s=%s" % (name, value)

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.variants[variant])


def spack_recipe(path):
    """The recipe's class, and the directives in it by their names."""
    said = {}
    names = {name: (lambda *args, _name=name, **kwargs: said.setdefault(_name, []).append((args, kwargs)))
             for name in ("license", "version", "variant", "generator", "depends_on", "conflicts")}
    stands_in = {"spack": {}, "spack.package": names, "spack_repo": {}, "spack_repo.builtin": {},
                 "spack_repo.builtin.build_systems": {},
                 "spack_repo.builtin.build_systems.cmake": {"CMakePackage": Package, "generator": names["generator"]},
                 "spack_repo.builtin.build_systems.cuda": {"CudaPackage": type("CudaPackage", (), {})},
                 "spack_repo.builtin.build_systems.rocm": {"ROCmPackage": type("ROCmPackage", (), {})}}
    for name, attributes in stands_in.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(attributes)
    scope = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)
    return scope["Subwave"], said


def easybuild_recipe(path):
    scope = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SHLIB_EXT": "so"}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)
    return scope


class Checker:
    def __init__(self, options):
        self.o, self.failures = options, 0
        lists = [os.path.join(options.source, "CMakeLists.txt")]
        for folder in ("cmake", "src", "hip", "tests", "perf"):
            lists += [path for path in glob.glob(os.path.join(options.source, folder, "**", "*"), recursive=True)
                      if path.endswith(("CMakeLists.txt", ".cmake"))]
        self.cmake = "\n".join(open(path, encoding="utf-8").read() for path in lists)
        self.tool = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", self.cmake)[1]

    def equal(self, what, got, wanted):
        if got != wanted:
            print("%s is %r, not %r" % (what, got, wanted))
            self.failures += 1

    def known(self, what, arguments):
        """Whether each option is one that the build reads."""
        for argument in arguments:
            name = re.fullmatch(r"-D(\w+)=.*", argument)[1]
            if not name.startswith("CMAKE_") and not re.search(
                    r"\boption\(%s\b|\bset\(%s [^)]*CACHE\b|\bfind_(path|program)\(%s\b" % (name, name, name), self.cmake):
                print("%s: there is no option %s" % (what, name))
                self.failures += 1

    def configures(self, what, source, arguments, folder):
        """Whether CMake takes the options, and uses all of them."""
        shutil.rmtree(folder, ignore_errors=True)
        ran = subprocess.run([self.o.cmake, "-S", source, "-B", folder, "-G", self.o.generator, *arguments],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if ran.returncode or "not used by the project" in ran.stdout:
            print("%s: %s\n%s" % (what, " ".join(arguments), ran.stdout))
            self.failures += 1

    def spack(self, source, archive):
        recipe, said = spack_recipe(os.path.join(self.o.source, "cmake", "recipes", "spack", "package.py"))
        self.equal("Spack's version", [args for args, _ in said["version"]], [(self.o.version,)])
        self.equal("Spack's archive", os.path.basename(recipe.url), archive)
        self.equal("Spack's cmake", [args[0] for args, _ in said["depends_on"] if args[0].startswith("cmake@")],
                   ["cmake@%s:" % self.tool])
        defaults = {args[0]: kwargs["default"] for args, kwargs in said["variant"]}
        defaults |= {"rocm": False, "cuda": False, "amdgpu_target": ("gfx90a", "gfx942"), "cuda_arch": ("80", "90")}
        for turned in [()] + [(name,) for name, value in defaults.items() if isinstance(value, bool)]:
            variants = defaults | {name: not defaults[name] for name in turned}
            arguments = recipe(variants).cmake_args()
            self.known("Spack " + " ".join(turned), arguments)
            gpu = "amd" if variants["rocm"] else "nvidia" if variants["cuda"] else "none"
            self.equal("Spack's GPU of " + " ".join(turned), "-DSUBWAVE_GPU=" + gpu in arguments, True)
            if not turned:
                self.configures("Spack", source, arguments, os.path.join(self.o.folder, "spack"))
        for needed in {name for args, kwargs in said["depends_on"] + said["conflicts"]
                       for name in re.findall(r"[+~](\w+)", kwargs.get("when", ""))}:
            self.equal("Spack's variant " + needed, needed in defaults, True)

    def easybuild(self, source, archive):
        path, = glob.glob(os.path.join(self.o.source, "cmake", "recipes", "easybuild", "*.eb"))
        recipe = easybuild_recipe(path)
        self.equal("EasyBuild's version", recipe["version"], self.o.version)
        self.equal("EasyBuild's archive", [name % recipe for name in recipe["sources"]], [archive])
        self.equal("EasyBuild's file name", os.path.basename(path), "%s-%s-%s-%s.eb" % (
            recipe["name"], recipe["version"], recipe["toolchain"]["name"], recipe["toolchain"]["version"]))
        def number(version):
            return [int(part) for part in version.split(".")]
        self.equal("that EasyBuild's CMake is new enough",
                   number(dict(recipe["builddependencies"])["CMake"]) >= number(self.tool), True)
        arguments = shlex.split(recipe["configopts"])
        self.known("EasyBuild", arguments)
        self.configures("EasyBuild", source, arguments, os.path.join(self.o.folder, "easybuild"))
        # That such files are installed, the package tests' folder shows.
        for name in recipe["sanity_check_paths"]["files"] + recipe["sanity_check_paths"]["dirs"]:
            name = re.sub("^lib/", self.o.libdir + "/", name)
            self.equal("that %s is installed" % name, os.path.exists(os.path.join(self.o.prefix, name)), True)


def main():
    parser = argparse.ArgumentParser()
    for option in ("source", "version", "folder", "cmake", "cpack", "config", "generator", "prefix", "libdir"):
        parser.add_argument("--" + option, required=True)
    checker = Checker(parser.parse_args())
    o = checker.o
    shutil.rmtree(o.folder, ignore_errors=True)
    os.makedirs(o.folder)
    subprocess.run([o.cpack, "--config", o.config, "-B", o.folder], check=True, stdout=subprocess.DEVNULL)
    archives = [os.path.basename(path) for path in glob.glob(os.path.join(o.folder, "*.tar.gz"))]
    archive = "subwave-%s.tar.gz" % o.version
    checker.equal("what cpack makes of the sources", archives, [archive])
    subprocess.run(["tar", "xzf", archive], cwd=o.folder, check=True)
    source = os.path.join(o.folder, "subwave-" + o.version)
    checker.equal("that the archive has neither builds nor the repository",
                  [name for name in os.listdir(source) if name in ("build", ".git")], [])
    checker.spack(source, archive)
    checker.easybuild(source, archive)
    return checker.failures != 0


if __name__ == "__main__":
    sys.exit(main())
