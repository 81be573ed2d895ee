# SPDX-License-Identifier: MIT
# resources.py: no kernel uses scratch memory or spills a register, and no cell LDS: resources.py READELF FILE...
# A file is a code object, or a library with code objects in it.
import os
import sys
import tempfile

import disassembly


def main(readelf, paths):
    with tempfile.TemporaryDirectory() as folder:
        return check(readelf, [found for path in paths for found in disassembly.extracted(path, folder)])


def check(readelf, paths):
    kernels = failed = 0
    for path in paths:
        found = disassembly.metadata(readelf, path)
        if not found:
            sys.exit("%s: no kernels" % path)
        kernels += len(found)
        for name, facts in found.items():
            row = disassembly.resources(facts)
            file = os.path.basename(path)
            if row["scratch"] or row["spills"] or file.startswith("cells.") and row["lds"]:
                failed += 1
                print("FAILED: %s of %s: %d bytes of scratch, %d spills, %d bytes of LDS" % (
                    name, path, row["scratch"], row["spills"], row["lds"]))
    print("%d kernels in %d objects, %d failed" % (kernels, len(paths), failed))
    return bool(failed)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: resources.py READELF FILE...")
    sys.exit(main(sys.argv[1], sys.argv[2:]))
