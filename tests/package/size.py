# SPDX-License-Identifier: MIT
# size.py: bytes and kernels of the AMD code in a library, an architecture a line, and whether they keep their bounds:
# size.py LIBRARY
import os
import sys
from collections import defaultdict

tests = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
sys.path[:0] = [os.path.join(tests, "amdrun"), os.path.join(tests, "isa")]
import codeobj
import disassembly

# Of an architecture. A library for eight of them is to stay a download of a moment.
BYTES, KERNELS = 2500000, 1500


def main(library):
    size, kernels = defaultdict(int), defaultdict(int)
    for architecture, data in disassembly.bundled(library):
        size[architecture] += len(data)
        kernels[architecture] += len(codeobj.CodeObject(data).kernels)
    if not size:
        sys.exit("%s: no code objects" % library)
    failed = False
    for architecture in sorted(size):
        # A library without kernels would be small, and is a failure of this test's reader.
        right = size[architecture] <= BYTES and 0 < kernels[architecture] <= KERNELS
        failed |= not right
        print("%s%s: %d bytes of at most %d, %d kernels of at most %d" % (
            "" if right else "FAILED: ", architecture, size[architecture], BYTES, kernels[architecture], KERNELS))
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: size.py LIBRARY")
    sys.exit(main(sys.argv[1]))
