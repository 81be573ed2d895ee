#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py: plants the faults of faults.def in a copy of the library, one at a time, and says whether the quick tests
of the CPU device find them (README.md).

    faults.py                    all of them, in build/faults
    faults.py --only NAME        one, or several if repeated
    faults.py --named            with the tests alone that each fault's row names: a first look, in less time
    faults.py --list             their names; an error if one cannot be planted
    faults.py --build FOLDER     keeps the copy and its build there; a second run compiles less

Exit status: 0 if at least 95 % are caught and every survivor is explained, 1 if not or if a fault cannot be planted.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
BAR = 95  # per cent
LONGEST = 90  # seconds of a test, after which it hangs
JOBS = str(os.cpu_count() or 1)


class Stale(Exception):
    """The list and the library no longer go together."""


class Fault:
    """A stanza of faults.def: whole lines of a file, and what takes their place."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self.what = self.tests = self.why = ""
        self.old, self.new = [], []

    def planted(self, text):
        old, new = ("".join(line + "\n" for line in lines) for lines in (self.old, self.new))
        count = ("\n" + text).count("\n" + old)
        if not self.what or not self.tests or old == new or count != 1:
            raise Stale("%s: its old lines occur %d times in %s, or a field is missing" % (self.name, count, self.file))
        return ("\n" + text).replace("\n" + old, "\n" + new)[1:]


def read_faults(path):
    faults, file = [], None
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            field = re.match(r"(file|name|what|tests|why): (.*)", line)
            if not line or line[0] == "#":
                continue
            if field and field[1] == "file":
                file = field[2]
            elif field and field[1] == "name":
                faults.append(Fault(file, field[2]))
            elif field:
                setattr(faults[-1], field[1], field[2])
            elif line[0] in " -+":
                if line[0] != "+":
                    faults[-1].old.append(line[1:])
                if line[0] != "-":
                    faults[-1].new.append(line[1:])
            else:
                raise SystemExit("%s:%d: neither a field nor a line of a change: %s" % (path, number, line))
    names = [fault.name for fault in faults]
    assert len(names) == len(set(names)), "two faults of one name"
    return faults


def quiet(*command):
    """Whether a command succeeds, and what it prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode == 0, done.stdout


class Copy:
    """The tree with its uncommitted changes, and a build of it."""

    def __init__(self, folder, named):
        self.tree, self.build = os.path.join(folder, "tree"), os.path.join(folder, "build")
        names = subprocess.run(["git", "-C", TREE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               stdout=subprocess.PIPE, check=True, text=True).stdout.split("\0")
        wanted = {name for name in names if name and os.path.isfile(os.path.join(TREE, name))}
        for name in wanted:
            with open(os.path.join(TREE, name), "rb") as file:
                self.write(name, file.read(), os.stat(os.path.join(TREE, name)).st_mode)
        for path in pathlib.Path(self.tree).rglob("*"):
            if path.is_file() and str(path.relative_to(self.tree)) not in wanted:
                path.unlink()
        launchers = ["-DCMAKE_%s_COMPILER_LAUNCHER=ccache" % x for x in ("C", "CXX")] if shutil.which("ccache") else []
        self.must("cmake", "-S", self.tree, "--preset", "cpu", "-B", self.build, "-DSUBWAVE_WERROR=OFF",
                  "-DSUBWAVE_EXAMPLES=OFF", "-DSUBWAVE_CPU_TEST_MATRIX=quick", *launchers)
        for path in pathlib.Path(self.build).rglob("CTestTestfile.cmake"):  # what hangs is caught sooner
            path.write_text(re.sub(r'TIMEOUT "\d+"', 'TIMEOUT "%d"' % LONGEST, path.read_text()))
        tests = self.quick_tests()
        if not named or any("command" not in test for test in tests):  # a program was not built yet
            self.must("ninja", "-C", self.build)
            tests = self.quick_tests()
        built = set(re.findall(r"^([^:\n]+): ", self.must("ninja", "-C", self.build, "-t", "targets", "all"), re.M))
        self.targets = {}  # of every quick test: what it runs
        for test in tests:
            paths = [os.path.relpath(x.split("=")[-1], self.build) for x in test["command"] if "/" in x]
            self.targets[test["name"]] = {path for path in paths if path in built}

    def quick_tests(self):
        text = self.must("ctest", "--test-dir", self.build, "-N", "-L", "quick", "--show-only=json-v1")
        return json.loads(text[text.index("{"):])["tests"]

    def write(self, name, data, mode=None):
        """Writes a file that differs."""
        path = pathlib.Path(self.tree, name)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode or path.stat().st_mode)

    def must(self, *command):
        done, text = quiet(*command)
        if not done:
            raise SystemExit("%s failed:\n%s" % (" ".join(command), text[-6000:]))
        return text

    def run(self, tests):
        """The first of `tests` that fails, or None. Builds what they run."""
        targets = set().union(*(self.targets[test] for test in tests))
        package = any(re.match("package|docs", test) for test in tests)
        done, text = quiet("ninja", "-C", self.build, *(["all"] if package else sorted(targets)))
        if not done:
            raise Stale("it does not compile:\n" + text[-3000:])
        pattern = "^(%s)$" % "|".join(re.escape(test) for test in tests)
        done, text = quiet("ctest", "--test-dir", self.build, "-L", "quick", "-R", pattern, "--stop-on-failure", "-j",
                           JOBS, "--timeout", str(LONGEST), "--output-on-failure")
        if done:
            return None
        failed = re.search(r"^\s*\d+ - (\S+) \((.*)\)", text, re.M)
        return "%s (%s)" % (failed[1], failed[2].lower()) if failed else "ctest"

    def find(self, fault, named):
        """What catches the fault, or None."""
        with open(os.path.join(self.tree, fault.file), encoding="utf-8") as file:
            text = file.read()
        first = [test for test in self.targets if re.search(fault.tests, test)]
        if not first:
            raise Stale("no quick test is named like " + fault.tests)
        try:
            self.write(fault.file, fault.planted(text).encode())
            return self.run(first) or (not named and self.run([test for test in self.targets if test not in first]))
        finally:
            self.write(fault.file, text.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--build", default=os.path.join(TREE, "build", "faults"), metavar="FOLDER")
    options = parser.parse_args()
    faults = read_faults(os.path.join(HERE, "faults.def"))
    if options.list:
        for fault in faults:
            with open(os.path.join(TREE, fault.file), encoding="utf-8") as file:
                fault.planted(file.read())
            print("%-32s %-40s %s" % (fault.name, fault.file, fault.what))
        return 0
    unknown = set(options.only or []) - {fault.name for fault in faults}
    if unknown:
        raise SystemExit("no fault is named " + ", ".join(sorted(unknown)))
    faults = [fault for fault in faults if not options.only or fault.name in options.only]
    start = time.monotonic()
    copy = Copy(os.path.abspath(options.build), options.named)
    failed = not options.named and copy.run(list(copy.targets))
    if failed:
        raise SystemExit("without a fault, this test fails: " + failed)
    caught, stale, survived = [], [], []
    for fault in faults:
        began = time.monotonic()
        try:
            by = copy.find(fault, options.named)
            (caught if by else survived).append(fault)
            by = by or ("SURVIVED: " + fault.why if fault.why else "SURVIVED, which nothing explains")
        except Stale as why:
            stale.append(fault)
            by = "ERROR: %s" % why
        print("%-32s %4d s  %s" % (fault.name, time.monotonic() - began, by), flush=True)
    count = len(caught) + len(survived)
    share = 100 * len(caught) / count if count else 0
    print("%d of %d faults are caught, %.1f %%, in %d minutes" % (
        len(caught), count, share, (time.monotonic() - start) / 60))
    return int(bool(stale) or share < BAR or any(not fault.why for fault in survived))


if __name__ == "__main__":
    sys.exit(main())
