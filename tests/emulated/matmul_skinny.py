# SPDX-License-Identifier: MIT
# matmul_skinny.py: all kernels of hip/matmul_skinny.hip, with tiles full and in part, and k whole and in parts,
# against sums made here.
import array
import functools
import math
import random
import re
import struct
from collections import namedtuple

import emulation
import matmul

BLOCK, DOTS, LEAST_TILES = 256, 4, 1024

Kernel = namedtuple("Kernel", "tile element rows narrow down packed")

# `a` and `b` say whose elements follow one another: rows' or columns'.
Shape = namedtuple("Shape", "m n k a beta parts")


def identify(name):
    """The Kernel of a mangled name."""
    tile, element, rest = re.search(r"skinny_(lanes|dots)I([fd])((?:L[bi]\d+E)+)E", name).groups()
    values = [int(value) for value in re.findall(r"L[bi](\d+)E", rest)]
    if tile == "lanes":
        rows, narrow, down, packed = values
    else:
        rows, narrow, down, packed = 1, 0, 1, values[0]
    return Kernel(tile, element, rows, narrow, down, packed)


EXPECTED = {Kernel(*kernel) for element in "fd" for packed in (0, 1) for kernel in
            [("lanes", element, rows, narrow, 0, packed) for rows in (1, 4, 16) for narrow in (0, 1)] +
            [("lanes", element, rows, 0, 1, packed) for rows in (4, 16)] +
            [("dots", element, 1, 0, 1, packed)]}


def geometry(kernel, w):
    """Columns of a tile, terms that a block takes at a time, elements of local memory."""
    pack = 16 // array.array(kernel.element).itemsize
    waves = BLOCK // w
    if kernel.tile == "dots":
        return DOTS, waves * 2 * w * pack, waves * DOTS
    lanes = 4 if kernel.narrow else w
    steps = 8 if not kernel.narrow else 2 if kernel.rows * 16 // pack > 64 else 4
    columns, terms = lanes * pack, steps * (w // lanes)
    turned = columns * (steps + pack) if kernel.down else 0
    return columns, waves * terms, waves * max(2 * terms * kernel.rows + turned, min(kernel.rows, 8) * columns)


def shapes(kernel, columns, terms):
    few = 1 if kernel.rows == 1 else kernel.rows - 1
    return [
        Shape(kernel.rows, columns, terms + 8, "rows", 0, 1),
        Shape(few, columns + 5, 2 * terms - 3, "columns", 0.5, 2),
        Shape(few, max(columns - 3, 1), 7, "columns", 0, 1),
        Shape(kernel.rows + (kernel.rows == 4), 4, 2 * terms + 5, "rows", -1, 3),
        Shape(1, 3, 0, "rows", 2, 1),
    ]


class Problem:
    def __init__(self, kernel, shape, seed):
        draw = random.Random(seed)
        self.kernel, self.shape = kernel, shape
        m, n, k = shape.m, shape.n, shape.k

        def matrix(rows, columns):
            return [array.array(kernel.element, [draw.uniform(-1, 1) for _ in range(columns)]) for _ in range(rows)]

        self.a, self.c = matrix(m, k), matrix(m, n)
        self.turned = matrix(n, k)
        self.b = [array.array(kernel.element, line) for line in zip(*self.turned)]
        self.want, self.bound = [], []
        for i in range(m):
            for j in range(n):
                terms = [x * y for x, y in zip(self.a[i], self.turned[j])]
                old = shape.beta * self.c[i][j]
                self.want.append(math.fsum(terms) + old)
                self.bound.append((k + 3) * matmul.EPSILON[kernel.element] *
                                  (math.fsum(map(abs, terms)) + abs(old)))

    def operands(self):
        """Bytes and strides of A and B."""
        kernel, shape = self.kernel, self.shape
        lines = self.turned if kernel.down else self.b
        length = shape.k if kernel.down else shape.n
        ld = -(-length // 4) * 4 if kernel.packed else length + 1
        b = matmul.store(kernel.element, lines, ld, 1, kernel.packed)
        a = self.a if shape.a == "rows" else list(zip(*self.a))
        a_ld = (shape.k if shape.a == "rows" else shape.m) + 1
        return (matmul.store(kernel.element, a, a_ld, 1), (a_ld, 1) if shape.a == "rows" else (1, a_ld),
                b, (1, ld) if kernel.down else (ld, 1))

    def run(self, device, name, columns, terms, elements):
        kernel, shape = self.kernel, self.shape
        m, n, k = shape.m, shape.n, shape.k
        width = array.array(kernel.element).itemsize
        a, a_strides, b, b_strides = self.operands()
        old = [line if shape.beta else array.array(kernel.element, [math.nan] * n) for line in self.c]
        tiles = -(-m // kernel.rows) * -(-n // columns)
        part = max(1, -(-(-(-k // shape.parts)) // terms)) * terms
        parts = max(1, -(-k // part))
        sums = array.array(kernel.element, [math.nan] * (tiles * parts * kernel.rows * columns))
        memory = (emulation.Input(device, a), emulation.Input(device, b),
                  emulation.Output(device, b"".join(line.tobytes() for line in old)),
                  emulation.Output(device, sums.tobytes()),
                  # As it was, zeros.
                  emulation.Output(device, bytes(4 * LEAST_TILES), keep=range(4 * LEAST_TILES)))
        problem = struct.pack("<3q3Q6q2" + kernel.element + "0q", m, n, k, *(x.address for x in memory[:3]),
                              *a_strides, *b_strides, n, 1, 1, shape.beta)
        problem += struct.pack("<q3I4x2Q", part, parts, 0, tiles, memory[3].address, memory[4].address)

        def verify():
            got = array.array(kernel.element, memory[2].bytes())
            for cell, (x, want, bound) in enumerate(zip(got, self.want, self.bound)):
                if not abs(x - want) <= bound:
                    return "C[%d][%d] is %r, not %r" % (*divmod(cell, n), x, want)
            return None

        what = "%s m=%d n=%d k=%d A by %s, beta=%g, %d parts" % (kernel, m, n, k, shape.a, shape.beta, parts)
        shared = max(elements * width, BLOCK * 16)
        device.run(what, name, tiles * parts, (BLOCK,), [problem], memory, verify, shared)


def cases(device):
    found = {identify(name): name for name in device.kernels}
    if set(found) != EXPECTED:
        raise emulation.Failure("kernels without a case, or the reverse: %s" % (set(found) ^ EXPECTED))
    for kernel, name in found.items():
        columns, terms, elements = geometry(kernel, device.wave)
        for number, shape in enumerate(shapes(kernel, columns, terms)):
            yield functools.partial(Problem(kernel, shape, number).run, device, name, columns, terms, elements)
