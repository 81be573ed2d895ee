# SPDX-License-Identifier: MIT
# instructions.py: reads matmul's machine code in a library: instructions.py OBJDUMP READELF LIBRARY
"""A broadcast is v_readlane: no local memory, no permute. No kernel uses scratch, spills registers, or copies
accumulators of the matrix unit in a loop."""
import os
import re
import sys
import tempfile
from collections import namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "isa"))
import disassembly

# Elements: h f16, b bf16, f f32, d f64, a i8, c c32, z c64. Of "matrix" rows and columns are a block's. `packed`: whether elements are loaded
# together; of "matrix" what should be neighbours in A and in B, "rows" if along k; of "matrix16" whether elements of A
# and of B follow one another along k or else across, or empty, for any.
Kernel = namedtuple("Kernel", "variant element rows columns packed")
NAMES = {"h": "f16", "b": "bf16", "f": "f32", "d": "f64", "a": "i8", "c": "c32", "z": "c64"}
COMPLEX = {"f": "c", "d": "z"}

# The variants that are one kernel, with a cell a work-item: those of types.h but for the ones below and SKINNY.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/subwave/types.h")) as header:
    listed = re.search(r"SUBWAVE_VARIANT_LIST\(X\)(.*?)typedef enum", header.read(), re.S)[1]
SINGLE = [name for name in re.findall(r'X\(\w+, \d+,[\s\\]*"(\w+)"', listed)
          if name not in ("auto", "broadcast", "matrix", "skinny")]

# What a code object must have, but for `packed`. Tiles of BROADCAST with A in scalar registers are of elements of 4 bytes
# and more; complex ones have neither the largest tiles nor a matrix unit.
EXPECTED = {(variant, element, rows, columns) for element in NAMES for variant, rows, columns in (
    *((name, 1, 1) for name in SINGLE), ("broadcast", 4, 4), ("broadcast", 8, 8), ("broadcast", 16, 4),
    ("broadcast", 8, 2), ("matrix", 64, 64), ("matrix", 128, 128), ("matrix16", 64, 64), ("matrix16", 128, 128),
    ("matrix16", 256, 256))
            if not variant.startswith("matrix") or (variant == "matrix16") == (element in "hba")
            if columns not in (2, 4) or rows == columns or element in "fdcz"
            if element not in "cz" or not variant.startswith("matrix") and (rows, columns) != (8, 8)
            if element != "z" or rows != 16
            if element != "a" or (variant, rows) not in (("broadcast", 8), ("broadcast", 16), ("matrix16", 64))}


def is_kernel(name):
    """Whether the mangled name is of a variant other than SKINNY."""
    return re.search(r"\d\dmatmul_(%s|broadcast|matrix)" % "|".join(SINGLE), name)


def identify(name):
    """The Kernel of a mangled name."""
    matrix = re.search(r"matmul_matrixI([fd])Li([01])ELb1ELb([01])ELb([01])EEE", name)
    if matrix:
        element, small, a, b = matrix.groups()
        side = 64 if small == "1" else 128
        return Kernel("matrix", element, side, side,
                      ("columns rows".split()[int(a)], "rows columns".split()[int(b)]))
    matrix = re.search(r"matmul_matrixI(?:NS0_11small_floatINS0_\d+(b?)\w*_formatEEE|(a))"
                       r"Li([012])ELb([01])ELb([01])ELb([01])EEE", name)
    if matrix:
        bf16, i8, shape, packed, *along_k = matrix.groups()
        side = (128, 256, 64)[int(shape)]
        return Kernel("matrix16", i8 or bf16 or "h", side, side,
                      tuple(flag == "1" for flag in along_k) if packed == "1" else ())
    pattern = (r"matmul_(%s|broadcast)(?:_dot)?I(?:([fda])|NS0_11small_floatINS0_\d+(b?)\w*_formatEEE|NS0_7complexI([fd])EE)"
               r"(?:Li(\d+)ELi(\d+)E)?(?:Lb([01])E)?(?:LNS0_11broadcast_aE([012])E)?E") % "|".join(SINGLE)
    variant, element, bf16, part, rows, columns, packed, a = re.search(pattern, name).groups()
    element = element or COMPLEX.get(part) or bf16 or "h"
    if packed == "1" and a in ("1", "2"):
        packed = "A along k" if a == "1" else "A across"
    else:
        packed = packed == "1"
    return Kernel(variant, element, int(rows or 1), int(columns or 1), packed)


def title(kernel):
    return "%s %s %dx%d%s" % (kernel.variant, NAMES[kernel.element], kernel.rows,
                              kernel.columns, " %s, %s" % kernel.packed if kernel.variant == "matrix" else
                              " %s, %s" % tuple("along k" if x else "across" for x in kernel.packed)
                              if kernel.packed and kernel.variant == "matrix16" else
                              " packed, " + kernel.packed if isinstance(kernel.packed, str) else
                              " packed" if kernel.packed else "")


def describe(facts, code):
    """A row of the table."""
    def count(*starts, among=code):
        return sum(instruction.mnemonic.startswith(starts) for instruction in among)

    return {"vgpr": int(facts["vgpr_count"]), "sgpr": int(facts["sgpr_count"]),
            "spills": int(facts["vgpr_spill_count"]), "kept": int(facts["sgpr_spill_count"]),
            "lds": int(facts["group_segment_fixed_size"]),
            "scratch": int(facts["private_segment_fixed_size"])
            + count("scratch_", "buffer_load", "buffer_store"),
            "ds": count("ds_"), "readlane": count("v_readlane"),
            "fma": count("v_fma", "v_pk_fma", "v_dual_fma", "v_dot4", "v_mad_i32", "v_mad_u32", "v_mad_co_u64",
                         "v_mad_u64", "v_mad_i64"), "matrix": count("v_mfma", "v_wmma"),
            "copies": count("v_accvgpr", among=disassembly.in_loops(code)), "all": len(code)}


def faults(kernel, architecture, row):
    words = kernel.rows * {"d": 2, "c": 2, "z": 4}.get(kernel.element, 1)
    if row["scratch"] or row["spills"]:
        yield "uses scratch or spills"
    if row["kept"]:
        yield "keeps scalars in a vector register's lanes"
    # gfx908 keeps in accumulators what it has no other registers for.
    if row["copies"] and architecture != "gfx908":
        yield "copies accumulators in a loop"
    if kernel.variant.startswith("matrix"):
        units = ("gfx90a", "gfx942", "gfx950") + {"f": ("gfx908",), "a": ("gfx908",), "d": ()}.get(
            kernel.element, ("gfx908", "gfx1100", "gfx1201"))
        if kernel.variant == "matrix16" and kernel.rows != 128:
            units = ("gfx942", "gfx950")
        if bool(row["matrix"]) != (architecture in units):
            yield "has matrix instructions where there are none, or the reverse"
    elif not row["fma"]:
        yield "does not multiply and add in one instruction"
    if kernel.variant == "local" and not row["ds"]:
        yield "is said to use local memory but does not"
    broadcasts = kernel.variant in ("broadcast", "tutorial")
    if broadcasts and (row["lds"] or row["ds"]):
        yield "uses local memory or a permute through it"
    if broadcasts and row["readlane"] < words:
        yield "does not broadcast by v_readlane"


def check(architecture, code, kernels):
    """Prints a row a kernel, and what is wrong with it; returns whether something is."""
    failed = False
    if {identify(name)[:4] for name in kernels} != EXPECTED:
        sys.exit("%s: kernels are missing or unknown" % architecture)
    for number, name in enumerate(sorted(kernels, key=identify)):
        kernel, row = identify(name), describe(kernels[name], code[name])
        if not number:
            print("%-42s" % architecture + "".join("%9s" % key for key in row))
        print("%-42s" % title(kernel) + "".join("%9d" % value for value in row.values()))
        for fault in faults(kernel, architecture, row):
            failed = True
            print("FAILED: %s for %s %s" % (title(kernel), architecture, fault))
    return failed


def main(objdump, readelf, library):
    found = {}  # by architecture: instructions and metadata of each kernel
    with tempfile.TemporaryDirectory() as folder:
        for path in disassembly.extracted(library, folder):
            kernels = {name: facts for name, facts in disassembly.metadata(readelf, path).items() if is_kernel(name)}
            if kernels:
                code, facts = found.setdefault(disassembly.origin(readelf, path)[0], ({}, {}))
                code.update(disassembly.instructions(objdump, path))
                facts.update(kernels)
    if not found:
        sys.exit("%s: no kernels of matmul" % library)
    return any([check(architecture, *parts) for architecture, parts in found.items()])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: instructions.py OBJDUMP READELF LIBRARY")
    sys.exit(main(*sys.argv[1:]))
