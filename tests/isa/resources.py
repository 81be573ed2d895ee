# SPDX-License-Identifier: MIT
# resources.py: no kernel uses scratch memory or spills a register, and no cell LDS: resources.py READELF FILE.co...
import os
import sys

import disassembly

# Told, and fails if there are more or they get worse: LLVM 15 keeps 16 or 22 scalars of broadcast kernels (f32,
# f16, bf16) in lanes of a vector register, off their loops.
KNOWN = {"matmul.gfx90a.hipcc": (5, 0, 8)}


def is_known(file, row, seen):
    """Whether KNOWN (kernels, bytes of scratch, spills) covers one more; `seen` counts them."""
    for start, (kernels, scratch, spills) in KNOWN.items():
        if file.startswith(start) and row["scratch"] <= scratch and row["spills"] <= spills:
            seen[start] = seen.get(start, 0) + 1
            return seen[start] <= kernels
    return False


def main(readelf, paths):
    kernels = failed = told = 0
    seen = {}
    for path in paths:
        found = disassembly.metadata(readelf, path)
        if not found:
            sys.exit("%s: no kernels" % path)
        kernels += len(found)
        for name, facts in found.items():
            row = disassembly.resources(facts)
            file = os.path.basename(path)
            if row["scratch"] or row["spills"] or file.startswith("cells.") and row["lds"]:
                known = is_known(file, row, seen)
                told, failed = told + known, failed + (not known)
                print("%s: %s of %s: %d bytes of scratch, %d spills, %d bytes of LDS" % (
                    "known" if known else "FAILED", name, path, row["scratch"], row["spills"], row["lds"]))
    print("%d kernels in %d objects, %d failed, %d known" % (kernels, len(paths), failed, told))
    return bool(failed)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: resources.py READELF FILE.co...")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
