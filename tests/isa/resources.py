# SPDX-License-Identifier: MIT
# resources.py: no kernel uses scratch memory or spills a register, and no cell LDS: resources.py READELF FILE.co...
import os
import sys

import disassembly

# Told, and fails nothing: gfx906 has half the registers of what the batched products were made for; LLVM 15
# keeps 16 scalars of a broadcast kernel in the lanes of a vector register, off its loops.
def is_known(file, row):
    return file.startswith("matmul_batched.gfx906.") or (
        file.startswith("matmul.gfx90a.hipcc") and row["scratch"] == 0 and row["spills"] <= 16)



def main(readelf, paths):
    kernels = failed = told = 0
    for path in paths:
        found = disassembly.metadata(readelf, path)
        if not found:
            sys.exit("%s: no kernels" % path)
        kernels += len(found)
        for name, facts in found.items():
            row = disassembly.resources(facts)
            file = os.path.basename(path)
            if row["scratch"] or row["spills"] or file.startswith("cells.") and row["lds"]:
                known = is_known(file, row)
                told, failed = told + known, failed + (not known)
                print("%s: %s of %s: %d bytes of scratch, %d spills, %d bytes of LDS" % (
                    "known" if known else "FAILED", name, path, row["scratch"], row["spills"], row["lds"]))
    print("%d kernels in %d objects, %d failed, %d known" % (kernels, len(paths), failed, told))
    return bool(failed)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: resources.py READELF FILE.co...")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
