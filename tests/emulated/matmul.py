# SPDX-License-Identifier: MIT
# matmul.py: all kernels of hip/matmul.hip, at the edges of their shapes, against sums made here.
import functools
import math
import random
import re
import struct
from collections import namedtuple

import emulation

# Elements by letters: h f16, b bf16, f f32, d f64. Of what sums are kept in.
EPSILON = {"h": 2.0 ** -23, "b": 2.0 ** -23, "f": 2.0 ** -23, "d": 2.0 ** -52}
NAMES = {"h": "f16", "b": "bf16", "f": "f32", "d": "f64"}
SMALL = "hb"  # of 16 bits, which C is rounded to
WALKS = ("naive", "local", "tutorial")  # over more tiles than there are blocks
PADDING = b"\xa5"  # bytes of C's array that are no cell of C

# `packed`: only for a B whose rows' elements follow one another and start at multiples of 16 bytes. Of
# "matrix" rows and columns are a block's, and it is what should be neighbours in A and in B, "rows" if along k.
# Of "matrix16" it says of A and of B whether elements follow one another along k or else across, and these rows
# start at multiples of 16 bytes; or it is empty, for any.
Kernel = namedtuple("Kernel", "variant element rows columns packed")

# What a code object must have, but for `packed`.
EXPECTED = {(variant, element, rows, columns) for element in EPSILON for variant, rows, columns in (
    ("naive", 1, 1), ("local", 1, 1), ("tutorial", 1, 1), ("broadcast", 4, 4), ("broadcast", 8, 8), ("matrix", 64, 64),
    ("matrix", 128, 128), ("matrix16", 128, 128))
            if not variant.startswith("matrix") or (variant == "matrix16") == (element in SMALL)}

# C's row has `padding` cells more than n; `grid` is the number of blocks of kernels that walk, None for
# one a tile.
Shape = namedtuple("Shape", "m n k a b padding alpha beta grid")


def shapes(w):
    """m, n, k, storage of A and of B, padding of C's rows, alpha, beta, grid."""
    return [
        Shape(1, 1, 1, "rows", "rows", 0, 1, 0, None),
        Shape(3, 5, 0, "rows", "rows", 2, 1, 0, None),            # no terms: C = 0
        Shape(3, 5, 0, "rows", "rows", 2, 1, 0.5, None),          # no terms: C = C / 2
        Shape(1, w + 1, w - 1, "rows", "rows", 0, 2, 0, None),    # k < W
        Shape(9, 1, w + 1, "rows", "rows", 3, 1, -1, None),
        Shape(4, 4 * w, w, "rows", "rows", 0, 1, 0, None),        # whole tiles
        Shape(5, 4 * w - 2, 7, "rows", "rows", 0, 1, 0, None),    # all but whole
        Shape(7, 4 * w + 3, 2 * w + 5, "padded", "padded", 5, 1, 0, None),
        Shape(17, 8 * w + 5, 2 * w + 3, "columns", "aligned", 1, 1, 0.5, None),
        Shape(9, 8 * w, w, "rows", "columns", 0, 1, 0, None),     # whole tiles and a row
        Shape(18, 37, 19, "columns", "rows", 1, -1, 1, None),
        Shape(6, 4 * w + 1, w + 3, "rows", "columns", 0, 1, 0.25, None),
        Shape(5, 2 * w - 1, 21, "columns", "columns", 2, 0.5, 0, None),
        Shape(5, 33, w + 2, "spread", "spread", 1, 1, 2, None),
        Shape(35, 5 * w + 1, 6, "rows", "rows", 1, 1, 0, 2),      # several tiles a block
        Shape(33, 70, 3, "rows", "columns", 0, 1, -0.5, 1),
        Shape(16, 9, 24, "columns", "columns", 1, -1, 0.5, None),  # starts of rows and columns at 16 bytes
        Shape(8, 24, 40, "columns", "rows", 0, 1, 0, None),
    ]


# Of these "matrix" takes those that have about its size; where a block is whole it copies two elements at
# a time, if they are neighbours and aligned, and stores two of C. Every other C is by columns.
MATRIX_SHAPES = {64: [
    Shape(3, 5, 0, "rows", "rows", 2, 1, 0.5, None),
    Shape(7, 65, 21, "spread", "spread", 1, 1, 2, None),
    Shape(66, 70, 18, "columns", "columns", 0, 1, 0, None),
    Shape(66, 70, 18, "rows", "rows", 0, -1, 0, None),
    Shape(65, 67, 9, "columns", "columns", 1, 1, 0.5, None),
    Shape(65, 67, 9, "rows", "rows", 1, 1, 0, None),
], 128: [
    Shape(3, 5, 0, "rows", "rows", 2, 1, 0, None),
    Shape(5, 33, 17, "spread", "spread", 1, 1, 2, None),
    Shape(130, 132, 18, "columns", "columns", 0, 1, 0, None),
    Shape(130, 132, 18, "rows", "rows", 0, 1, 0.5, None),
]}


def width_of(element):
    return {"h": 2, "b": 2, "f": 4, "d": 8}[element]


def encode(element, numbers):
    if element == "b":  # a float's upper half, to nearest even
        words = struct.unpack("<%dI" % len(numbers), struct.pack("<%df" % len(numbers), *numbers))
        return struct.pack("<%dH" % len(words), *(
            w >> 16 | 0x40 if math.isnan(x) else w + 0x7fff + (w >> 16 & 1) >> 16 for w, x in zip(words, numbers)))
    return struct.pack("<%d%s" % (len(numbers), element.replace("h", "e")), *numbers)


def decode(element, data):
    count = len(data) // width_of(element)
    if element == "b":
        halves = struct.unpack("<%dH" % count, data)
        return struct.unpack("<%df" % count, struct.pack("<%dI" % count, *(h << 16 for h in halves)))
    return struct.unpack("<%d%s" % (count, element.replace("h", "e")), data)


def half_unit(element, size):
    """Half a unit in the last place of numbers to `size`, of types of 16 bits."""
    if element not in SMALL:
        return 0
    return math.ldexp(1, max(math.frexp(size)[1] - 1, {"h": -14, "b": -126}[element]) - {"h": 11, "b": 8}[element])


def strides(storage, rows, columns):
    """Distance between neighbours in a column and in a row."""
    return {"rows": (columns, 1), "padded": (columns + 7, 1), "aligned": (-(-columns // 8) * 8, 1), "columns": (1, rows),
            "spread": (2 * columns + 3, 2)}[storage]


def store(element, values, row, column, whole=False):
    """The matrix in memory that is NaN between its cells; `whole`: and after the last, to row's end."""
    size = 0
    if values and values[0]:
        size = (len(values) - 1) * row + (row if whole else (len(values[0]) - 1) * column + 1)
    cells = [math.nan] * size
    for i, line in enumerate(values):
        for j, value in enumerate(line):
            cells[i * row + j * column] = value
    return encode(element, cells)


class Problem:
    def __init__(self, element, shape, seed):
        draw = random.Random(seed)
        self.element, self.shape = element, shape
        m, n, k = shape.m, shape.n, shape.k

        def matrix(rows, columns):
            return [decode(element, encode(element, [draw.uniform(-1, 1) for _ in range(columns)]))
                    for _ in range(rows)]

        self.strides = strides(shape.a, m, k), strides(shape.b, k, n)
        self.a, self.b, self.c = matrix(m, k), matrix(k, n), matrix(m, n)
        turned = list(zip(*self.b)) or [()] * n
        self.want, self.bound = [], []
        for i in range(m):
            for j in range(n):
                terms = [x * y for x, y in zip(self.a[i], turned[j])]
                old = shape.beta * self.c[i][j]
                self.want.append(shape.alpha * math.fsum(terms) + old)
                size = abs(shape.alpha) * math.fsum(map(abs, terms)) + abs(old)
                bound = (k + 3) * EPSILON[element] * size
                self.bound.append(bound + half_unit(element, abs(self.want[-1]) + bound))

    def run(self, device, kernel, title, block, tiles, shared, walks, turned=False):
        shape, element = self.shape, self.element
        m, n, k = shape.m, shape.n, shape.k
        width = width_of(element)
        c_row, c_column = (1, m + shape.padding) if turned else (n + shape.padding, 1)
        cells = [i * c_row + j * c_column for i in range(m) for j in range(n)]
        c = bytearray(PADDING * ((cells[-1] + 1) * width))
        # beta = 0 must not read C
        old = encode(element, [x for line in self.c for x in line] if shape.beta else [math.nan] * (m * n))
        for number, cell in enumerate(cells):
            c[cell * width:(cell + 1) * width] = old[number * width:(number + 1) * width]
        inside = {cell * width + byte for cell in cells for byte in range(width)}
        a_strides, b_strides = self.strides
        memory = (emulation.Input(device, store(element, self.a, *a_strides)),
                  emulation.Input(device, store(element, self.b, *b_strides, shape.b == "aligned")),
                  emulation.Output(device, c, keep=set(range(len(c))) - inside))
        problem = struct.pack("<3q3Q6q2" + ("f" if element in SMALL else element), m, n, k, *(part.address for part in memory),
                              *a_strides, *b_strides, c_row, c_column, shape.alpha, shape.beta)

        def verify():
            got = decode(element, memory[2].bytes())
            for number, (cell, want, bound) in enumerate(zip(cells, self.want, self.bound)):
                if not abs(got[cell] - want) <= bound:
                    return "C[%d][%d] is %r, not %r" % (*divmod(number, n), got[cell], want)
            return None

        down, across = tiles
        grid = -(-m // down) * -(-n // across)
        if shape.grid and walks:
            grid = shape.grid
        what = "%s m=%d n=%d k=%d A by %s, B by %s, C by %s + %d, alpha=%g beta=%g" % (
            title, m, n, k, shape.a, shape.b, "columns" if turned else "rows", shape.padding, shape.alpha, shape.beta)
        what += ", %d blocks of %s" % (grid, "x".join(map(str, block)))
        device.run(what, kernel, grid, block, [problem], memory, verify, shared)


def is_kernel(name):
    """Whether the mangled name is of hip/matmul.hip."""
    return re.search(r"\d\dmatmul_(naive|local|tutorial|broadcast|matrix)", name)


def identify(name):
    """The Kernel of a mangled name."""
    matrix = re.search(r"matmul_matrixI([fd])Li([01])ELb([01])ELb([01])EEE", name)
    if matrix:
        element, small, a, b = matrix.groups()
        side = 64 if small == "1" else 128
        return Kernel("matrix", element, side, side,
                      ("columns rows".split()[int(a)], "rows columns".split()[int(b)]))
    matrix = re.search(r"matmul_matrix16INS0_11small_floatINS0_\d+(b?)\w*_formatEEELb([01])ELb([01])ELb([01])EEE", name)
    if matrix:
        bf16, packed, *along_k = matrix.groups()
        return Kernel("matrix16", bf16 or "h", 128, 128,
                      tuple(flag == "1" for flag in along_k) if packed == "1" else ())
    pattern = (r"matmul_(naive|local|tutorial|broadcast)I(?:([fd])|NS0_11small_floatINS0_\d+(b?)\w*_formatEEE)"
               r"(?:Li(\d+)ELi(\d+)E)?(?:Lb([01])E)?E")
    variant, element, bf16, rows, columns, packed = re.search(pattern, name).groups()
    element = element or bf16 or "h"
    return Kernel(variant, element, int(rows or 1), int(columns or 1), packed == "1")


def title(kernel):
    return "%s %s %dx%d%s" % (kernel.variant, NAMES[kernel.element], kernel.rows,
                              kernel.columns, " %s, %s" % kernel.packed if kernel.variant == "matrix" else
                              " %s, %s" % tuple("along k" if x else "across" for x in kernel.packed)
                              if kernel.packed and kernel.variant == "matrix16" else
                              " packed" if kernel.packed else "")


def matrix_units(device):
    """The types for which the architecture has them."""
    return "fdhb" if any(name in device.name for name in ("gfx90a", "gfx942")) else "hb"


def is_case(device, kernel, problem, number):
    """Whether the kernel takes such matrices, and the shape is one of those that it is run on."""
    element, (a, (row, column)) = kernel.element, problem.strides
    if kernel.variant != "matrix16":
        in_packs = column == 1 and row * width_of(element) % 16 == 0
        if element in SMALL and number % 4 != SMALL.index(element):  # sums are those of f32
            return False
        return kernel.variant != "broadcast" or in_packs or not kernel.packed
    if element not in matrix_units(device):
        return False
    if not kernel.packed:
        return number in (3, 7, 11) and element != SMALL[number // 4 % 2]  # large tiles take long
    found = [(across, down) if along else (down, across)
             for (down, across), along in zip((a, (column, row)), kernel.packed)]
    return number in (5, 9, 16, 17) and all(near == 1 and far % 8 == 0 for near, far in found)


def launch_shape(kernel, alternative, w):
    """Block, and cells of C that a block computes: down, across."""
    if kernel.variant == "naive":
        block = (w, 3) if alternative else (16, 16)
        return block, (block[1], block[0])
    if kernel.variant == "local":
        block = (2 * w,) if alternative else (64,)
        return block, (1, block[0])
    if kernel.variant == "matrix":
        return (4 * w,), (kernel.rows, kernel.columns)
    if kernel.variant == "matrix16":
        return (256,), (kernel.rows, kernel.columns)
    block = (w,) if alternative else (4 * w,)
    return block, (kernel.rows * (block[0] // w), kernel.columns * w)


def cases(device):
    found = {identify(name): name for name in device.kernels}
    if {kernel[:4] for kernel in found} != EXPECTED:
        raise emulation.Failure("kernels without a case, or the reverse: %s" % found)
    for number, shape in enumerate(shapes(device.wave)):
        for element in EPSILON:
            problem = Problem(element, shape, number)
            for kernel, name in found.items():
                if kernel.element != element or not is_case(device, kernel, problem, number):
                    continue
                if kernel.variant == "matrix":
                    continue
                # The library's block for most shapes, another for the rest.
                block, covers = launch_shape(kernel, number % 3 == 2, device.wave)
                shared = {"local": block[0], "matrix16": 2 * 32 * (128 + 128)}.get(kernel.variant, 0)
                yield functools.partial(problem.run, device, name, title(kernel), block, covers,
                                        shared * width_of(element), kernel.variant in WALKS)
    for size, its_shapes in MATRIX_SHAPES.items():
        for number, shape in enumerate(its_shapes):
            for element in matrix_units(device):
                problem = Problem(element, shape, number)
                for kernel, name in found.items():
                    if kernel[:3] == ("matrix", element, size):
                        block, covers = launch_shape(kernel, False, device.wave)
                        yield functools.partial(problem.run, device, name, title(kernel), block, covers,
                                                2 * 8 * 2 * size * width_of(element), False,
                                                turned=number % 2 == 0)
