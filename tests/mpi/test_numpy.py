# SPDX-License-Identifier: MIT
"""test_numpy.py COMMAND...: products of random matrices by ranks, COMMAND being mpiexec and test_mpi_numpy, beside NumPy's."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: Python's numpy is missing (python3-numpy)")
    sys.exit(0)

DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "c32": numpy.complex64, "c64": numpy.complex128}
FORMS = {"n": lambda x: x, "t": lambda x: x.T, "c": lambda x: x.conj().T}


def draw(generator, dtype, rows, columns):
    x = generator.standard_normal((rows, columns))
    if dtype[0] == "c":
        x = x + 1j * generator.standard_normal((rows, columns))
    return x.astype(DTYPES[dtype])


def main():
    generator = numpy.random.default_rng(20261127)
    wrong = 0
    for dtype, m, n, k, of_a, of_b in (("f64", 61, 45, 83, "n", "n"), ("f32", 40, 77, 29, "t", "n"), ("c64", 33, 50, 64, "c", "t"),
                                       ("c32", 71, 18, 40, "n", "c")):
        a = draw(generator, dtype, *((m, k) if of_a == "n" else (k, m)))
        b = draw(generator, dtype, *((k, n) if of_b == "n" else (n, k)))
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in "ABC"]
            for x, path in ((a, paths[0]), (b, paths[1])):
                x.T.tofile(path)  # column by column
            subprocess.run(sys.argv[1:] + [dtype, str(m), str(n), str(k), of_a, of_b] + paths, check=True, stdout=subprocess.DEVNULL)
            c = numpy.fromfile(paths[2], dtype=DTYPES[dtype]).reshape(n, m).T
        wanted = FORMS[of_a](a.astype(complex)) @ FORMS[of_b](b.astype(complex))
        bound = (k + 4) * numpy.finfo(DTYPES[dtype]).eps * (numpy.abs(FORMS[of_a](a)) @ numpy.abs(FORMS[of_b](b)))
        worst = numpy.max(numpy.abs(c - wanted) / bound)
        print(f"{dtype} {m} x {n} x {k}, {of_a} {of_b}: {worst:.3g} of the bound")
        wrong += not worst <= 1
    sys.exit(wrong != 0)


main()
