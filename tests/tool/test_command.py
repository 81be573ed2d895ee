# SPDX-License-Identifier: MIT
# test_command.py: the subwave command from outside: right answers, and refusals that change nothing.
"""Usage: test_command.py --subwave PATH [--broken LIBRARY] [--calls PROGRAM] [--device ID] [TEST...]"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

SUBWAVE = BROKEN = CALLS = None
DEVICE = "cpu:8"


def header(text, version=1, length=None, align=64):
    """The bytes before the elements; `length` overrides what they say of the header's length."""
    text = text.encode("utf-8" if version == 3 else "latin1")
    prefix = 10 if version == 1 else 12
    text += b" " * (-(prefix + len(text) + 1) % align) + b"\n"
    size = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text


def describe(descr="<f4", order="False", shape="(2, 2)"):
    return f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}"


FORMATS = {"f2": "e", "f4": "f", "f8": "d"}
INTEGERS = {"i1": "b", "i4": "i"}  # of factors and of products
COMPLEX = {"c8": "f", "c16": "d"}  # of the parts


def npy(rows, columns, cells, descr="<f4", fortran=False, version=1):
    """A file with the matrix whose row-major cells are given."""
    stored = cells
    if fortran:
        stored = [cells[i * columns + j] for j in range(columns) for i in range(rows)]
    if descr[1:] in COMPLEX:
        stored = [part for cell in stored for part in (cell.real, cell.imag)]
    form = ("<" if descr[0] in "<=|" else ">") + str(len(stored)) + {**FORMATS, **INTEGERS, **COMPLEX}[descr[1:]]
    return header(describe(descr, str(fortran), f"({rows}, {columns})"), version) + struct.pack(form, *stored)


def parse_npy(data):
    """(descr, rows, columns, cells) of what the command wrote: version 1, C order."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n"
    about = eval(data[10:10 + length], {"__builtins__": {}})
    assert set(about) == {"descr", "fortran_order", "shape"} and about["fortran_order"] is False
    rows, columns = about["shape"]
    kind = about["descr"][1:]
    parts = 2 if kind in COMPLEX else 1
    form = about["descr"][0] + str(rows * columns * parts) + {**FORMATS, **INTEGERS, **COMPLEX}[kind]
    cells = list(struct.unpack(form, data[10 + length:]))
    if parts == 2:
        cells = [complex(*pair) for pair in zip(cells[::2], cells[1::2])]
    return about["descr"], rows, columns, cells


def multiply(m, n, k, a, b):
    return [sum(a[i * k + l] * b[l * n + j] for l in range(k)) for i in range(m) for j in range(n)]


def flip(rows, columns, cells):
    return [cells[i * columns + j] for j in range(columns) for i in range(rows)]


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def put(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def get(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def run_command(self, *arguments, limits=(), **environment):
        def set_limits():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("SUBWAVE_")}
        if DEVICE.startswith("cpu"):  # a GPU runtime takes longer to start than all else here
            inherited.update(CUDA_VISIBLE_DEVICES="", HIP_VISIBLE_DEVICES="-1")
        environment = {**inherited, **environment}
        return subprocess.run([SUBWAVE, *arguments], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              preexec_fn=set_limits if limits else None)

    def succeed(self, *arguments, **environment):
        ran = self.run_command(*arguments, **environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def snapshot(self):
        """Every file of the folder with its contents; big ones by their size alone."""
        found = {}
        for root, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(root, name)
                about = os.lstat(path)
                regular = os.path.isfile(path) and not os.path.islink(path)
                contents = pathlib.Path(path).read_bytes() if regular and about.st_size < 1 << 20 else None
                found[path] = (about.st_mode, about.st_size, about.st_ino, contents)
        return found

    def refuse(self, status, message, *arguments, limits=(), **environment):
        """The command fails so, says so, prints nothing else, and leaves every file as it was."""
        before = self.snapshot()
        ran = self.run_command(*arguments, limits=limits, **environment)
        self.assertEqual(ran.returncode, status, ran.stderr + ran.stdout)
        self.assertRegex(ran.stderr, message)
        self.assertTrue(ran.stderr.startswith("subwave"), ran.stderr)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(self.snapshot(), before)


class MatmulAnswers(Command):
    def check(self, m, n, k, a_form, b_form, *options, transpose=(False, False), alpha=1, beta=0, add=None):
        """a_form, b_form: keyword arguments of npy()."""
        generator = random.Random(m * 10000 + n * 100 + k)
        kind = a_form.get("descr", "<f4")[1:]
        number = int if kind in INTEGERS else complex if kind in COMPLEX else float
        parts = 2 if kind in COMPLEX else 1
        whole = lambda count: [number(*(generator.randint(-8, 8) for _ in range(parts))) for _ in range(count)]  # sums are exact
        a, b, c0 = whole(m * k), whole(k * n), whole(m * n)
        stored_a = (k, m, flip(m, k, a)) if transpose[0] else (m, k, a)
        stored_b = (n, k, flip(k, n, b)) if transpose[1] else (k, n, b)
        self.put("A.npy", npy(*stored_a, **a_form))
        self.put("B.npy", npy(*stored_b, **b_form))
        options += ("--transpose-a",) * transpose[0] + ("--transpose-b",) * transpose[1]
        if add is not None:
            self.put("C0.npy", npy(m, n, c0, **add))
            options += ("--add", "C0.npy")
        out = self.succeed("matmul", "A.npy", "B.npy", "-o", "C.npy", "--device", DEVICE, *options)
        descr, rows, columns, cells = parse_npy(self.get("C.npy"))
        self.assertEqual((descr[1:], rows, columns), ("i4" if kind == "i1" else kind, m, n))
        product = multiply(m, n, k, a, b)
        self.assertEqual(cells, [alpha * p + beta * c for p, c in zip(product, c0)])
        self.assertEqual(set(os.listdir(self.folder)) - {"C0.npy"}, {"A.npy", "B.npy", "C.npy"})
        if numpy:
            loaded = numpy.load(os.path.join(self.folder, "C.npy"))
            self.assertEqual(loaded.ravel().tolist(), cells)
        return out

    def test_types_orders_versions(self):
        for size in [*FORMATS, *COMPLEX]:
            for order in "<", ">", "=", "|":
                for fortran_a in False, True:
                    for fortran_b in False, True:
                        self.check(3, 5, 4, dict(descr=order + size, fortran=fortran_a, version=2),
                                   dict(descr="<" + size, fortran=fortran_b, version=3))

    def test_transposes_and_orders(self):
        for case in range(16):
            bits = [bool(case >> bit & 1) for bit in range(4)]
            self.check(5, 3, 7, dict(fortran=bits[0]), dict(fortran=bits[1]), transpose=(bits[2], bits[3]))

    def test_sizes(self):
        for m, n, k in (1, 1, 1), (1, 17, 3), (17, 1, 3), (9, 10, 33), (2, 2, 65), (33, 31, 8):
            self.check(m, n, k, {}, {})

    def test_empty(self):
        for m, n, k in (0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0), (0, 5, 0):
            for fortran in False, True:
                self.check(m, n, k, dict(fortran=fortran), {})

    def test_variants(self):
        for dtype in "f16", "f32", "f64", "c32", "c64":
            is_complex = dtype[0] == "c"
            form = dict(descr="<%s%d" % (dtype[0], int(dtype[1:]) // (4 if is_complex else 8)))
            for variant in self.named("--variant", "matmul"):
                if variant != "matrix" and (variant != "skinny" or dtype != "f16"):
                    self.check_variant(variant, dtype, form)
            os.unlink(os.path.join(self.folder, "C.npy"))
            if dtype == "f16":
                self.refuse(1, "dtype is f16; subwave_matmul by variant skinny takes", "matmul", "A.npy", "B.npy", "-o",
                            "C.npy", "--device", DEVICE, "--variant", "skinny")
            try:
                self.check_variant("matrix", dtype, form)
            except AssertionError:
                if DEVICE.startswith("cpu"):
                    raise  # a GPU may lack the unit, but must say so
                self.refuse(1, f"variant is matrix; .* has no matrix unit that keeps the accuracy of {dtype}",
                            "matmul", "A.npy", "B.npy", "-o", "C.npy", "--device", DEVICE, "--variant", "matrix")

    def named(self, option, *command):
        """What --help says that an option takes."""
        return re.split(r",?\s+(?:or )?", re.search(option + r" [A-Z]+ +([^(]*?) \(", self.succeed(*command, "--help"))[1])

    def check_variant(self, variant, dtype, form):
        out = self.check(6, 7, 8, form, form, "--variant", variant)
        self.assertRegex(out, rf"^C\.npy: 6 x 7 = \(6 x 8\) \(8 x 7\), {dtype}; {DEVICE} {variant}; "
                              r"[\d.]+ [mun]?s, [\d.]+ GFLOP/s\n$")

    def test_scalars(self):
        self.check(4, 5, 6, {}, {}, "--alpha", "-2", alpha=-2)
        self.check(4, 5, 6, {}, {}, "--alpha=0.5", alpha=0.5)
        for fortran in False, True:
            for size in ">f2", "<f4", ">f8":
                form = dict(descr=size)
                self.check(4, 5, 6, form, form, add=dict(descr=size, fortran=fortran), beta=1)
                self.check(4, 5, 6, form, form, "--beta", "-3", add=dict(descr=size, fortran=fortran), beta=-3)
        self.check(4, 5, 6, {}, {}, "--beta", "0", "--alpha", "3", add={}, alpha=3)
        self.check(4, 5, 0, {}, {}, "--beta", "2", add={}, beta=2)
        self.check(4, 5, 6, {}, {}, "--alpha", "0", "--beta", "1", add={}, alpha=0, beta=1)

    def test_complex(self):
        for case in range(8):
            bits = [bool(case >> bit & 1) for bit in range(3)]
            self.check(5, 3, 7, dict(descr="<c8", fortran=bits[0]), dict(descr=">c8"), transpose=(bits[1], bits[2]))
        for size in "<c8", ">c16":
            form = dict(descr=size)
            self.check(4, 5, 6, form, form, "--alpha", "2,-1", "--beta=0,3", add=dict(descr=size, fortran=True),
                       alpha=2 - 1j, beta=3j)
            self.check(4, 5, 6, form, form, "--alpha", "0,2", alpha=2j)
            self.check(4, 5, 0, form, form, "--beta", "1,1", add=form, beta=1 + 1j)
        self.put("A.npy", npy(1, 1, [complex(1, float("nan"))], "<c8"))
        out = self.succeed("matmul", "A.npy", "A.npy", "-o", "C.npy", "--device", DEVICE)
        self.assertIn("note: 1 element of C.npy is infinite or not a number", out)

    def test_integers(self):
        form = dict(descr="|i1")
        for case in range(4):
            self.check(5, 3, 7, dict(descr="|i1", fortran=bool(case & 1)), form, transpose=(bool(case & 2), False))
        for order in "<", ">":
            self.check(4, 5, 6, form, form, "--alpha", "-1000000", "--beta", "3",
                       add=dict(descr=order + "i4", fortran=True), alpha=-1000000, beta=3)
        out = self.check(6, 7, 8, form, form, "--variant", "naive")
        self.assertRegex(out, rf"\(6 x 8\) \(8 x 7\), i32; {DEVICE} naive; ")

    def test_quiet(self):
        self.assertEqual(self.check(2, 2, 2, {}, {}, "--quiet"), "")

    def test_not_finite(self):
        self.put("A.npy", npy(2, 2, [1, float("inf"), 2, 3]))
        self.put("B.npy", npy(2, 2, [1, 0, 1, 1]))
        out = self.succeed("matmul", "A.npy", "B.npy", "-o", "C.npy", "--device", DEVICE)
        self.assertEqual(parse_npy(self.get("C.npy"))[3], [float("inf"), float("inf"), 5, 3])
        self.assertIn("note: 2 elements of C.npy are infinite or not a number", out)

    def test_output_over_input(self):
        self.put("A.npy", npy(2, 2, [1, 2, 3, 4]))
        self.succeed("matmul", "A.npy", "A.npy", "-o", "A.npy", "--add", "A.npy", "--device", DEVICE)
        self.assertEqual(parse_npy(self.get("A.npy"))[3], [8, 12, 18, 26])
        self.assertEqual(os.listdir(self.folder), ["A.npy"])

    def test_output_through_link_keeps_link_and_mode(self):
        self.put("A.npy", npy(1, 1, [3]))
        os.mkdir(os.path.join(self.folder, "results"))
        self.put("results/old.npy", b"old")
        os.chmod(os.path.join(self.folder, "results/old.npy"), 0o640)
        os.symlink("results/old.npy", os.path.join(self.folder, "C.npy"))
        self.succeed("matmul", "A.npy", "A.npy", "-o", "C.npy", "--device", DEVICE)
        self.assertTrue(os.path.islink(os.path.join(self.folder, "C.npy")))
        self.assertEqual(parse_npy(self.get("results/old.npy"))[3], [9])
        self.assertEqual(os.stat(os.path.join(self.folder, "results/old.npy")).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(os.path.join(self.folder, "results")), ["old.npy"])

    def test_output_through_dangling_links(self):
        self.put("A.npy", npy(1, 1, [3]))
        os.mkdir(os.path.join(self.folder, "results"))
        os.symlink("../second.npy", os.path.join(self.folder, "results", "first.npy"))
        os.symlink(os.path.join(self.folder, "new.npy"), os.path.join(self.folder, "second.npy"))
        self.succeed("matmul", "A.npy", "A.npy", "-o", "results/first.npy", "--device", DEVICE)
        self.assertEqual(parse_npy(self.get("new.npy"))[3], [9])
        self.assertTrue(os.path.islink(os.path.join(self.folder, "second.npy")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["A.npy", "new.npy", "results", "second.npy"])

    def test_signals_wait_for_the_file(self):
        """An interrupt while C is written ends the command when C is whole, whatever thread it comes to."""
        size = 2000
        self.put("A.npy", npy(size, 1, [1] * size))
        self.put("B.npy", npy(1, size, [2] * size))
        wanted = npy(size, size, [2] * (size * size))
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            for threads in "1", "3":
                interrupted = 0
                for _ in range(20):
                    self.put("C.npy", b"old")
                    process = subprocess.Popen(
                        [SUBWAVE, "matmul", "A.npy", "B.npy", "-o", "C.npy", "--quiet", "--device", DEVICE],
                        cwd=self.folder, env=dict(os.environ, SUBWAVE_CPU_THREADS=threads))
                    while process.poll() is None:
                        if any(name.startswith(".subwave-") for name in os.listdir(self.folder)):
                            process.send_signal(number)
                            break
                    status = process.wait()
                    self.assertIn(status, (0, -number))
                    self.assertEqual(self.get("C.npy"), wanted)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["A.npy", "B.npy", "C.npy"])
                    interrupted += status == -number
                    if interrupted == 2:
                        break
                self.assertGreater(interrupted, 0, "no signal came while C was written")

    def test_names_after_two_dashes(self):
        self.put("-A.npy", npy(1, 1, [3]))
        self.succeed("matmul", "--output=C.npy", "--device", DEVICE, "--", "-A.npy", "-A.npy")
        self.assertEqual(parse_npy(self.get("C.npy"))[3], [9])

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_files_from_numpy(self):
        for dtype in "f2", "f4", ">f8":
            for version in (1, 0), (2, 0), (3, 0):
                a = numpy.asfortranarray(numpy.arange(12).reshape(3, 4).astype(dtype))
                b = numpy.arange(20).reshape(4, 5).astype(dtype)
                for name, array in ("A.npy", a), ("B.npy", b):
                    with open(os.path.join(self.folder, name), "wb") as file:
                        numpy.lib.format.write_array(file, array, version=version)
                self.succeed("matmul", "A.npy", "B.npy", "-o", "C.npy", "--device", DEVICE)
                self.assertEqual(parse_npy(self.get("C.npy"))[3], (a @ b).ravel().tolist())


GOOD = npy(2, 2, [1, 2, 3, 4])
ZEROS = bytes(16)

# name of the case: (contents of A.npy, what the message must say)
BAD_FILES = {
    "empty": (b"", "the file is empty"),
    "few bytes": (GOOD[:4], "too short"),
    "cut in the prefix": (GOOD[:9], "truncated in its header"),
    "cut in the header": (GOOD[:40], "truncated in its header"),
    "cut before the elements": (GOOD[:-16], "truncated: 2 x 2 elements of 4 bytes are 16 bytes, but 0"),
    "cut in the elements": (GOOD[:-1], "truncated"),
    "garbage behind": (GOOD + b"x", "goes on after its matrix"),
    "wrong magic": (b"\x94" + GOOD[1:], "no .npy file"),
    "text": (b"1 2\n3 4\n1 2 3 4 5 6 7 8 9\n", "no .npy file"),
    "archive": (b"PK\x03\x04" + bytes(60), "npz archive"),
    "version 0": (GOOD[:6] + b"\x00" + GOOD[7:], r"version is 0\.0"),
    "version 4": (GOOD[:6] + b"\x04" + GOOD[7:], r"version is 4\.0"),
    "version 1.1": (GOOD[:7] + b"\x01" + GOOD[8:], r"version is 1\.1"),
    "header length 0": (header("", length=0), "no dictionary"),
    "header length 4 GiB": (header(describe(), 2, length=0xFFFFFFFF) + ZEROS, "truncated in its header"),
    "header length 16 MiB": (header(describe(), 2, length=1 << 24) + ZEROS, "truncated in its header"),
    "header of 2 MiB": (header(describe() + " " * 2**21, 2) + ZEROS, "at most"),
    "no dictionary": (header("[1, 2]") + ZEROS, "no dictionary"),
    "open dictionary": (header("{'descr': '<f4'") + ZEROS, "malformed"),
    "missing key": (header("{'descr': '<f4', 'shape': (2, 2), }") + ZEROS, "no 'fortran_order'"),
    "unknown key": (header("{'descr': '<f4', 'units': 'm', }") + ZEROS, "unknown key 'units'"),
    "key twice": (header("{'descr': '<f4', 'descr': '<f4', }") + ZEROS, "'descr' twice"),
    "text after the dictionary": (header(describe() + " + 1") + ZEROS, "goes on after its dictionary"),
    "integers of 16 bits": (header(describe("<i2")) + ZEROS, "the elements are '<i2'; subwave takes float16"),
    "long double": (header(describe("<f16")) + ZEROS, "'<f16'"),
    "complex without its other half": (header(describe("<c8")) + ZEROS, "truncated: 2 x 2 elements of 8 bytes"),
    "long double": (header(describe("<f16")) + ZEROS, "'<f16'"),
    "booleans": (header(describe("|b1")) + ZEROS, r"'\|b1'"),
    "strings": (header(describe("<U4")) + ZEROS, "'<U4'"),
    "objects": (header(describe("|O")) + ZEROS, r"'\|O'"),
    "structures": (header(describe([("x", "<f4"), ("y", "<f4")])) + ZEROS, "structures"),
    "1-D": (header(describe(shape="(4,)")) + ZEROS, "1 dimension; a matrix has 2"),
    "0-D": (header(describe(shape="()")) + ZEROS, "0 dimensions"),
    "3-D": (header(describe(shape="(2, 2, 1)")) + ZEROS, "3 dimensions"),
    "negative size": (header(describe(shape="(-2, 2)")) + ZEROS, "negative"),
    "size that is no number": (header(describe(shape="(2, 'x')")) + ZEROS, "not a tuple of numbers"),
    "shape as a list": (header(describe(shape="[2, 2]")) + ZEROS, "not a tuple"),
    "10^12 elements": (header(describe(shape="(1000000, 1000000)")) + ZEROS, "truncated: 1000000 x 1000000"),
    "product beyond 64 bits": (header(describe(shape="(4294967296, 4294967297)")) + ZEROS, "address space"),
    "size beyond 64 bits": (header(describe(shape="(2, 18446744073709551618)")) + ZEROS, "beyond 64 bits"),
    "order that is no truth value": (header(describe(order="'C'")) + ZEROS, "neither True nor False"),
}


ALL_FORMATS = {**FORMATS, "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}


def npy_array(shape, numbers, descr="<f8", version=1, order="False"):
    """A file with these numbers, of complex types real and imaginary parts in turn, as they lie."""
    form = COMPLEX.get(descr[1:]) or ALL_FORMATS[descr[1:]]
    packed = struct.pack((">" if descr[0] == ">" else "<") + str(len(numbers)) + form, *numbers)
    return header(describe(descr, order, str(tuple(shape))), version) + packed


class Arrays(Command):
    def value(self, *arguments):
        """What is printed as the result, which --quiet prints alone."""
        quiet = self.succeed(*arguments, "--quiet", "--device", DEVICE)
        lines = self.succeed(*arguments, "--device", DEVICE).splitlines()
        self.assertEqual(quiet, lines[0] + "\n")
        self.assertRegex(lines[1], r"^x\.npy: %s of \d+ elements, \w+; %s; [\d.]+ \w+$" % (arguments[0], DEVICE))
        return quiet.strip()

    def test_reduce(self):
        for kind in ALL_FORMATS:
            for order in "<", ">":
                numbers = [i % 7 + 1 for i in range(24)]
                self.put("x.npy", npy_array((2, 3, 4), numbers, order + kind, version=3))
                self.assertEqual(self.value("reduce", "x.npy"), str(sum(numbers)))
                self.assertEqual(self.value("reduce", "x.npy", "--op", "maximum", "--order", "device"), "7")
        self.put("x.npy", npy_array((3,), [-5, 3, 2], "<i8"))
        self.assertEqual(self.value("reduce", "x.npy", "--op", "minimum"), "-5")
        self.put("x.npy", npy_array((2,), [2 ** 64 - 1, 5], "<u8"))
        self.assertEqual(self.value("reduce", "x.npy", "--op", "maximum"), "18446744073709551615")
        self.put("x.npy", npy_array((), [0.1]))
        self.assertEqual(self.value("reduce", "x.npy"), "0.10000000000000001")
        self.put("x.npy", npy_array((5, 0), []))
        self.assertEqual(self.value("reduce", "x.npy"), "0")

    def test_dot_norm_and_index(self):
        self.put("x.npy", npy_array((2, 2), [1, 2, 3, 4], ">f4"))
        self.put("y.npy", npy_array((4,), [5, 6, 7, 8], "<f4"))
        self.assertEqual(self.value("dot", "x.npy", "y.npy"), "70")
        self.assertEqual(self.value("minmax_index", "x.npy", "--op", "maximum"), "4 at 3")
        self.put("x.npy", npy_array((2,), [3, 4, 0, 12], ">c16"))
        self.assertEqual(self.value("norm2", "x.npy"), "13")
        self.assertEqual(self.value("dot", "x.npy", "x.npy", "--conjugation", "first"), "169 0")
        self.assertEqual(self.value("dot", "x.npy", "x.npy"), "-151 24")
        self.put("x.npy", npy_array((4,), [5, -3, -3, 9], "<i2"))
        self.assertEqual(self.value("minmax_index", "x.npy"), "-3 at 1")

    def test_scan(self):
        for kind in ALL_FORMATS:
            numbers = [i % 3 for i in range(20)]
            self.put("x.npy", npy_array((4, 5), numbers, ">" + kind, order="True"))
            out = self.succeed("scan", "x.npy", "-o", "y.npy", "--scan", "exclusive", "--device", DEVICE)
            self.assertRegex(out, r"^y\.npy: scan of 20 elements, \w+; ")
            upto = [sum(numbers[:i]) for i in range(20)]
            descr = ("|" if kind[1] == "1" else "<") + kind
            written = npy_array((4, 5), upto, descr, order="True")
            self.assertEqual(self.get("y.npy")[10:].strip(), written[10:].strip())
        self.put("x.npy", npy_array((3,), [1, 2, 3]))
        self.assertEqual(self.succeed("scan", "x.npy", "-o", "x.npy", "--op", "multiplies", "--quiet", "--device", DEVICE), "")
        self.assertEqual(self.get("x.npy"), npy_array((3,), [1, 2, 6]))

    def test_selections(self):
        for kind in ALL_FORMATS:
            numbers = [i // 2 % 3 for i in range(20)]
            self.put("x.npy", npy_array((4, 5), numbers, ">" + kind, order="True"))
            self.put("f.npy", npy_array((20,), [i % 3 for i in range(20)], "|i1", order="True"))
            written = lambda cells: npy_array((len(cells),), cells, ("|" if kind[1] == "1" else "<") + kind)
            out = self.succeed("compact", "x.npy", "-o", "y.npy", "--flags", "f.npy", "--device", DEVICE)
            self.assertRegex(out, r"^y\.npy: compact of 20 elements, 13 left, \w+; ")
            self.assertEqual(self.get("y.npy"), written([numbers[i] for i in range(20) if i % 3]))
            for name, kept in ("greater", [2]), ("less_equal", [0, 1]), ("not_equal", [0, 2]):
                self.succeed("compact", "x.npy", "-o", "y.npy", "--than", "1", "--comparison", name, "--device", DEVICE)
                self.assertEqual(self.get("y.npy"), written([x for x in numbers if x in kept]))
            self.assertEqual(self.succeed("unique", "x.npy", "-o", "x.npy", "--quiet", "--device", DEVICE), "")
            self.assertEqual(self.get("x.npy"), written(numbers[::2]))
        self.put("x.npy", npy_array((3,), [1, 2, 3], "|u1"))
        self.succeed("compact", "x.npy", "-o", "y.npy", "--than", "3", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((0,), [], "|u1"))
        self.refuse(1, "x.npy is of u8, which has no 2.5", "compact", "x.npy", "-o", "out.npy", "--than", "2.5",
                    "--device", DEVICE)
        self.refuse(1, "x.npy is of u8, which has no -1", "compact", "x.npy", "-o", "out.npy", "--than", "-1",
                    "--device", DEVICE)
        self.refuse(1, "f.npy is 20 of i8; the flags of x.npy are 3 of bool, u8 or i8", "compact", "x.npy", "-o", "out.npy",
                    "--flags", "f.npy", "--device", DEVICE)
        self.refuse(2, "it takes --flags FLAGS.npy or --than X", "compact", "x.npy", "-o", "out.npy")
        self.refuse(2, "it takes --flags FLAGS.npy or --than X", "compact", "x.npy", "-o", "out.npy", "--than", "1",
                    "--flags", "f.npy")
        self.refuse(2, "--than is a complex number", "compact", "x.npy", "-o", "out.npy", "--than", "1,2")
        self.put("c.npy", npy_array((2,), [1, 2, 1, 2], "<c8"))
        self.refuse(1, "compact_if compares real numbers", "compact", "c.npy", "-o", "out.npy", "--than", "1",
                    "--device", DEVICE)
        self.succeed("unique", "c.npy", "-o", "y.npy", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((1,), [1, 2], "<c8"))

    def test_partition(self):
        for kind in ALL_FORMATS:
            numbers = [i % 5 for i in range(30)]
            self.put("x.npy", npy_array((30,), numbers, ">" + kind))
            self.put("f.npy", header(describe("|b1", "False", "(30,)")) + bytes(i % 3 == 0 for i in range(30)))
            written = lambda cells: npy_array((len(cells),), cells, ("|" if kind[1] == "1" else "<") + kind)
            out = self.succeed("partition", "x.npy", "-o", "y.npy", "--rest", "z.npy", "--flags", "f.npy",
                               "--device", DEVICE)
            self.assertRegex(out, r"^y\.npy: partition of 30 elements, 10 left, \w+; ")
            self.assertEqual(self.get("y.npy"), written(numbers[::3]))
            self.assertEqual(self.get("z.npy"), written([x for i, x in enumerate(numbers) if i % 3]))
            self.succeed("partition", "x.npy", "-o", "y.npy", "--rest", "z.npy", "--than", "3", "--comparison", "less",
                         "--device", DEVICE)
            self.assertEqual(self.get("y.npy"), written([x for x in numbers if x < 3]))
            self.assertEqual(self.get("z.npy"), written([x for x in numbers if x >= 3]))
        self.refuse(2, "--rest REST.npy is missing", "partition", "x.npy", "-o", "y2.npy", "--than", "0")
        self.refuse(1, "cannot write in the folder", "partition", "x.npy", "-o", "y2.npy", "--rest", "no/z.npy",
                    "--than", "0")
        self.put("f.npy", npy_array((30,), [1] * 30, "<i4"))
        self.refuse(1, "f.npy is 30 of i32; the flags of x.npy are 30 of bool, u8 or i8", "partition", "x.npy", "-o",
                    "y2.npy", "--rest", "z2.npy", "--flags", "f.npy", "--device", DEVICE)

    def test_rows(self):
        for kind in ALL_FORMATS:
            numbers = [i % 11 for i in range(24)]
            descr = ("|" if kind[1] == "1" else "<") + kind
            for order, shape, rest in ("False", (2, 3, 4), (2, 3)), ("True", (4, 3, 2), (3, 2)):
                self.put("x.npy", npy_array(shape, numbers, ">" + kind, order=order))
                out = self.succeed("row_reduce", "x.npy", "-o", "y.npy", "--device", DEVICE)
                self.assertRegex(out, r"^y\.npy: row_reduce of 24 elements, \w+; ")
                sums = [sum(numbers[i:i + 4]) for i in range(0, 24, 4)]
                self.assertEqual(self.get("y.npy"), npy_array(rest, sums, descr, order=order))
                self.succeed("row_scan", "x.npy", "-o", "y.npy", "--scan", "exclusive", "--device", DEVICE)
                self.assertEqual(self.get("y.npy"), npy_array(shape, [sum(numbers[i // 4 * 4:i]) for i in range(24)],
                                                              descr, order=order))
                found = [max((numbers[i + k], -k) for k in range(4)) for i in range(0, 24, 4)]
                if kind[0] != "c":
                    self.succeed("row_minmax_index", "x.npy", "-o", "y.npy", "--at", "i.npy", "--op", "maximum",
                                 "--device", DEVICE)
                    self.assertEqual(self.get("y.npy"), npy_array(rest, [value for value, _ in found], descr, order=order))
                    self.assertEqual(self.get("i.npy"), npy_array(rest, [-at for _, at in found], "<i8", order=order))
        self.refuse(2, "--at PLACES.npy is missing", "row_minmax_index", "x.npy", "-o", "z.npy")
        self.put("x.npy", npy_array((3,), [1, 5, 2]))
        self.succeed("row_reduce", "x.npy", "-o", "y.npy", "--op", "maximum", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((), [5]))
        self.put("x.npy", npy_array((3, 0), []))
        self.succeed("row_reduce", "x.npy", "-o", "y.npy", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((3,), [0, 0, 0]))
        self.succeed("row_minmax_index", "x.npy", "-o", "y.npy", "--at", "i.npy", "--device", DEVICE)
        self.assertEqual(self.get("i.npy"), npy_array((3,), [-1, -1, -1], "<i8"))
        self.succeed("row_scan", "x.npy", "-o", "y.npy", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((3, 0), []))
        self.put("x.npy", npy_array((), [1]))
        self.refuse(1, "x.npy: the array has 0 dimensions, and so no rows", "row_reduce", "x.npy", "-o", "z.npy",
                    "--device", DEVICE)
        self.put("x.npy", npy_array((2 ** 40, 2 ** 40, 0), []))
        self.refuse(1, "the rows exceed the address space", "row_reduce", "x.npy", "-o", "z.npy", "--device", DEVICE)
        self.put("x.npy", npy_array((2 ** 50, 2 ** 10, 0), []))
        self.refuse(1, "no memory for a result of %d elements" % 2 ** 60, "row_reduce", "x.npy", "-o", "z.npy",
                    "--device", DEVICE)

    def test_segments(self):
        numbers = list(range(1, 21))
        self.put("x.npy", npy_array((4, 5), numbers, ">i4"))
        offsets = [0, 3, 3, 10, 20]
        for descr in ">i4", "<i8":
            self.put("o.npy", npy_array((5,), offsets, descr))
            self.succeed("segmented_reduce", "x.npy", "o.npy", "-o", "y.npy", "--device", DEVICE)
            self.assertEqual(self.get("y.npy"), npy_array((4,), [sum(numbers[a:b]) for a, b in zip(offsets, offsets[1:])],
                                                          "<i4"))
        self.put("o.npy", npy_array((1,), [0], "<i8"))
        self.succeed("segmented_reduce", "x.npy", "o.npy", "-o", "y.npy", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((0,), [], "<i4"))
        for wrong, text in ((0, "<i8"), "0 of i64"), ((2, "<f8"), "2 of f64"):
            self.put("o.npy", npy_array((wrong[0],), [0] * wrong[0], wrong[1]))
            self.refuse(1, f"o.npy is {text}; the offsets of s segments are s \\+ 1 of i32 or i64", "segmented_reduce",
                        "x.npy", "o.npy", "-o", "z.npy", "--device", DEVICE)

    def test_scan_of_segments(self):
        numbers = list(range(1, 11))
        self.put("x.npy", npy_array((2, 5), numbers, "<i4"))
        self.put("o.npy", npy_array((4,), [1, 4, 4, 9], "<i8"))
        for scan, right in ("inclusive", [1, 2, 5, 9, 5, 11, 18, 26, 35, 10]), ("exclusive", [1, 0, 2, 5, 0, 5, 11, 18, 26, 10]):
            self.succeed("segmented_scan", "x.npy", "o.npy", "-o", "y.npy", "--scan", scan, "--device", DEVICE)
            self.assertEqual(self.get("y.npy"), npy_array((2, 5), right, "<i4"))

    def test_histogram(self):
        def table(*arguments):
            out = self.succeed("histogram", "x.npy", *arguments, "--quiet", "--device", DEVICE)
            return [tuple(map(float, line.split())) for line in out.splitlines()]

        for kind in ALL_FORMATS:
            numbers = [i % 9 for i in range(100)]
            self.put("x.npy", npy_array((10, 10), numbers, ">" + kind))
            self.put("b.npy", npy_array((4,), [1, 3, 4, 8], "<" + kind))
            self.assertEqual(table("--bins", "4"),
                             [(2 * b, 2 * b + 2, sum(2 * b <= x < 2 * b + 2 + (b == 3) for x in numbers)) for b in range(4)])
            self.assertEqual(table("--bins", "2", "--range", "1,5"),
                             [(1, 3, sum(1 <= x < 3 for x in numbers)), (3, 5, sum(3 <= x <= 5 for x in numbers))])
            bounded = [(a, b, sum(a <= x < b + (b == 8) for x in numbers)) for a, b in ((1, 3), (3, 4), (4, 8))]
            self.assertEqual(table("--boundaries", "b.npy"), bounded)
            out = self.succeed("histogram", "x.npy", "-o", "y.npy", "--boundaries", "b.npy", "--device", DEVICE)
            self.assertRegex(out, r"^y\.npy: histogram of 100 elements, \w+; ")
            self.assertEqual(self.get("y.npy"), npy_array((3,), [count for _, _, count in bounded], "<i8"))
        self.put("x.npy", npy_array((2,), [3, 3]))
        self.assertEqual(table("--bins", "1"), [(2.5, 3.5, 2)])
        self.assertEqual(len(table()), 10)
        self.put("x.npy", npy_array((0,), []))
        self.assertEqual(table("--bins", "1"), [(0, 1, 0)])
        self.put("x.npy", npy_array((2,), [1, float("inf")]))
        self.assertEqual(table("--bins", "1", "--range", "0,2"), [(0, 2, 1)])
        self.refuse(1, "upper is inf: they must be finite", "histogram", "x.npy", "--device", DEVICE)
        self.refuse(1, "bins is 0", "histogram", "x.npy", "--bins", "0", "--range", "0,1", "--device", DEVICE)
        for wrong in "1", "2,1", "1,1", "0,inf", "a,b":
            self.refuse(2, "LOWER,UPPER, the lesser one first", "histogram", "x.npy", "--range", wrong)
        self.refuse(2, "it takes --bins COUNT or --boundaries B.npy", "histogram", "x.npy", "--bins", "3",
                    "--boundaries", "b.npy")
        self.refuse(2, "it takes --range LOWER,UPPER or --boundaries", "histogram", "x.npy", "--range", "0,3",
                    "--boundaries", "b.npy")
        self.put("b.npy", npy_array((1,), [1]))
        self.refuse(1, "b.npy is 1 of f64; the boundaries of b bins are b \\+ 1 of f64", "histogram", "x.npy",
                    "--boundaries", "b.npy", "--device", DEVICE)
        self.put("c.npy", npy_array((2,), [1, 2, 1, 2], "<c8"))
        self.refuse(1, "c32", "histogram", "c.npy", "--device", DEVICE)

    def test_transpose(self):
        for fortran in False, True:
            for descr in "<f2", ">f4", "<f8", ">i4":
                cells = list(range(15))
                self.put("x.npy", npy(3, 5, cells, descr, fortran))
                self.succeed("transpose", "x.npy", "-o", "y.npy", "--device", DEVICE)
                written = npy(5, 3, flip(3, 5, cells), "<" + descr[1:], fortran)
                self.assertEqual(self.get("y.npy"), written)
        self.put("x.npy", npy_array((2, 2), [1, 2, 3, 4, 5, 6, 7, 8], ">c8"))
        self.succeed("transpose", "x.npy", "-o", "y.npy", "--device", DEVICE)
        self.assertEqual(self.get("y.npy"), npy_array((2, 2), [1, 2, 5, 6, 3, 4, 7, 8], "<c8"))

    def test_refusals(self):
        self.put("x.npy", npy_array((3,), [1, 2, 3]))
        self.put("y.npy", npy_array((4,), [1, 2, 3, 4]))
        self.put("c.npy", npy_array((1,), [1, 2], "<c8"))
        self.put("short.npy", npy_array((3,), [1, 2, 3])[:-1])
        self.put("bool.npy", header(describe("|b1", "False", "(1,)")) + b"\1")
        self.put("many.npy", header(describe("<f8", "False", str((1,) * 33))) + bytes(8))
        self.put("huge.npy", header(describe("<f8", "False", str((2 ** 40, 2 ** 40)))))
        self.refuse(1, "x.npy is 3 of f64, y.npy is 4 of f64; both must be the same", "dot", "x.npy", "y.npy")
        self.refuse(1, "c32, which has no op plus", "reduce", "c.npy", "--device", DEVICE)
        self.refuse(1, "the file is truncated", "norm2", "short.npy")
        self.refuse(1, r"the elements are '\|b1'; subwave takes int8 to int64", "reduce", "bool.npy")
        self.refuse(1, "33 dimensions; at most 32", "reduce", "many.npy")
        self.refuse(1, "exceeds the address space", "reduce", "huge.npy")
        self.refuse(1, "cannot open", "scan", "none.npy", "-o", "out.npy")
        self.refuse(1, "the array has 1 dimension; a matrix has 2", "transpose", "x.npy", "-o", "out.npy")
        self.refuse(1, "cannot write in the folder", "scan", "x.npy", "-o", "no/out.npy")
        self.refuse(2, "-o OUT.npy is missing", "scan", "x.npy")
        self.refuse(2, "\"-\" is no file", "reduce", "-")
        self.refuse(2, "--op is \"plus\"; it takes minimum or maximum", "minmax_index", "x.npy", "--op", "plus")
        self.refuse(2, "unknown option \"-o\"", "reduce", "x.npy", "-o", "y.npy")
        self.refuse(2, "Y.npy is missing", "dot", "x.npy")


class MatmulRefusals(Command):
    """Each case once without an output file and once with one, which must stay as it is."""

    def setUp(self):
        super().setUp()
        self.put("A.npy", GOOD)
        self.put("B.npy", GOOD)

    def refuse(self, *arguments, **options):
        super().refuse(*arguments, **options)
        self.put("C.npy", b"precious")
        super().refuse(*arguments, **options)
        os.unlink(os.path.join(self.folder, "C.npy"))

    def matmul(self, status, message, *options, output="C.npy", a="A.npy", b="B.npy", **rest):
        self.refuse(status, message, "matmul", a, b, "-o", output, "--device", DEVICE, *options, **rest)

    def test_bad_files(self):
        for name, (contents, message) in BAD_FILES.items():
            with self.subTest(name):
                self.put("A.npy", contents)
                self.matmul(1, "A.npy: .*" + message)
        with self.subTest("as B and as C0"):
            self.put("A.npy", GOOD)
            self.put("B.npy", GOOD[:-1])
            self.matmul(1, "B.npy: the file is truncated")
            self.matmul(1, "B.npy: the file is truncated", "--add", "B.npy", b="A.npy")

    def test_integers(self):
        bytes_, words = npy(2, 2, [1, 2, 3, 4], "|i1"), npy(2, 2, [1, 2, 3, 4], "<i4")
        for name in "A.npy", "B.npy":
            self.put(name, bytes_)
        self.put("C0.npy", bytes_)
        self.matmul(1, "C0.npy: is 2 x 2 of i8, but the product is 2 x 2 of i32", "--add", "C0.npy")
        for factor in "0.5", "3e9", "-2147483649":
            self.matmul(1, "--alpha is no int32, the type of factors where A.npy is of i8", "--alpha", factor)
        self.matmul(1, "--alpha is a complex number, but A.npy is of i8", "--alpha", "1,2")
        self.put("A.npy", words)
        self.matmul(1, "A.npy is i32 but B.npy is i8; both must have the same type")
        self.put("B.npy", words)
        self.matmul(1, "dtype is i32; subwave_matmul by variant auto takes")

    def test_inputs_that_are_no_files(self):
        self.matmul(1, "missing.npy: cannot open: No such file", a="missing.npy")
        self.matmul(1, "cannot open: Not a directory", a="A.npy/x")
        self.matmul(1, ": this is a directory", a=".")
        self.matmul(1, "/dev/null: this is not a regular file", a="/dev/null")
        os.mkfifo(os.path.join(self.folder, "pipe"))
        self.matmul(1, "pipe: this is not a regular file", b="pipe")
        self.matmul(2, "standard input", a="-")
        self.matmul(2, "standard input", "--add", "-")

    def test_mismatches(self):
        self.put("A.npy", npy(2, 3, range(6)))
        self.matmul(1, "do not match: A.npy is 2 x 3, B.npy is 2 x 2")
        self.matmul(1, "A.npy, transposed, is 3 x 2", "--transpose-b", a="B.npy", b="A.npy")
        self.put("A.npy", npy(3, 2, range(6)))
        self.matmul(1, "A.npy, transposed, is 2 x 3", "--transpose-a")
        self.put("A.npy", npy(2, 2, range(4), descr="<f8"))
        self.matmul(1, "A.npy is f64 but B.npy is f32")
        self.matmul(1, "A.npy: is 2 x 2 of f64, but the product is 2 x 2 of f32", "--add", "A.npy", a="B.npy")
        self.put("A.npy", npy(2, 3, range(6)))
        self.matmul(1, "A.npy: is 2 x 3 of f32, but the product is 2 x 2", "--add", "A.npy", a="B.npy")

    def test_outputs(self):
        os.mkdir(os.path.join(self.folder, "folder"))
        os.symlink("nowhere", os.path.join(self.folder, "dangling"))
        self.matmul(1, r"none/C.npy: cannot write in the folder \"none/.\": No such file", output="none/C.npy")
        self.matmul(1, "A.npy/C.npy: cannot write: Not a directory", output="A.npy/C.npy")
        self.matmul(1, "folder: cannot write: this is a directory", output="folder")
        self.matmul(1, "new/: cannot write", output="new/")
        os.symlink("loop", os.path.join(self.folder, "loop"))
        self.matmul(1, "loop: cannot write: Too many levels of symbolic links", output="loop")
        for name in "/nodir/.", "new/..", "..":
            self.matmul(1, "cannot write: this (names|is) a directory", output=name)
        self.matmul(1, "/dev/null: cannot write: this is not a regular file", output="/dev/null")
        self.matmul(1, "cannot write: File name too long", output="x" * 300)
        self.matmul(1, "cannot write: File name too long", output="x/" * 5000 + "C.npy")
        self.matmul(1, "/proc/C.npy: cannot write", output="/proc/C.npy")
        self.matmul(2, "standard input and output are not taken", output="-")
        self.matmul(2, "--output is \"\"; it takes", output="")
        self.matmul(1, "none/C.npy: cannot write", output="none/C.npy", a="missing.npy")  # told first
        if os.geteuid() != 0:
            os.chmod(os.path.join(self.folder, "folder"), 0o500)
            self.matmul(1, "Permission denied", output="folder/C.npy")

    def test_failing_write(self):
        """The temporary file is half written when the limit is met."""
        self.put("A.npy", npy(64, 64, [1] * 4096))
        self.matmul(1, "C.npy: cannot write: File too large", b="A.npy",
                    limits=[(resource.RLIMIT_FSIZE, 8192)])
        if BROKEN:  # what a disk owns to late
            self.matmul(1, "C.npy: cannot write: Input/output error", b="A.npy", LD_PRELOAD=BROKEN, SUBWAVE_BROKEN="disk")

    def test_too_large_for_memory(self):
        limits = [(resource.RLIMIT_AS, 4 << 30)]
        if self.run_command("--version", limits=limits).returncode != 0:
            self.skipTest("the command needs over 4 GiB of address space, as with a sanitizer")
        self.put("A.npy", npy(100000, 0, []))
        self.put("B.npy", npy(0, 100000, []))
        self.matmul(1, "C.npy: no memory for the product, 100000 x 100000", limits=limits)
        start = header(describe(shape="(40000, 50000)"))
        self.put("A.npy", start)
        os.truncate(os.path.join(self.folder, "A.npy"), len(start) + 8 * 10**9)
        self.matmul(1, "A.npy: no memory for 40000 x 50000 elements", limits=limits)

    def test_usage(self):
        usage = lambda message, *arguments, **environment: self.refuse(2, message, *arguments, **environment)
        usage("A.npy is missing", "matmul", "-o", "C.npy")
        usage("B.npy is missing", "matmul", "A.npy", "-o", "C.npy")
        usage("-o C.npy is missing", "matmul", "A.npy", "B.npy")
        usage("--output needs a value", "matmul", "A.npy", "B.npy", "-o")
        usage("--device needs a value", "matmul", "A.npy", "B.npy", "-o", "C.npy", "--device", "--quiet")
        usage("--output is given twice", "matmul", "A.npy", "B.npy", "-o", "C.npy", "-o", "C.npy")
        usage("unexpected argument \"x\"", "matmul", "A.npy", "B.npy", "x", "-o", "C.npy")
        for message, *options in (
                ("unknown option \"--fast\"", "--fast"),
                ("unknown option \"-q\"", "-q"),
                ("--quiet takes no value", "--quiet=yes"),
                ("--variant is \"fast\"; it takes auto, naive, local, broadcast, tutorial, matrix(,| or) skinny", "--variant",
                 "fast"),
                ("--alpha is \"one\"; it takes a finite number", "--alpha", "one"),
                ("--alpha is \"nan\"", "--alpha", "nan"),
                ("--alpha is \"1e999\"", "--alpha", "1e999"),
                ("--alpha is \"2x\"", "--alpha", "2x"),
                ("--beta needs --add", "--beta", "2")):
            with self.subTest(options):
                self.matmul(2, message + "(.|\n)*Try 'subwave matmul --help'", *options)
        self.matmul(1, "--alpha exceeds float32", "--alpha", "1e40")
        self.matmul(1, "--beta exceeds float32", "--beta", "-1e40", "--add", "A.npy")

    def test_devices(self):
        usage = ("matmul", "A.npy", "B.npy", "-o", "C.npy")
        self.refuse(2, "cpu:5", *usage, "--device", "cpu:5")
        self.refuse(2, "tpu", *usage, "--device", "tpu")
        self.refuse(2, "SUBWAVE_DEVICE is \"x\"", *usage, SUBWAVE_DEVICE="x")
        self.refuse(1, "gpu:99", *usage, "--device", "gpu:99")


class Bench(Command):
    FIELDS = ["case", "variant", "dtype", "layout", "transpose_a", "transpose_b", "m", "n", "k", "device",
              "architecture", "backend", "wave", "version", "plan", "repeats", "time_us", "gflops", "error",
              "bound", "ok"]

    def bench(self, *options, **environment):
        out = self.succeed("bench", "matmul", "--json", "--repeat", "1", *options, **environment)
        return [json.loads(line) for line in out.splitlines()]

    def test_every_combination_is_right(self):
        devices, waves = ["--device", DEVICE, "--peer"], {self.bench_one()["wave"]}
        if DEVICE.startswith("cpu"):
            devices, waves = ["--device", "cpu:4", "--device", "cpu:64"], {4, 64}
        for layout in "row", "column":
            for transposes in [], ["--transpose-a"], ["--transpose-b"], ["--transpose-a", "--transpose-b"]:
                rows = self.bench(*devices, "--layout", layout, *transposes, "--dtype", "f32", "--dtype", "f64",
                                  "--size", "7x9x5", "--size", "66")
                self.assertEqual(len(rows), 2 * 2 * (3 * len(waves) + 1))
                for row in rows:
                    self.assertEqual(list(row), self.FIELDS)
                    self.assertIs(row["ok"], True)
                    self.assertLessEqual(row["error"], row["bound"])
                    self.assertEqual(row["layout"], layout)
                    self.assertEqual(row["transpose_a"], "--transpose-a" in transposes)
                    self.assertEqual(row["transpose_b"], "--transpose-b" in transposes)
                    self.assertEqual(row["repeats"], 1)
                    self.assertGreater(row["time_us"]["median"], 0)
                self.assertEqual({(row["variant"], row["wave"]) for row in rows},
                                 {(v, w) for v in ("naive", "local", "broadcast") for w in waves} | {("plain", 1)})
                self.assertEqual({(row["m"], row["n"], row["k"]) for row in rows}, {(7, 9, 5), (66, 66, 66)})

    def test_types_of_16_bits(self):
        rows = self.bench("--device", DEVICE, "--dtype", "f16", "--dtype", "bf16", "--size", "7x9x5", "--size", "66")
        self.assertEqual([row["variant"] for row in rows], ["naive", "local", "broadcast"] * 4)  # no plain loop
        for row in rows:
            self.assertIs(row["ok"], True)
            self.assertGreater(row["error"], {"f16": 2**-14, "bf16": 2**-11}[row["dtype"]])  # C was rounded
            self.assertLess(row["bound"], {"f16": 2**-10, "bf16": 2**-7}[row["dtype"]])

    def test_times(self):
        row = self.bench_one("--repeat", "5")
        time = row["time_us"]
        self.assertEqual(row["repeats"], 5)
        self.assertTrue(time["min"] <= time["median"] <= time["max"])
        self.assertAlmostEqual(row["gflops"], 2 * 16**3 / time["median"] * 1e-3, delta=1e-4 * row["gflops"])
        self.assertEqual(self.bench_one("--min-time", "0")["repeats"], 1)

    def bench_one(self, *options):
        out = self.succeed("bench", "matmul", "--json", "--device", DEVICE, "--size", "16", "--variant", "local", *options)
        return json.loads(out.splitlines()[0])

    def test_empty_sizes(self):
        for size in "0", "0x3x4", "3x0x4", "3x4x0":
            for row in self.bench("--device", DEVICE, "--size", size):
                self.assertEqual((row["ok"], row["error"], row["gflops"]), (True, 0, 0))

    def test_partial_check(self):
        """More work than is checked whole; one variant keeps it short."""
        out = self.succeed("bench", "matmul", "--device", DEVICE, "--variant", "broadcast", "--size", "700",
                           "--min-time", "0")
        self.assertRegex(out, r"f32 700 x 700 x 700: checked 408 of 700 rows and 10000 elements at random")

    def test_table(self):
        ran = self.run_command("bench", "matmul", "--device", DEVICE, "--size", "20", "--min-time", "0.001")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        lines = ran.stdout.splitlines()
        self.assertEqual(lines[:2], ["C = A B, row-major", "cpu:8: CPU device, 8-lane waves, " + os.uname().machine])
        self.assertEqual(lines[3].split(), "device variant dtype m x n x k time min max GFLOP/s error".split())
        self.assertEqual([re.split("  +", line)[:2] for line in lines[4:8]],
                         [[DEVICE, "naive"], [DEVICE, "local"], [DEVICE, "broadcast"], ["host", "plain C loop"]])
        self.assertEqual(lines[-1], "f32 20 x 20 x 20: all elements checked; limit k eps = 2.4e-06")
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_plan(self):
        rows = self.bench("--device", DEVICE, "--variant", "auto", "--variant", "local", "--size", "100x300x7", "--peer")
        self.assertEqual([row["plan"] and row["plan"]["variant"] for row in rows], ["broadcast", "local", None])
        self.assertEqual(rows[1]["plan"], {"variant": "local", "tile": [1, 64], "blocks": 500})
        self.assertEqual(self.bench("--device", DEVICE, "--variant", "auto", "--size", "0")[0]["plan"], None)
        options = "bench", "matmul", "--device", DEVICE, "--size", "100x300x7", "--min-time", "0.001"
        table = self.succeed(*options, "--variant", "auto", "--no-check")
        plan = rows[0]["plan"]
        self.assertIn("\n\n%s, f32 100 x 300 x 7: auto is broadcast, %d blocks of %d x %d\n" % (
            DEVICE, plan["blocks"], *plan["tile"]), table)
        self.assertNotIn("auto is", self.succeed(*options, "--variant", "local"))

    def test_progress_goes_to_stderr(self):
        ran = self.run_command("bench", "matmul", "--device", DEVICE, "--size", "8", "--variant", "naive",
                               "--json", "--progress")
        self.assertEqual(ran.stderr.splitlines(), ["timing cpu:8 naive f32 8 x 8 x 8 ...",
                                                   "timing host plain C loop f32 8 x 8 x 8 ..."])
        for line in ran.stdout.splitlines():
            json.loads(line)

    def test_no_check(self):
        for row in self.bench("--device", DEVICE, "--size", "8", "--no-check"):
            self.assertEqual((row["error"], row["bound"], row["ok"]), (None, None, None))

    def test_logged_calls_can_be_replayed(self):
        self.put("A.npy", npy(3, 2, range(6), descr="<f8", fortran=True))
        self.put("B.npy", npy(3, 5, range(15), descr="<f8"))
        ran = self.run_command("matmul", "A.npy", "B.npy", "-o", "C.npy", "--transpose-a", "--device", "cpu:16",
                               "--variant", "local", SUBWAVE_LOG="2")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        lines = ran.stderr.splitlines()
        self.assertTrue(lines and all(line.startswith("subwave bench matmul --device cpu:16 ") for line in lines))
        rows = self.bench(*lines[-1].split()[3:])
        expected = dict(variant="local", dtype="f64", layout="row", transpose_a=False, transpose_b=False,
                        m=2, n=5, k=3, device="cpu:16", ok=True)
        self.assertEqual({key: rows[0][key] for key in expected}, expected)
        again = self.run_command("bench", "matmul", "--device", "cpu:4", "--variant", "naive", "--layout", "column",
                                 "--transpose-b", "--size", "3x4x5", "--min-time", "0", SUBWAVE_LOG="2")
        self.assertIn("subwave bench matmul --device cpu:4 --variant naive --dtype f32 --layout column "
                      "--transpose-b --size 3x4x5", again.stderr.splitlines())

    def replay(self, line):
        """Runs a logged command as it is, by a shell; its lines of JSON, and of its own log."""
        self.assertTrue(line.startswith("subwave bench "), line)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("SUBWAVE_")}
        ran = subprocess.run(["/bin/sh", "-c", line + " --json --repeat 1"], cwd=self.folder, text=True, capture_output=True,
                             env={**inherited, "PATH": self.folder + ":" + os.environ["PATH"], "SUBWAVE_LOG": "2"}, timeout=60)
        self.assertEqual(ran.returncode, 0, line + "\n" + ran.stdout + ran.stderr[-500:])
        return [json.loads(row) for row in ran.stdout.splitlines()], ran.stderr.splitlines()

    def test_every_logged_call_can_be_replayed(self):
        if not CALLS:
            self.skipTest("needs the program that makes every call")
        os.symlink(SUBWAVE, os.path.join(self.folder, "subwave"))
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls.c"), encoding="utf-8") as file:
            called = re.findall(r"expect\((?:subwave_)((?:matmul|group|reduce|scan|dot|norm2|minmax_index|row|segmented|scatter|transpose|histogram|compact|partition|unique|append)\w*)\(", file.read())
        called = [re.sub(r"^(histogram|append)_\w+$", r"\1", name) for name in called]
        ran = subprocess.run([CALLS, DEVICE], env={**os.environ, "SUBWAVE_LOG": "2", "LC_ALL": "C"}, text=True,
                             capture_output=True, timeout=60)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""), ran.stderr)
        lines = ran.stderr.splitlines()
        self.assertEqual(len(lines), 11 + 5 * 8 + 6 + 28)
        self.assertEqual({line.split()[2] for line in lines}, set(called))
        for line in lines:
            with self.subTest(line):
                self.assertRegex(line, r"^[a-z0-9+.,:_x -]+$")  # nothing that a shell reads otherwise
                rows, log = self.replay(line)
                self.assertTrue(line in log, line + " is not in " + "\n".join(log[:5]))
                self.assertIs(rows[0]["ok"], True)
                self.assertEqual(rows[0]["case"], line.split()[2])
                self.assertGreater(rows[0]["time_us"]["median"], 0)
        for part in ("matmul --device cpu:8 --variant broadcast --dtype c64 --layout column --conjugate-a --transpose-b "
                     "--size 3x2x4 --alpha 0.5,-2",
                     "group_reduce --dtype f64 --op maximum --device cpu:8 --kind sub_group --block 3x5x2 --size 480",
                     "reduce --dtype i16 --op bit_and --order device --init --size 77 --device cpu:8",
                     "scan --dtype u8 --op plus --scan exclusive --order device --init --size 5000 --device cpu:8",
                     "dot --dtype c64 --conjugation first --order fixed --size 100 --device cpu:8",
                     "norm2 --dtype bf16 --order device --size 333 --device cpu:8",
                     "minmax_index --dtype i32 --op maximum --size 1001 --device cpu:8",
                     "row_reduce --dtype f32 --op minimum --size 7x9 --ld 11 --device cpu:8",
                     "row_reduce --dtype u8 --op plus --size 3x500 --ld 500 --device cpu:8",
                     "row_scan --dtype f16 --op plus --scan exclusive --size 5x9 --ld 11,12 --device cpu:8",
                     "row_minmax_index --dtype bf16 --op maximum --size 7x9 --ld 11 --device cpu:8",
                     "histogram --dtype i16 --bins 10 --size 1001 --device cpu:8",
                     "histogram --dtype f32 --boundaries --bins 4 --size 1001 --device cpu:8",
                     "histogram --dtype f64 --weights --order fixed --bins 10 --size 1001 --device cpu:8",
                     "histogram --dtype i32 --weights --order any --boundaries --bins 4 --size 1001 --device cpu:8",
                     "append --dtype c64 --size 50 --device cpu:8",
                     "append --dtype f64 --comparison greater --size 1001 --device cpu:8",
                     "compact --dtype c64 --size 100 --device cpu:8",
                     "compact_if --dtype f64 --comparison greater_equal --size 1001 --device cpu:8",
                     "partition --dtype u16 --size 333 --device cpu:8",
                     "partition_if --dtype i8 --comparison not_equal --size 5000 --device cpu:8",
                     "unique --dtype f32 --size 1001 --device cpu:8",
                     "segmented_reduce --dtype i16 --op bit_or --offsets i32 --segments 3 --size 77 --device cpu:8",
                     "segmented_scan --dtype f64 --op maximum --scan exclusive --offsets i32 --segments 3 --size 77 "
                     "--device cpu:8",
                     "scatter_add --dtype f64 --order fixed --indices i32 --cells 50 --size 4 --device cpu:8",
                     "scatter_add --dtype u32 --order any --indices i64 --cells 9 --size 2 --device cpu:8",
                     "transpose --device cpu:8 --dtype f64 --layout column --size 5x7 --ld 6,7",
                     "transpose_strided_batched --device cpu:8 --dtype c32 --layout row --size 3x9 --ld 9,4 --batch 5 "
                     "--strides 0,36",
                     "group_info --device cpu:8 --kind tangle --block 60x1x1 --size 480 --branches 5 --members",
                     "group_scan --dtype i16 --op bit_xor --scan exclusive --init --device cpu:8 --kind fixed_size "
                     "--block 8x2x1 --size 480 --fixed-size 4",
                     "group_shift --dtype f32 --direction left --delta 4294967295 --device cpu:8 --kind fixed_size "
                     "--block 8x2x1 --size 480 --fixed-size 4",
                     "matmul --device cpu:8 --variant local --dtype f64 --layout column --transpose-a --transpose-b "
                     "--size 5x7x9 --ld 12,10,8 --alpha -3 --beta 9.9999999999999995e-08",
                     "matmul --device cpu:8 --variant auto --dtype f32 --layout row --transpose-b --size 5x7x3 --ld 4,3,7",
                     "matmul --device cpu:8 --variant skinny --dtype f32 --layout row --size 1x7x300 --ld 400,8,9 "
                     "--alpha 0.100000001 --beta 1",
                     "matmul --device cpu:8 --variant naive --dtype f16 --layout row --size 4x4x6 --alpha 0 "
                     "--beta 0.100000001",
                     "matmul_strided_batched --device cpu:8 --dtype f64 --layout row --size 2x3x4 --batch 8 --ld 4,3,30 "
                     "--strides -9,12,3 --alpha -3 --beta -3",
                     "matmul_batched --device cpu:8 --dtype c32 --layout column --conjugate-b --size 2x2x2 --batch 4 "
                     "--ld 2,2,3 --alpha 1,0.25 --beta 1,0.25",
                     "matmul_stacked --device cpu:8 --dtype f32 --layout row --transpose-a --size 2x3x2 --batch 2 "
                     "--offsets i32 --beta 1"):
            self.assertIn("subwave bench " + part, lines)

    def test_wrong_group_calls_are_found(self):
        """Every call of a group whose result stays as it was, of those kinds whose members are known by definition."""
        if not BROKEN:
            self.skipTest("needs a shared libsubwave")
        for operation in ("group_reduce", "group_scan", "group_broadcast", "group_shift", "group_permute", "group_select",
                          "group_vote", "group_info", "matmul_batched", "matmul_strided_batched", "matmul_stacked", "reduce", "scan", "dot",
                          "norm2", "minmax_index", "row_reduce", "row_scan", "row_minmax_index", "compact", "compact_if", "partition", "partition_if",
                          "unique", "append", "segmented_reduce", "segmented_scan", "scatter_add", "transpose", "transpose_strided_batched", "histogram"):
            ran = self.run_command("bench", operation, "--device", DEVICE, "--size", "8" if "matmul" in operation else "512",
                                   "--repeat", "1", LD_PRELOAD=BROKEN, SUBWAVE_BROKEN="nothing")
            self.assertEqual((ran.returncode, ran.stderr), (1, ""), operation)
            # y is read, and so begins as zeros and not as NaN
            self.assertIn("1.0e+00  WRONG" if operation == "scatter_add" else "inf  WRONG", ran.stdout, operation)

    def test_a_wrong_result_is_found(self):
        if not BROKEN:
            self.skipTest("needs a shared libsubwave")
        for way, word in ("nothing", "inf  WRONG"), ("zero", "1.0e+00  WRONG"), ("fail", "failed: "):
            ran = self.run_command("bench", "matmul", "--device", DEVICE, "--size", "8", "--variant", "auto",
                                   "--repeat", "1", LD_PRELOAD=BROKEN, SUBWAVE_BROKEN=way)
            self.assertEqual(ran.returncode, 1)
            self.assertIn(word, ran.stdout)
            ran = self.run_command("bench", "matmul", "--device", DEVICE, "--size", "8", "--variant", "auto",
                                   "--repeat", "1", "--json", LD_PRELOAD=BROKEN, SUBWAVE_BROKEN=way)
            self.assertEqual(ran.returncode, 1)
            rows = [json.loads(line) for line in ran.stdout.splitlines()]
            self.assertEqual([row["ok"] for row in rows], [False, True])
        self.put("A.npy", GOOD)
        self.refuse(1, "cpu:8: ", "matmul", "A.npy", "A.npy", "-o", "C.npy", "--device", DEVICE,
                    LD_PRELOAD=BROKEN, SUBWAVE_BROKEN="fail")

    def test_usage(self):
        usage = lambda message, *arguments: self.refuse(2, message + "(.|\n)*Try 'subwave bench.* --help'",
                                                        "bench", *arguments)
        usage("the operation is missing")
        usage("unknown operation \"sort\"", "sort")
        for message, *options in (
                ("unexpected argument \"1024\"", "1024"),
                ("unknown option \"--sizes\"", "--sizes", "3"),
                ("--size is \"12x13\"", "--size", "12x13"),
                ("--size is \"-1\"", "--size", "-1"),
                ("--size is \"1x2x3x4\"", "--size", "1x2x3x4"),
                ("--size is \"1x2x\"", "--size", "1x2x"),
                ("--size is \"99999999999999999999\"", "--size", "99999999999999999999"),
                ("--dtype is \"i16\"; it takes f16, bf16, f32, f64(,| or) i8", "--dtype", "i16"),
                ("--layout is \"C\"; it takes row or column", "--layout", "C"),
                ("--variant is \"unknown\"", "--variant", "unknown"),
                ("--repeat is \"0\"; it takes a number from 1 to 1000", "--repeat", "0"),
                ("--repeat is \"1.5\"", "--repeat", "1.5"),
                ("--min-time is \"-1\"; it takes seconds", "--min-time", "-1"),
                ("--min-time is \"inf\"", "--min-time", "inf"),
                ("--json takes no value", "--json=1"),
                ("--device is \"\"", "--device", ""),
                ("cpu:3", "--device", "cpu:8", "--device", "cpu:3"),
                ("--size is .* at most 64 values", *["--size", "1"] * 65)):
            with self.subTest(options[:4]):
                usage(message, "matmul", *options)
        for operation, message, *options in (
                ("matmul", "--ld is \"3,4\"; it takes three numbers, of A,B,C", "--ld", "3,4"),
                ("matmul", "--ld is \"3,4,5,6\"", "--ld", "3,4,5,6"),
                ("matmul", "--alpha is \"nan\"; it takes a finite number, or RE,IM", "--alpha", "nan"),
                ("matmul", "--beta is \"1,\"", "--beta", "1,"),
                ("matmul", "unknown option \"--batch\"", "--batch", "3"),
                ("matmul_batched", "unknown option \"--strides\"", "--strides", "1,2,3"),
                ("matmul_batched", "--batch is \"-1\"; it takes a number, 0 or more", "--batch", "-1"),
                ("matmul_strided_batched", "--dtype is \"f16\"; it takes f32, f64, c32(,| or) c64", "--dtype", "f16"),
                ("group_reduce", "--dtype is \"c32\"; it takes i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32(,| or) f64",
                 "--dtype", "c32"),
                ("group_reduce", "unknown option \"--scan\"", "--scan", "inclusive"),
                ("group_scan", "--scan is \"both\"; it takes inclusive or exclusive", "--scan", "both"),
                ("group_scan", "--op is \"minus\"; it takes plus, multiplies", "--op", "minus"),
                ("group_info", "unknown option \"--dtype\"", "--dtype", "f32"),
                ("group_info", "--kind is \"group\"; it takes sub_group, ballot", "--kind", "group"),
                ("group_info", "--block is \"8\"; it takes a block: XxYxZ work-items", "--block", "8"),
                ("group_info", "--size is \"8x8x8\"; it takes a number", "--size", "8x8x8"),
                ("group_vote", "--vote is \"some\"; it takes any, all or none", "--vote", "some"),
                ("group_shift", "--direction is \"up\"; it takes left or right", "--direction", "up"),
                ("group_shift", "--delta is \"4294967296\"; it takes a number from 0 to 4294967295", "--delta", "4294967296"),
                ("group_tangle", "unknown operation \"group_tangle\"")):
            with self.subTest(operation, options=options):
                usage(message, operation, *options)

    def test_what_the_library_refuses(self):
        for message, operation, *options in (
                ("lda is 3", "matmul", "--ld", "3,5,5", "--size", "5"),
                ("stride_c is 2", "matmul_strided_batched", "--strides", "0,0,2", "--size", "3"),
                ("n is 100, no multiple of the 256 work-items", "group_reduce", "--size", "100"),
                (r"group->block\[1\] is 0", "group_info", "--block", "3x0x1", "--size", "0"),
                ("group->fixed_size is 3, no positive power of two", "group_info", "--kind", "fixed_size", "--fixed-size", "3"),
                ("group->branches is 65", "group_vote", "--kind", "tangle", "--branches", "65"),
                ("op is bit_and, which dtype f32 does not have", "group_scan", "--op", "bit_and")):
            with self.subTest(operation, options=options):
                ran = self.run_command("bench", operation, "--device", DEVICE, "--repeat", "1", *options)
                self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
                self.assertRegex(ran.stdout, "failed: .*" + message)

    def test_calls_without_work(self):
        for operation, *options in (["matmul_batched", "--batch", "0"], ["matmul_strided_batched", "--size", "3x0x4"],
                                    ["matmul_batched", "--size", "3x4x0", "--beta", "2"], ["group_reduce", "--size", "0"],
                                    ["group_info", "--size", "0"]):
            with self.subTest(operation, options=options):
                self.succeed("bench", operation, "--device", DEVICE, "--repeat", "1", *options)

    def test_too_large(self):
        ran = self.run_command("bench", "matmul", "--device", DEVICE, "--size", "3000000000")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("no memory for the matrices of 3000000000 x 3000000000 x 3000000000", ran.stderr)


class InfoAndHelp(Command):
    def test_info_fits_a_screen(self):
        lines = self.succeed("info", SUBWAVE_DEVICE="cpu:16").splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertEqual([line.split()[1] for line in lines if line.startswith("* cpu:")], ["cpu:16"])
        for wave in 4, 8, 16, 32, 64:
            self.assertTrue(any(re.search(rf"^[* ] cpu:{wave} +CPU device, {wave}-lane waves", line) for line in lines))

    def test_info_json(self):
        about = json.loads(self.succeed("info", "--json", SUBWAVE_DEVICE="cpu:4"))
        self.assertEqual(about["default"], "cpu:4")
        self.assertRegex(about["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn(about["version"], about["build"])
        device = next(device for device in about["devices"] if device["id"] == "cpu:32")
        self.assertEqual((device["backend"], device["sub_group_sizes"], device["built_for"]), ("cpu", [32], True))
        self.assertGreater(device["memory_bytes"], 0)
        self.assertIn("fp64", device["aspects"])

    def test_info_without_a_default(self):
        ran = self.run_command("info", SUBWAVE_DEVICE="abacus")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("no default device: SUBWAVE_DEVICE is \"abacus\"", ran.stderr)
        self.assertIn("cpu:64", ran.stdout)

    def operations(self):
        names = re.search(r"^operations:\n(.*?)\n\n", self.succeed("bench", "--help"), re.M | re.S)[1].split()
        self.assertEqual(len(names), 32)
        return names

    def test_help_and_version(self):
        self.assertRegex(self.succeed("--version"), r"^subwave \d+\.\d+\.\d+, .*\n$")
        for arguments in ["--help"], ["-h"], ["info", "--help"], ["matmul", "--help"], ["matmul", "A", "-h"], \
                ["bench", "--help"], *([name, "--help"] for name in ("reduce", "dot", "norm2", "minmax_index", "scan", "row_reduce", "row_scan", "row_minmax_index",
                                                                    "segmented_reduce", "segmented_scan", "compact", "partition", "unique",
                                                                    "histogram", "transpose")), *(["bench", name, "--help"] for name in self.operations()):
            with self.subTest(arguments):
                out = self.succeed(*arguments)
                self.assertIn("usage:", out)
                self.assertLessEqual(max(map(len, out.splitlines())), 100)
                self.assertLessEqual(len(out.splitlines()), 30)

    def test_usage(self):
        self.refuse(2, "a command is missing")
        self.refuse(2, "unknown command \"frobnicate\"", "frobnicate")
        self.refuse(2, "unknown option \"--frobnicate\"", "--frobnicate")
        self.refuse(2, "unexpected argument \"x\"", "--version", "x")
        self.refuse(2, "unexpected argument \"x\"", "info", "x")
        self.refuse(2, "unknown option \"--xml\"", "info", "--xml")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            ran = subprocess.run([SUBWAVE, "info"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("cannot write to standard output", ran.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--subwave", required=True)
    parser.add_argument("--broken")
    parser.add_argument("--calls")
    parser.add_argument("--device", default=DEVICE)
    options, rest = parser.parse_known_args()
    CALLS = options.calls and os.path.abspath(options.calls)
    SUBWAVE, BROKEN = os.path.abspath(options.subwave), options.broken and os.path.abspath(options.broken)
    DEVICE = options.device
    known = json.loads(subprocess.run([SUBWAVE, "info", "--json"], capture_output=True, text=True).stdout)
    if DEVICE not in [device["id"] for device in known["devices"] if device["built_for"]]:
        print(f"skipped: there is no {DEVICE} here, or the library holds no code for it")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + rest)
