# SPDX-License-Identifier: MIT
# test_environment.py: which BLAS computes a program's products, by the environment, and what it is told if none can.
"""Usage: test_environment.py --alone PROGRAM --followed PROGRAM --next LIBRARY --late LIBRARY --library LIBRARY [TEST...]

Both programs are multiply.c: linked with libsubwave_blas alone, and with the BLAS of next.c behind it.
--late has that BLAS by a usual name."""
import argparse
import os
import subprocess
import sys
import unittest

OPTIONS = None
THEIRS = "-1 -1\n"


def ours(n):
    return "%d %d\n" % (2 * n, 2 * n)


def run(program, *words, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUBWAVE_")}
    environment.update({"SUBWAVE_DEVICE": "cpu:8"}, **variables)
    return subprocess.run([program] + [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, timeout=60)


class Environment(unittest.TestCase):
    def computes(self, program, words, printed, **variables):
        """The program ends well and prints this. Returns its stderr."""
        done = run(program, *words, **variables)
        self.assertEqual((done.returncode, done.stdout), (0, printed), done.stderr)
        return done.stderr

    def stops(self, program, words, error, **variables):
        done = run(program, *words, **variables)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(error, done.stderr)

    def test_everything_is_ours_on_the_cpu_device(self):
        for program in OPTIONS.alone, OPTIONS.followed:
            for n in 1, 2, 30:
                self.assertEqual(self.computes(program, ["plain", n, 3], 3 * ours(n)), "")
                self.assertEqual(self.computes(program, ["batch", n, 3], 3 * ours(n)), "")

    def test_minimum(self):
        for value, n, printed in (("1000", 9, THEIRS), ("1000", 10, ours(10)), ("1001", 10, THEIRS), ("0", 1, ours(1)),
                                  ("", 1, ours(1)), ("9223372036854775807", 64, THEIRS)):
            with self.subTest(value=value, n=n):
                self.assertEqual(self.computes(OPTIONS.followed, ["plain", n], printed, SUBWAVE_BLAS_MIN=value), "")

    def test_minimum_counts_a_batch_as_a_whole(self):
        for value, printed in ("375", 3 * ours(5)), ("376", 3 * THEIRS):
            self.assertEqual(self.computes(OPTIONS.followed, ["batch", 5, 3], printed, SUBWAVE_BLAS_MIN=value), "")

    def test_minimum_without_a_next_blas(self):
        self.assertEqual(self.computes(OPTIONS.alone, ["plain", 5], ours(5), SUBWAVE_BLAS_MIN="1000000"), "")
        # next.c has no zgemm_
        self.computes(OPTIONS.followed, ["complex", 2], "0 8\n", SUBWAVE_BLAS_MIN="1000000")

    def test_next_blas_by_name(self):
        self.assertEqual(self.computes(OPTIONS.alone, ["plain", 5], THEIRS, SUBWAVE_BLAS_MIN="1000", SUBWAVE_BLAS_NEXT=OPTIONS.next),
                         "")
        self.assertEqual(self.computes(OPTIONS.alone, ["plain", 5], ours(5), SUBWAVE_BLAS_NEXT=OPTIONS.next), "")

    def test_next_blas_that_is_loaded_late(self):
        for library, printed in (OPTIONS.late, THEIRS), (OPTIONS.next, ours(5)):
            with self.subTest(library=library): # the latter has a name that no BLAS has
                self.assertEqual(self.computes(OPTIONS.alone, ["plain", 5, 1, library], printed, SUBWAVE_BLAS_MIN="1000"), "")

    def test_failures_go_to_the_next_blas_with_one_line(self):
        for name, value, reason in (("SUBWAVE_DEVICE", "cpu:7", 'SUBWAVE_DEVICE is "cpu:7"'),
                                    ("SUBWAVE_DEVICE", "gpu:99", "99"),
                                    ("SUBWAVE_LOG", "9", 'SUBWAVE_LOG is "9"'),
                                    ("SUBWAVE_BLAS_MIN", "1e6", 'SUBWAVE_BLAS_MIN is "1e6"'),
                                    ("SUBWAVE_BLAS_MIN", "-1", 'SUBWAVE_BLAS_MIN is "-1"'),
                                    ("SUBWAVE_BLAS_MIN", "9223372036854775808", "SUBWAVE_BLAS_MIN"),
                                    ("SUBWAVE_BLAS_COPY", "2", 'SUBWAVE_BLAS_COPY is "2"'),
                                    ("SUBWAVE_BLAS_NEXT", "/nowhere.so", 'SUBWAVE_BLAS_NEXT is "/nowhere.so"'),
                                    ("SUBWAVE_BLAS_NEXT", "libm.so.6", "it has no dgemm_"),
                                    ("SUBWAVE_BLAS_NEXT", OPTIONS.library, "that is this library")):
            with self.subTest(name=name, value=value):
                errors = self.computes(OPTIONS.followed, ["plain", 5, 3], 3 * THEIRS, **{name: value})
                self.assertEqual(errors.count("\n"), 1, errors)
                self.assertTrue(errors.startswith("libsubwave_blas: DGEMM: "), errors)
                self.assertIn(reason, errors)
                self.assertIn("the next BLAS computes this", errors)
                self.computes(OPTIONS.followed, ["batch", 5, 3], 3 * THEIRS, **{name: value})
                self.stops(OPTIONS.alone, ["plain", 5], "there is no next BLAS", **{name: value})
                self.stops(OPTIONS.alone, ["plain", 5], reason, **{name: value})

    def test_wrong_arguments_without_an_xerbla(self):
        self.stops(OPTIONS.alone, ["wrong-fortran"], " ** On entry to DGEMM parameter number 10 had an illegal value")
        self.stops(OPTIONS.alone, ["wrong-rows"], "Parameter 11 to routine cblas_dgemm was incorrect")
        done = run(OPTIONS.alone, "wrong-c")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "Parameter 2 to routine cblas_dgemm was incorrect\nIllegal TransA setting, 7\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in "alone", "followed", "next", "late", "library":
        parser.add_argument("--" + option, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
